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

	@JobHandler(value = "export-orders", keepResult = "1h")
	File export(ExportOrders wish, JobContext context) throws InterruptedException {
		for (int order = 1; order <= ORDERS; order++) {
			TimeUnit.MILLISECONDS.sleep(100);
			context.checkIn("order " + order + " of " + wish.year());
			context.progress(order, ORDERS);
		}
		return new File("orders-" + wish.year() + ".csv", ORDERS);
	}

	/**
	 * The file that an export has written.
	 *
	 * @param name its name
	 * @param orders how many orders it has
	 */
	record File(String name, int orders) {

	}

}
