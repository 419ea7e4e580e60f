package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

import dev.jobs.JobEvent;
import dev.jobs.engine.Run.Stop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells runs that take too long to end, and reports those that do not.
 */
final class Watchdog implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Watchdog.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Duration LONGEST_REST = Duration.ofSeconds(5);

	private final Shared shared;

	private final Supplier<List<WorkerPool>> pools;

	private Runnable onEarlier = () -> {
	};

	private volatile Instant nextLook = Instant.MIN;

	Watchdog(Shared shared, Supplier<List<WorkerPool>> pools) {
		this.shared = shared;
		this.pools = pools;
	}

	void onEarlier(Runnable onEarlier) {
		this.onEarlier = onEarlier;
	}

	void watch(Run run) {
		Instant deadline = run.deadline();
		if (deadline != null && deadline.isBefore(this.nextLook)) {
			this.nextLook = deadline;
			this.onEarlier.run();
		}
	}

	@Override
	public Duration poll() {
		Instant now = this.shared.clock().now();
		this.nextLook = now.plus(LONGEST_REST);
		for (WorkerPool pool : this.pools.get()) {
			pool.eachRun((run) -> look(run, now));
		}
		return this.shared.clock().until(this.nextLook);
	}

	private void look(Run run, Instant now) {
		Instant deadline = run.deadline();
		if (run.stopped() != null) {
			reportIfStuck(run, now);
		}
		else if (deadline != null && !deadline.isAfter(now)) {
			run.stop(Stop.TIMED_OUT);
		}
		else if (deadline != null && deadline.isBefore(this.nextLook)) {
			this.nextLook = deadline;
		}
	}

	private void reportIfStuck(Run run, Instant now) {
		Instant since = run.newlyStuckSince(PATIENCE);
		if (since != null) {
			logger.error("Job '{}' {} was told to end at {} ({}) but goes on; it keeps its slot until it does",
					run.name(), run.id(), since, run.stopped());
			run.checkIn("stuck: was told to end at " + since + " but goes on");
			this.shared.events().publish(() -> new JobEvent.Stuck(run.job(), since, now));
		}
	}

}
