package dev.jobs.engine.run;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.run.Run.Stop;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stops runs that take too long, and reports runs that do not stop.
 */
public final class Watchdog implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Watchdog.class);

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Duration LONGEST_REST = Duration.ofSeconds(5);

	private final WorkerContext context;

	private final RunningJobs running;

	private final PollLoop loop;

	private volatile Instant nextLook = Instant.MIN;

	public Watchdog(WorkerContext context, RunningJobs running) {
		this.context = context;
		this.running = running;
		this.loop = new PollLoop("watch", this, context.clock());
	}

	/**
	 * Return the loop that watches.
	 * @return the loop, which is not started here
	 */
	public PollLoop loop() {
		return this.loop;
	}

	void watch(Run run) {
		Instant deadline = run.deadline();
		if (deadline != null && deadline.isBefore(this.nextLook)) {
			this.nextLook = deadline;
			this.loop.wake();
		}
	}

	@Override
	public Duration poll() {
		Instant now = this.context.clock().now();
		this.nextLook = now.plus(LONGEST_REST);
		this.running.each((run) -> look(run, now));
		return this.context.clock().until(this.nextLook);
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
			logger.error("Job '{}' {} was asked to stop at {} ({}) but keeps running; it keeps its slot until it ends",
					run.name(), run.id(), since, run.stopped());
			run.checkIn("stuck: was asked to stop at " + since + " but keeps running");
			this.context.events().publish(() -> new Events.Stuck(run.claim().job(), since, now));
		}
	}

}
