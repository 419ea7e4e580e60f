package dev.jobs.docs.migrate;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobType;

import org.springframework.stereotype.Component;

@Component
class FromJobRunr {

	private final JobClient jobs;

	final List<Long> archived = new ArrayList<>();

	FromJobRunr(JobClient jobs) {
		this.jobs = jobs;
	}

	void archive(long order, Instant later) {
		this.jobs.enqueue(new ArchiveOrder(order));
		this.jobs.enqueue(new ArchiveOrder(order), (options) -> options.at(later));
	}

	@JobHandler(value = "archive-order", maxAttempts = 4)
	void archive(ArchiveOrder wish, JobContext context) {
		this.archived.add(wish.order());
		context.progress(1, 1);
	}

	@JobHandler(value = "sweep", cron = "0 15 4 * * *", zone = "Europe/Paris")
	void sweep() {
		this.archived.clear();
	}

	@JobType("archive-order")
	record ArchiveOrder(long order) {

	}

}
