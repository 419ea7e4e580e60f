package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;

import dev.jobs.Job;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.engine.settle.Settler;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.TakeOver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over jobs whose worker vanished and has the {@link Settler} decide about them. It
 * takes nothing until this worker's own beats have succeeded for a whole lease, since
 * before that missing beats of others may mean an unreachable store. Any number of
 * workers may do this at once; the store gives each job to one. This worker's own strays
 * go back to their queues.
 */
public final class Rescuer implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Rescuer.class);

	private static final int BATCH = 100;

	private static final int LEASES_OF_OTHERS = 2;

	private final WorkerContext context;

	private final Lease lease;

	private final Settler settler;

	private final long othersAreOverNanos;

	private volatile boolean othersAreBack;

	public Rescuer(WorkerContext context, Lease lease, Settler settler) {
		this.context = context;
		this.lease = lease;
		this.settler = settler;
		this.othersAreOverNanos = context.clock().nanosAfter(context.settings().lease().multipliedBy(LEASES_OF_OTHERS));
	}

	/**
	 * Return whether the jobs of workers that vanished before this one began have been
	 * taken over: a look that began after the end of their leases found nothing. A worker
	 * without rescue goes by the time alone.
	 * @return whether they have
	 */
	public boolean othersAreBack() {
		return this.othersAreBack || (!this.context.settings().rescue() && areOthersOver());
	}

	private boolean areOthersOver() {
		return this.context.clock().nanos() - this.othersAreOverNanos >= 0;
	}

	@Override
	public Duration poll() {
		boolean more = giveBackStrays();
		// Read the time first: a clock set after that cannot make a lease seem over.
		Instant now = this.context.clock().now();
		if (this.context.settings().rescue() && this.lease.isSteady()) {
			more |= rescue(now);
		}
		return more ? Duration.ZERO : this.context.vary(this.context.settings().lease().dividedBy(4));
	}

	private boolean giveBackStrays() {
		Map<Long, Set<String>> strays = this.lease.strays();
		if (strays.isEmpty()) {
			return false;
		}
		ClaimReply reply = takeOver(strays, this.context.clock().now());
		if (!reply.claims().isEmpty()) {
			logger.warn(
					"Returning {} job(s) to their queues: the reply to their claim got lost, or the store lost their end",
					reply.claims().size());
		}
		this.lease.opened(reply.claims());
		for (Claim claim : reply.claims()) {
			if (isToBeCancelled(claim)) {
				this.settler.settle(claim, new Outcome.Cancelled(false));
			}
			else {
				this.settler.giveBack(claim);
			}
		}
		if (reply.claims().size() < BATCH) {
			this.lease.straysReturned(strays.keySet());
		}
		return true;
	}

	private boolean rescue(Instant now) {
		boolean othersAreOver = areOthersOver();
		ClaimReply reply = takeOver(Map.of(), now);
		this.lease.opened(reply.claims());
		for (Claim claim : reply.claims()) {
			this.settler.settle(claim, isToBeCancelled(claim) ? new Outcome.Cancelled(false) : new Outcome.Abandoned());
		}
		this.othersAreBack |= othersAreOver && reply.claims().isEmpty();
		return reply.claims().size() == BATCH;
	}

	/**
	 * Return whether an operator asked to end a job that its worker can no longer end.
	 */
	private static boolean isToBeCancelled(Claim claim) {
		Job.Run run = claim.job().run();
		return run != null && run.cancelRequested();
	}

	private ClaimReply takeOver(Map<Long, Set<String>> strays, Instant now) {
		return this.context.store()
			.takeOver(new TakeOver(this.context.worker(), this.context.registry().queues(), strays, BATCH, now,
					this.context.clock().isOfStore()));
	}

}
