package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

import dev.jobs.EnqueueOptions;
import dev.jobs.LaneStatus;
import dev.jobs.QueueStatistics;
import dev.jobs.QueueStatus;
import dev.jobs.Rate;
import dev.jobs.UnknownNameException;
import dev.jobs.engine.settings.OperatorSettings.Kind;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.JobInspector.Period;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

/**
 * A queue of the store.
 *
 * @param name its name
 * @param by who changes it, or {@code null} if that is not known
 * @param stored reads and changes it
 */
record StoredQueue(String name, @Nullable String by, StoredJobs stored) implements QueueOperations {

	@Override
	public Optional<QueueStatus> status() {
		Instant now = this.stored.now();
		JobInspector inspector = this.stored.inspector();
		return inspector.queue(this.name, now)
			.or(() -> QueueView.served(inspector.workers(now))
				.stream()
				.filter((queue) -> queue.name().equals(this.name))
				.findFirst())
			.map((queue) -> this.stored.with(queue, this.stored.settings()));
	}

	@Override
	public void pause() {
		change(new Change.Pause(this.name, this.by));
	}

	@Override
	public void resume() {
		change(new Change.Resume(this.name));
	}

	@Override
	public void limit(int maxRunning) {
		if (maxRunning < 1) {
			throw new IllegalArgumentException(
					"'maxRunning' must be at least 1 but was " + maxRunning + "; to start no jobs, pause the queue");
		}
		change(new Change.Limit(this.name, maxRunning, this.by));
	}

	@Override
	public void removeLimit() {
		change(new Change.Limit(this.name, Change.Limit.OF_WORKERS));
	}

	@Override
	public void weight(int weight) {
		change(Kind.WEIGHT.set(this.name, weight, this.by));
	}

	@Override
	public void removeWeight() {
		change(Kind.WEIGHT.remove(this.name));
	}

	@Override
	public void attempts(int attempts) {
		change(Kind.ATTEMPTS.set(this.name, attempts, this.by));
	}

	@Override
	public void removeAttempts() {
		change(Kind.ATTEMPTS.remove(this.name));
	}

	@Override
	public List<LaneStatus> lanes(@Nullable String after, int limit) {
		return new StoredLanes(this).after(after, limit);
	}

	@Override
	public List<LaneStatus> busiestLanes(int limit) {
		return new StoredLanes(this).busiest(limit);
	}

	@Override
	public List<LaneStatus> lanesWithSettings(@Nullable String after, int limit) {
		return new StoredLanes(this).withSettings(after, limit);
	}

	@Override
	public LaneOperations lane(String name) {
		return new StoredLanes.StoredLane(valid(name), this);
	}

	private static String valid(String lane) {
		return Objects.requireNonNull(EnqueueOptions.of((options) -> options.lane(lane)).getLane());
	}

	@Override
	public void rate(Rate rate) {
		change(Kind.set(this.name, rate, this.by));
	}

	@Override
	public void removeRate() {
		change(Kind.RATE.remove(this.name));
	}

	Changed change(Change change) {
		if (!this.stored.hasHandler(this.name) && status().isEmpty()) {
			throw new UnknownNameException("There is no queue '" + this.name
					+ "': it never had a job, no live worker serves it, and this application has no handler for it"
					+ StoredJobs.near(this.name, this.stored.inspector().queues(this.stored.now()), QueueView::name));
		}
		return this.stored.changeNamed(this.name, change);
	}

	@Override
	public List<QueueStatistics> statistics(Instant from, Instant to, Duration step) {
		return List.copyOf(this.stored.inspector().statistics(Set.of(this.name), new Period(from, to, step)));
	}

}
