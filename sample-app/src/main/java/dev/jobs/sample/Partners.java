package dev.jobs.sample;

import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.ScheduleRequest;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.ScheduleOperations;
import org.springframework.stereotype.Component;

/**
 * Those who sell through this shop. A partner sends price lists, and chooses when to get
 * a report. The configuration says how the lane of a partner is run.
 */
@Component
class Partners {

	private static final Duration SHORT = Duration.ofSeconds(10);

	private final Map<String, Map<String, Long>> prices = new ConcurrentHashMap<>();

	private final Shop shop;

	private final JobClient jobs;

	private final JobOperations operations;

	Partners(Shop shop, JobClient jobs, JobOperations operations) {
		this.shop = shop;
		this.jobs = jobs;
		this.operations = operations;
	}

	@JobHandler
	void take(PriceList list) {
		this.prices.put(list.partner(), list.cents());
	}

	/**
	 * Send a report at the times that a partner has chosen. Many choose midnight, so the
	 * reports are spread over ten minutes. None is needed beside one that is late.
	 */
	ScheduleOperations.Put subscribe(String partner, String cron, ZoneId zone) {
		return this.operations.schedule("report-" + partner)
			.put((schedule) -> schedule.cron(cron)
				.zone(zone)
				.job(JobRequest.ofPayload(new PartnerReport(partner)))
				.jitter(Duration.ofMinutes(10))
				.calendar("openDays")
				.overlap(ScheduleRequest.Overlap.SKIP));
	}

	void unsubscribe(String partner) {
		this.operations.schedule("report-" + partner).drop();
	}

	/**
	 * Write a report. It must be there two minutes after it was due, so if the time gets
	 * short it is sent with what it has.
	 */
	@JobHandler(deadlineIn = "2m")
	void report(PartnerReport wish, JobContext context) {
		List<String> lines = new ArrayList<>();
		for (String article : this.prices.getOrDefault(wish.partner(), Map.of()).keySet()) {
			if (Objects.requireNonNull(context.remaining()).compareTo(SHORT) < 0) {
				lines.add("and more");
				break;
			}
			lines.add(this.shop.sold(article) + " " + article);
		}
		this.jobs.enqueue(new OrderMail(wish.partner() + "@example.org", 0, "Sold: " + String.join(", ", lines)));
	}

}
