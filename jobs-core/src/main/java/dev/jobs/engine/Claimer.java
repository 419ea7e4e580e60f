package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

import dev.jobs.engine.HandlerRegistry.Registered;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimReply.Left;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.StoreListener;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs for one pool. Each poll asks the store for as many jobs as the pool has
 * free slots, and a few more: what the pool will have finished in about the time of one
 * call. It asks only the queues that may have something, shared out by their weights, and
 * rests until the pool has room, a job is due, a signal comes or the safety poll is due.
 */
final class Claimer implements PollLoop.Task, StoreListener {

	private static final int MOST_AHEAD = 1000;

	private static final int MOST_UNSETTLED = 10_000;

	private static final Duration SHORT_REST = Duration.ofMillis(5);

	private static final Duration LONG_REST = Duration.ofMillis(500);

	private static final Duration SURPLUS_PATIENCE = Duration.ofMillis(200);

	private final Shared shared;

	private final WorkerPool pool;

	private final Set<String> queues;

	private final Heartbeat heartbeat;

	private final EndingWriter endings;

	private final LocalLimits localLimits;

	private final QueueSampler sampler;

	private final QueueHints hints;

	private final Queue<Signal> signals = new ConcurrentLinkedQueue<>();

	private final Throughput throughput;

	private Runnable onSignal = () -> {
	};

	private volatile boolean lookEverywhere = true;

	private Instant lookEverywhereAt = Instant.MIN;

	private @Nullable Instant surplusSince;

	private int turn;

	private boolean mayClaimAhead = true;

	Claimer(Shared shared, WorkerPool pool, Set<String> queues, Heartbeat heartbeat, EndingWriter endings,
			LocalLimits localLimits, QueueSampler sampler) {
		this.shared = shared;
		this.pool = pool;
		this.queues = queues;
		this.heartbeat = heartbeat;
		this.endings = endings;
		this.localLimits = localLimits;
		this.sampler = sampler;
		this.hints = new QueueHints(queues);
		this.throughput = new Throughput(shared.clock());
	}

	/**
	 * Say what to do when there may be something to claim.
	 * @param onSignal what to do
	 */
	void onSignal(Runnable onSignal) {
		this.onSignal = onSignal;
		this.pool.onRoom(onSignal);
	}

	Set<String> queues() {
		return this.queues;
	}

	/**
	 * Claim no more than there are free slots, so that what is claimed does not depend on
	 * how fast the machine is.
	 */
	void claimNothingAhead() {
		this.mayClaimAhead = false;
	}

	/**
	 * Believe nothing and ask every queue with the next poll.
	 */
	void lookEverywhere() {
		this.lookEverywhere = true;
		this.onSignal.run();
	}

	@Override
	public void ready(String queue, Instant at) {
		this.signals.add(new Signal(queue, at));
		this.onSignal.run();
	}

	@Override
	public void paused(String queue) {
		this.pool.giveBackWaiting((claim) -> claim.job().name().equals(queue));
	}

	@Override
	public Duration poll() {
		Instant now = this.shared.clock().now();
		boolean everywhere = takeSignals(now);
		if (!this.heartbeat.isSafe()) {
			this.lookEverywhere |= everywhere;
			return LONG_REST;
		}
		if (this.endings.pending() > MOST_UNSETTLED) {
			this.lookEverywhere |= everywhere;
			return SHORT_REST;
		}
		List<String> hot = this.hints.hot(now);
		int ahead = this.mayClaimAhead ? this.throughput.expected(this.pool.finished()) : 0;
		giveBackSurplus(ahead, now);
		if (hot.isEmpty()) {
			this.pool.wakeAt(-1);
			return untilDue();
		}
		int enough = ahead / 2;
		this.pool.wakeAt(enough);
		int free = free();
		if (free + ahead <= 0 || (free <= 0 && this.pool.waiting() > enough)) {
			this.lookEverywhere |= everywhere;
			return (this.surplusSince != null) ? SURPLUS_PATIENCE : untilDue();
		}
		List<Quota> quotas = quotas(hot, free, ahead, everywhere);
		if (quotas.isEmpty()) {
			return untilDue();
		}
		int claimed = claim(quotas, free + ahead, now);
		boolean progress = claimed > 0 || this.hints.hot(now).size() < hot.size();
		return progress ? Duration.ZERO : SHORT_REST;
	}

