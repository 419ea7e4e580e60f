package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.util.Map;
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
 * may do this at once; the store gives each job to one. Strays of this worker itself go
 * back to their queues.
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
		boolean more = giveBackStrays();
		if (this.context.settings().rescue() && this.lease.isSteady()) {
			more |= rescue();
		}
		return more ? Duration.ZERO : this.context.vary(this.context.settings().lease().dividedBy(4));
	}

	private boolean giveBackStrays() {
		Map<Long, Set<String>> strays = this.lease.strays();
		if (strays.isEmpty()) {
			return false;
		}
		ClaimReply reply = takeOver(strays);
		if (!reply.claims().isEmpty()) {
			logger.warn(
					"Returning {} job(s) to their queues: the reply to their claim got lost, or the store lost their end",
					reply.claims().size());
		}
		this.lease.opened(reply.claims());
		reply.claims().forEach(this.settler::giveBack);
		boolean more = reply.claims().size() == BATCH;
		if (!more) {
			this.lease.straysReturned();
		}
		return more;
	}

	private boolean rescue() {
		ClaimReply reply = takeOver(Map.of());
		this.lease.opened(reply.claims());
		for (Claim claim : reply.claims()) {
			this.settler.settle(claim, new Outcome.Abandoned());
		}
		return reply.claims().size() == BATCH;
	}

	private ClaimReply takeOver(Map<Long, Set<String>> strays) {
		return this.context.store()
			.takeOver(new TakeOver(this.context.worker(), this.context.registry().queues(), strays, BATCH,
					this.context.clock().now()));
	}

}
