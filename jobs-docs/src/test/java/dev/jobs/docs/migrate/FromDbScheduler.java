package dev.jobs.docs.migrate;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;

@Component
class FromDbScheduler {

	private final JobClient jobs;

	final List<Long> reminded = new ArrayList<>();

	FromDbScheduler(JobClient jobs) {
		this.jobs = jobs;
	}

	void remindTomorrow(long order) {
		this.jobs.enqueue(new Reminder(order),
				(options) -> options.delay(Duration.ofDays(1)).unique("reminder-" + order));
	}

	@JobHandler("remind")
	void remind(Reminder reminder) {
		this.reminded.add(reminder.order());
	}

	@JobHandler(value = "count-stock", cron = "@every 1h")
	void countStock() {
		this.reminded.clear();
	}

	@JobType("remind")
	record Reminder(long order) {

	}

}
