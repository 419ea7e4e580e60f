package dev.jobs.docs.schedules;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.jobs.JobCalendar;
import dev.jobs.JobHandler;
import dev.jobs.operations.JobOperations;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

/**
 * What docs/schedules.md shows of schedules at run time.
 */
@Component
class Subscriptions {

	final List<String> log = new ArrayList<>();

	private final JobOperations operations;

	Subscriptions(JobOperations operations) {
		this.operations = operations;
	}

	void choose(String customer, String cron, String zone) {
		this.operations.schedule("report:" + customer)
			.put((schedule) -> schedule.cron(cron).zone(zone).job("send-report", customer));
	}

	void cancel(String customer) {
		this.operations.schedule("report:" + customer).drop();
	}

	@JobHandler("send-report")
	void send(String customer) {
		this.log.add("report of " + customer);
	}

	@Configuration
	static class Calendars {

		private static final Set<LocalDate> HOLIDAYS = Set.of(LocalDate.of(2030, 5, 1));

		@Bean
		JobCalendar workingDays() {
			return (day) -> day.getDayOfWeek() != DayOfWeek.SUNDAY && !HOLIDAYS.contains(day);
		}

	}

}
