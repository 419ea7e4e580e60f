package dev.jobs.docs.recipes;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class Mails {

	private final JobClient jobs;

	private final MailServer server = new MailServer();

	Mails(JobClient jobs) {
		this.jobs = jobs;
	}

	List<String> sent() {
		return this.server.sent;
	}

	@Transactional
	void confirm(String customer, long order) {
		this.jobs.enqueue(new Confirmation(customer, order), (options) -> options.unique("confirmation-" + order));
	}

	@JobHandler(timeout = "30s", maxConcurrency = 5)
	void send(Confirmation mail, JobContext context) {
		this.server.send(context.id(), mail.to(), "Order " + mail.order() + " is on its way");
	}

	@JobType(value = "send-confirmation", tags = "team:shop")
	record Confirmation(String to, long order) {

	}

	static final class MailServer {

		final List<String> sent = new ArrayList<>();

		void send(String messageId, String to, String text) {
			this.sent.add(to + ": " + text);
		}

	}

}
