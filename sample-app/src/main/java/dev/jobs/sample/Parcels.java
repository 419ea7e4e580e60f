package dev.jobs.sample;

import java.time.Duration;

import dev.jobs.JobArgs;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Sends parcels as soon as they are paid. Those that were sent are kept for a while, and
 * those that wait under the former name of the job are sent as well.
 */
@Component
class Parcels {

	private static final Logger logger = LoggerFactory.getLogger(Parcels.class);

	private final Shop shop;

	Parcels(Shop shop) {
		this.shop = shop;
	}

	@JobHandler(value = "send-parcel", aliases = "ship-order", keepHistory = "true")
	JobResult send(JobArgs parcel) {
		long order = parcel.integer("order");
		String address = parcel.string("address");
		if (parcel.error().isPresent()) {
			return JobResult.discard().message(parcel.error().get());
		}
		if (!this.shop.isPaid(order)) {
			return JobResult.snooze(Duration.ofMinutes(1)).message("Order " + order + " is not paid");
		}
		logger.info("Order {} is on its way to {}", order, address);
		return JobResult.done();
	}

}
