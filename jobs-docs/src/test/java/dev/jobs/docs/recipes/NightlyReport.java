package dev.jobs.docs.recipes;

import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;
import dev.jobs.UniqueJob;

import org.springframework.stereotype.Component;

@Component
class NightlyReport {

	private static final ZoneId ZONE = ZoneId.of("Europe/Paris");

	private final JobClient jobs;

	final List<String> written = new ArrayList<>();

	NightlyReport(JobClient jobs) {
		this.jobs = jobs;
	}

	private List<String> shops() {
		return List.of("berlin", "paris");
	}

	@JobHandler(value = "nightly-reports", cron = "0 0 3 * * *", zone = "Europe/Paris", misfire = "run-all:7")
	void enqueueReports(JobContext context) {
		Instant tick = Instant.parse(context.headers().get("jobs.tick"));
		LocalDate day = tick.atZone(ZONE).toLocalDate().minusDays(1);
		this.jobs.enqueueAll(shops().stream().map((shop) -> new Report(shop, day)).toList());
	}

	@JobHandler(keepHistory = "true", maxConcurrency = 2)
	void write(Report report) {
		this.written.add(report.shop() + " on " + report.day());
	}

	@JobType("write-report")
	@UniqueJob
	record Report(String shop, LocalDate day) {

	}

}
