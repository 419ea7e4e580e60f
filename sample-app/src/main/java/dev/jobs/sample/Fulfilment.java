package dev.jobs.sample;

import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.NotInTimeException;
import dev.jobs.Signal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.stereotype.Component;

/**
 * Fulfils orders in steps, each of which is done once although the carrier does not
 * answer the first time, and whatever becomes of the process. In between it waits until
 * the carrier says that the parcel has arrived.
 */
@Component
@RegisterReflectionForBinding({ Fulfilment.Receipt.class, Fulfilment.Delivered.class })
class Fulfilment {

	private static final Logger logger = LoggerFactory.getLogger(Fulfilment.class);

	/** Sent when a parcel has arrived, about the job that fulfils its order. */
	static final Signal<Delivered> DELIVERED = Signal.of("delivered", Delivered.class);

	/** In a real shop, two weeks. */
	private static final Duration UNTIL_LOST = Duration.ofMinutes(10);

	/** In a real shop, a week. */
	private static final Duration BEFORE_THE_REVIEW = Duration.ofMinutes(1);

	private final JobClient jobs;

	private final Shop shop;

	Fulfilment(JobClient jobs, Shop shop) {
		this.jobs = jobs;
		this.shop = shop;
	}

	@JobHandler(backoff = @JobHandler.RetryDelay(type = "fixed", delay = "10s"))
	void fulfil(FulfilOrder wish, JobContext context) {
		Receipt receipt = context.step("charge", Receipt.class, () -> charge(wish, context.id()));
		context.step("reserve", () -> this.shop.reserve(wish.article()));
		String parcel = context.step("hand over to the carrier", String.class, () -> handOver(wish, context.attempt()));
		context.step("mail", () -> this.jobs.enqueue(
				mail(wish, "Parcel " + parcel + " is on its way, and " + receipt.payment() + " is your payment.")));
		try {
			Delivered delivered = context.await(DELIVERED, UNTIL_LOST);
			context.sleep("before the review", BEFORE_THE_REVIEW);
			context.step("ask for a review", () -> this.jobs.enqueue(mail(wish,
					"How do you like your " + wish.article() + ", which was left " + delivered.where() + "?")));
		}
		catch (NotInTimeException ex) {
			context.step("ask where it is",
					() -> this.jobs.enqueue(mail(wish, "Parcel " + parcel + " has not arrived; we look for it.")));
		}
	}

	/**
	 * Charge the customer's card. The key is the same in all runs, so that the bank
	 * recognises a charge that it has booked already.
	 */
	private static Receipt charge(FulfilOrder wish, String key) {
		logger.info("Order {} is charged under the key {}", wish.order(), key);
		return new Receipt("payment-" + wish.order(), 1250);
	}

	private static String handOver(FulfilOrder wish, int attempt) {
		if (attempt == 1) {
			throw new IllegalStateException("The carrier does not answer");
		}
		return "JD" + wish.order();
	}

	private static OrderMail mail(FulfilOrder wish, String text) {
		return new OrderMail(wish.customer(), wish.order(), text);
	}

	/**
	 * A payment.
	 *
	 * @param payment its number
	 * @param cents how much
	 */
	record Receipt(String payment, long cents) {

	}

	/**
	 * What the carrier says about a parcel that has arrived.
	 *
	 * @param where where it was left
	 */
	record Delivered(String where) {

	}

}
