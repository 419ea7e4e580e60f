package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.util.Set;

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
 * Takes over jobs whose worker vanished and has the {@link Settler} decide about them. As
 * long as this worker's own beats have not gone well for a whole lease it takes nothing,
 * since missing beats of others may then mean an unreachable store. Any number of workers
 * may do this at once; the store gives each job to one. What this worker itself has
 * claimed by a call whose reply never came goes back to its queue.
 */
public final class Rescuer implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Rescuer.class);

	private static final int BATCH = 100;

	private final WorkerContext context;

	private final Lease lease;

	private final Settler settler;

	public Rescuer(WorkerContext context, Lease lease, Settler settler) {
		this.context = context;
		this.lease = lease;
		this.settler = settler;
	}

	@Override
	public Duration poll() {
		boolean more = giveBackLostClaims();
		if (this.context.settings().rescue() && this.lease.isSteady()) {
			more |= rescue();
		}
		return more ? Duration.ZERO : this.context.vary(this.context.settings().lease().dividedBy(4));
	}

	private boolean giveBackLostClaims() {
		Set<Long> lost = this.lease.lostClaims();
		if (lost.isEmpty()) {
			return false;
		}
		ClaimReply reply = takeOver(lost);
		if (!reply.claims().isEmpty()) {
			logger.warn("Returning {} job(s) whose claim was lost on the way", reply.claims().size());
		}
		for (Claim claim : reply.claims()) {
			this.lease.opened(claim.token());
			this.settler.giveBack(claim);
		}
		boolean more = reply.claims().size() == BATCH;
		if (!more) {
			this.lease.lostClaimsReturned();
		}
		return more;
	}

	private boolean rescue() {
		ClaimReply reply = takeOver(Set.of());
		for (Claim claim : reply.claims()) {
			this.lease.opened(claim.token());
			this.settler.settle(claim, new Outcome.Abandoned());
		}
		return reply.claims().size() == BATCH;
	}

	private ClaimReply takeOver(Set<Long> lostClaims) {
		return this.context.store()
			.takeOver(new TakeOver(this.context.worker(), this.context.registry().queues(), lostClaims, BATCH,
					this.context.clock().now()));
	}

}
