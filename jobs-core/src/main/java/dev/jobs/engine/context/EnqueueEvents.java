package dev.jobs.engine.context;

import java.time.Instant;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import org.jspecify.annotations.Nullable;

/**
 * Counts and publishes the results of enqueues.
 */
public record EnqueueEvents(EventBus events, Tallies tallies) {

	/**
	 * Count and publish the result of an enqueue.
	 * @param job the job
	 * @param enqueued the store's reply
	 * @param now when that was
	 */
	public void report(NewJob job, Enqueued enqueued, Instant now) {
		count(job, enqueued, now);
		publish(job, enqueued, now);
	}

	public void count(NewJob job, Enqueued enqueued, Instant now) {
		if (enqueued.isNew()) {
			this.tallies.enqueued(job.name(), now);
		}
	}

	public void publish(NewJob job, Enqueued enqueued, Instant now) {
		if (!this.events.isHeard()) {
			return;
		}
		switch (enqueued.outcome()) {
			case FULL -> this.events.publish(new Events.Rejected(job.name(), now));
			case NEW, REPLACED, RESCHEDULED -> this.events
				.publish(new Events.Accepted(seen(job, enqueued.id(), enqueued.dueAt(), now), enqueued.outcome(), now));
			case DUPLICATE, STOPPED, DEFERRED -> {
			}
		}
	}

	/**
	 * Count and publish that a schedule has enqueued a job.
	 */
	public void ticked(Tick tick, NewJob job, Enqueued enqueued, Instant now) {
		count(job, enqueued, now);
		this.events.publish(() -> new Events.Ticked(tick.schedule().name(),
				seen(job, enqueued.id(), enqueued.dueAt(), now), tick.instant(), now));
	}

	/**
	 * Publish that a job could not be enqueued after its transaction was committed.
	 */
	public void failed(NewJob job, String error, @Nullable Throwable cause, boolean inDoubt, Instant now) {
		this.events
			.publish(() -> new Events.EnqueueFailed(seen(job, job.id(), job.dueAt(), now), error, cause, inDoubt, now));
	}

	private static Job seen(NewJob job, String id, Instant dueAt, Instant now) {
		JobState state = dueAt.isAfter(now) ? JobState.SCHEDULED : JobState.READY;
		return Job.builder(id, job.name())
			.payload(job.payload())
			.headers(job.headers())
			.state(state)
			.createdAt(job.createdAt())
			.dueAt(dueAt)
			.build();
	}

}
