package dev.jobs.docs.schedules;

import java.time.ZoneId;

import dev.jobs.autoconfigure.JobEngineCustomizer;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.docs.schedules.Reports.ExportOrders;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
class SchedulesApplication {

	@Bean
	JobEngineCustomizer ordersOfLondonAreExported() {
		return (builder) -> builder.recurringJob(RecurringJob
			.of("export-london", Schedule.parse("0 0 6 * * *", ZoneId.of("Europe/London")), "export-orders")
			.withPayload(new ExportOrders("london"))
			.withMisfire(Misfire.skip()));
	}

}
