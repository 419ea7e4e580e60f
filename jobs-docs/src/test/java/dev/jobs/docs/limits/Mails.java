package dev.jobs.docs.limits;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.Urgency;
import dev.jobs.operations.JobOperations;

import org.springframework.stereotype.Component;

/**
 * What docs/urgency.md shows.
 */
@Component
class Mails {

	final List<String> sent = new ArrayList<>();

	private final JobClient jobs;

	private final JobOperations operations;

	Mails(JobClient jobs, JobOperations operations) {
		this.jobs = jobs;
		this.operations = operations;
	}

	void forgotten(Mail mail) {
		this.jobs.enqueue(mail, (options) -> options.urgency(Urgency.URGENT));
	}

	@JobHandler(value = "send-mail", urgency = "low")
	void send(Mail mail) {
		this.sent.add(mail.to() + ": " + mail.text());
	}

	JobCount newsletters() {
		JobFilter low = JobFilter.of((only) -> only.name("send-mail").urgency(Urgency.LOW));
		return this.operations.jobs(low).count(1000);
	}

	@JobType("send-mail")
	record Mail(String to, String text) {

	}

}
