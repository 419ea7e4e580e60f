package dev.jobs.sample;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;

import dev.jobs.JobHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Sends mails; in this sample, to a list that can be read.
 */
@Component
class Mailer {

	private static final Logger logger = LoggerFactory.getLogger(Mailer.class);

	private static final int KEPT = 100;

	private final ConcurrentLinkedDeque<OrderMail> sent = new ConcurrentLinkedDeque<>();

	@JobHandler("send-email")
	void send(OrderMail mail) {
		logger.info("To {}: {}", mail.to(), mail.text());
		remember(mail);
	}

	private void remember(OrderMail mail) {
		this.sent.addFirst(mail);
		while (this.sent.size() > KEPT) {
			this.sent.pollLast();
		}
	}

	List<OrderMail> sent() {
		return List.copyOf(this.sent);
	}

}
