package dev.jobs.docs.testing;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Component;

/**
 * The application of docs/testing.md.
 */
@SpringBootApplication
class Shop {

	private final JobClient jobs;

	Shop(JobClient jobs) {
		this.jobs = jobs;
	}

	void place(OrderPlaced order) {
		this.jobs.enqueue(new OrderMail(order.customer(), order.article()));
	}

	@JobType("send-email")
	record OrderMail(String to, String article) {

	}

	record OrderPlaced(String customer, String article) {

	}

	/**
	 * What sends the mails.
	 */
	@Component
	static class Mailer {

		boolean down;

		@JobHandler(value = "send-email", maxAttempts = 3)
		void send(OrderMail mail, JobContext context) {
			if (this.down) {
				throw new IllegalStateException("The mail server is down");
			}
			context.checkIn("to " + mail.to());
		}

	}

}