	private int free() {
		return this.pool.options().concurrency() - this.pool.busy() - this.pool.waiting();
	}

	private boolean takeSignals(Instant now) {
		for (Signal signal = this.signals.poll(); signal != null; signal = this.signals.poll()) {
			this.hints.ready(signal.queue(), signal.at());
		}
		if (!this.lookEverywhere && now.isBefore(this.lookEverywhereAt)) {
			return false;
		}
		this.lookEverywhere = false;
		this.hints.heatAll();
		this.lookEverywhereAt = now.plus(this.sampler.vary(this.shared.settings().poll()));
		return true;
	}

	private Duration untilDue() {
		Instant due = this.hints.nextDue();
		Instant next = (due != null && due.isBefore(this.lookEverywhereAt)) ? due : this.lookEverywhereAt;
		return this.shared.clock().until(next);
	}

	/**
	 * Share what the pool can take out among queues. Every queue asked has a share, save
	 * when all are asked. Nothing is claimed ahead of a queue with limits or uniqueness,
	 * since a claim counts as a start for these. Of the queues that share the local limit
	 * of a handler one is asked at a time, in turn, since each may give as many as the
	 * limit allows.
	 */
	private List<Quota> quotas(List<String> hot, int free, int ahead, boolean everywhere) {
		Collections.rotate(hot, this.turn++);
		Set<String> limited = new HashSet<>();
		List<Quota> open = new ArrayList<>(hot.size());
		int[] weights = new int[hot.size()];
		for (String queue : hot) {
			HandlerDefinition handler = definition(queue);
			int most = Math.min(this.localLimits.room(queue), isPlain(handler) ? free + ahead : free);
			boolean alone = handler.options().localConcurrency() == 0 || limited.add(handler.name());
			if (most > 0 && alone) {
				weights[open.size()] = handler.options().priority();
				open.add(new Quota(queue, 0, most, handler.options().maxConcurrency()));
			}
		}
		if (open.isEmpty()) {
			return List.of();
		}
		int[] shares = this.sampler.share(Arrays.copyOf(weights, open.size()), free + ahead);
		List<Quota> quotas = new ArrayList<>();
		for (int i = 0; i < shares.length; i++) {
			if (shares[i] > 0 || everywhere) {
				quotas.add(open.get(i).withShare(shares[i]));
			}
		}
		return quotas;
	}

	private HandlerDefinition definition(String queue) {
		Registered registered = this.shared.registry().find(queue);
		if (registered == null) {
			throw new IllegalStateException("The pool serves '" + queue + "', which has no handler");
		}
		return registered.definition();
	}

	private static boolean isPlain(HandlerDefinition handler) {
		return handler.options().maxConcurrency() == 0 && handler.options().localConcurrency() == 0
				&& handler.rule().unique() == null;
	}

	private int claim(List<Quota> quotas, int limit, Instant now) {
		long sent = this.shared.clock().nanos();
		ClaimReply reply = this.shared.store().claim(new ClaimRequest(this.shared.worker(), quotas, limit, now));
		this.throughput.called(sent);
		this.shared.clock().learn(reply.serverTime(), sent);
		for (Left left : reply.queues()) {
			this.hints.left(left.queue(), left.more(), left.nextDue());
		}
		if (!reply.claims().isEmpty()) {
			reply.claims().forEach((claim) -> this.heartbeat.opened(claim.token()));
			this.pool.offer(reply.claims());
		}
		return reply.claims().size();
	}

	/**
	 * Give back what was claimed ahead of jobs that turned out to be slow, so that other
	 * workers can have it.
	 */
	private void giveBackSurplus(int ahead, Instant now) {
		if (this.pool.waiting() <= ahead) {
			this.surplusSince = null;
		}
		else if (this.surplusSince == null) {
			this.surplusSince = now;
		}
		else if (!this.surplusSince.plus(SURPLUS_PATIENCE).isAfter(now)) {
			this.surplusSince = null;
			this.pool.giveBackWaitingBehind(ahead);
		}
	}

	private record Signal(String queue, Instant at) {

	}

}
