package dev.jobs.engine.enqueue;

import java.util.List;

import dev.jobs.EnqueueInterceptor.Next;
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
 * Enqueues the jobs of schedules: through the {@link EnqueueChain}, and together with
 * their ticks into the store, which takes a tick from one process only.
 */
public record TickWriter(JobStore store, NewJobs newJobs, EnqueueChain chain, EnqueueWriter writer,
		EnqueueEvents events) {

	/**
	 * Enqueue the job of a schedule's tick, if no other process has. If an interceptor
	 * stops the job, its tick is over all the same.
	 * @param tick the tick, without its job
	 * @param request the job
	 * @param again whether this process has offered the tick before and got no reply
	 * @return what happened, and the latest tick
	 */
	public TickReply fire(Tick tick, JobRequest request, boolean again) {
		this.writer.requireOpen();
		Offer offer = new Offer(tick, again);
		this.chain.pass(List.of(request), offer);
		return (offer.reply != null) ? offer.reply : this.store.fireTick(tick);
	}

	/**
	 * Return whether enqueues are refused.
	 */
	public boolean isClosed() {
		return this.writer.isClosed();
	}

	/**
	 * The offer of one tick to the store.
	 */
	private final class Offer implements Next {

		private final Tick tick;

		private final boolean again;

		private @Nullable TickReply reply;

		Offer(Tick tick, boolean again) {
			this.tick = tick;
			this.again = again;
		}

		@Override
		public List<Enqueued> proceed(List<JobRequest> requests) {
			NewJob job = TickWriter.this.newJobs.make(requests.get(0), this.tick);
			TickReply reply = TickWriter.this.store.fireTick(this.tick.with(job));
			this.reply = reply;
			Enqueued enqueued = reply.enqueued();
			if (enqueued == null || (reply.repeated() && !this.again)) {
				return List.of(Enqueued.of(job.id(), Outcome.DUPLICATE, this.tick.instant()));
			}
			if (enqueued.isNew()) {
				TickWriter.this.events.ticked(this.tick, job, enqueued);
			}
			return List.of(enqueued);
		}

	}

}
