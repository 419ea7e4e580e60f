package dev.jobs.sample;

import java.util.concurrent.TimeUnit;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import org.springframework.stereotype.Component;

/**
 * Writes all orders of a year to a file, which takes a while.
 */
@Component
class OrderExporter {

	private static final int ORDERS = 200;

	@JobHandler("export-orders")
	void export(ExportOrders wish, JobContext context) throws InterruptedException {
		for (int order = 1; order <= ORDERS; order++) {
			TimeUnit.MILLISECONDS.sleep(100);
			context.checkIn("order " + order + " of " + wish.year());
			context.progress(order, ORDERS);
		}
	}

}
