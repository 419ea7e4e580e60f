package dev.jobs.engine;

import java.time.Duration;
import java.util.Set;

import dev.jobs.store.ClaimReply;
import dev.jobs.store.TakeOver;

/**
 * Takes over jobs whose worker vanished and has the {@link Settler} decide about them. As
 * long as this worker's own beats have not gone well for a whole lease it takes nothing,
 * since the silence of others may then be the store's. Any number of workers may do this
 * at once; the store gives each job to one.
 */
final class Rescuer implements PollLoop.Task {

	private static final int BATCH = 100;

	private final Shared shared;

	private final Heartbeat heartbeat;

	private final Settler settler;

	private final QueueSampler sampler;

	Rescuer(Shared shared, Heartbeat heartbeat, Settler settler, QueueSampler sampler) {
		this.shared = shared;
		this.heartbeat = heartbeat;
		this.settler = settler;
		this.sampler = sampler;
	}

	@Override
	public Duration poll() {
		boolean more = this.heartbeat.isSteady() && takeOver() == BATCH;
		return more ? Duration.ZERO : this.sampler.vary(this.shared.settings().lease().dividedBy(4));
	}

	private int takeOver() {
		ClaimReply reply = this.shared.store()
			.takeOver(new TakeOver(this.shared.worker(), this.shared.registry().queues(), Set.of(), BATCH,
					this.shared.clock().now()));
		reply.claims().forEach((claim) -> {
			this.heartbeat.opened(claim.token());
			this.settler.settle(claim, new Outcome.Abandoned());
		});
		return reply.claims().size();
	}

}
