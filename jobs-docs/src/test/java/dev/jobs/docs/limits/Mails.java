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

	void forgotten(PasswordReset reset) {
		this.jobs.enqueue(reset, (options) -> options.urgency(Urgency.URGENT));
	}

	@JobHandler
	void send(PasswordReset reset) {
		this.sent.add(reset.customer());
	}

	@JobHandler(value = "send-newsletter", urgency = "low")
	void send(Newsletter newsletter) {
		this.sent.add(newsletter.customer());
	}

	JobCount newsletters() {
		JobFilter low = JobFilter.of((only) -> only.name("send-newsletter").urgency(Urgency.LOW));
		return this.operations.jobs(low).count(1000);
	}

	@JobType("send-newsletter")
	record Newsletter(String customer) {

	}

	@JobType("reset-password")
	record PasswordReset(String customer) {

	}

}
