package dev.jobs.docs.schedules;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.UniqueJob;

import org.springframework.stereotype.Component;

/**
 * What docs/schedules.md shows.
 */
@Component
class Reports {

	final List<String> log = new ArrayList<>();

	@JobHandler(value = "nightly-report", cron = "0 30 2 * * *", zone = "Europe/Paris")
	void report(JobContext context) {
		Instant tick = Instant.parse(context.headers().get("jobs.tick"));
		write(tick.atZone(ZoneId.of("Europe/Paris")).toLocalDate().minusDays(1));
	}

	@JobHandler(value = "poll-inbox", cron = "${shop.inbox:@every 30s}", misfire = "skip")
	@UniqueJob
	void poll() {
		this.log.add("inbox");
	}

	@JobHandler("export-orders")
	void export(ExportOrders wish) {
		this.log.add("orders of " + wish.shop());
	}

	private void write(LocalDate day) {
		this.log.add("report of " + day);
	}

	@JobType("export-orders")
	record ExportOrders(String shop) {

	}

}
