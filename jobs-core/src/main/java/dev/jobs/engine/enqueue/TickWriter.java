package dev.jobs.engine.enqueue;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobRequest;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.jspecify.annotations.Nullable;

/**
 * Writes the job of one tick of a schedule, if no other process has.
 */
final class TickWriter {

	private final JobStore store;

	private final NewJobs newJobs;

	private final EnqueueEvents events;

	private final Tick tick;

	private final boolean again;

	private @Nullable TickReply reply;

	/**
	 * Create a writer.
	 * @param again whether this process has offered the tick before and got no reply
	 */
	TickWriter(JobStore store, NewJobs newJobs, EnqueueEvents events, Tick tick, boolean again) {
		this.store = store;
		this.newJobs = newJobs;
		this.events = events;
		this.tick = tick;
		this.again = again;
	}

	Enqueued write(JobRequest request) {
		NewJob job = this.newJobs.make(request, this.tick);
		TickReply reply = this.store.fireTick(this.tick.with(job));
		this.reply = reply;
		Enqueued enqueued = reply.enqueued();
		if (enqueued == null || (reply.repeated() && !this.again)) {
			return Enqueued.of(job.id(), Outcome.DUPLICATE, this.tick.instant());
		}
		if (enqueued.isNew()) {
			this.events.ticked(this.tick, job, enqueued);
		}
		return enqueued;
	}

	/**
	 * Return what happened. If an interceptor has stopped the job, its tick is over all
	 * the same.
	 * @return what happened, and the latest tick
	 */
	TickReply reply() {
		TickReply reply = this.reply;
		return (reply != null) ? reply : this.store.fireTick(this.tick);
	}

}
