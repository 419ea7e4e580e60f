package dev.jobs.engine.claim;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.jobs.HandlerOptions;
import dev.jobs.Rate;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.run.Line;
import dev.jobs.engine.run.LocalLimits;
import dev.jobs.engine.run.WorkerPool;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settle.Settler;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest.Rates;
import dev.jobs.store.StoreListener;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs for one pool. Each poll asks the store for as many jobs as the pool has
 * free slots, and for the few more that it will finish during one call. It asks only
 * queues that may have jobs, by their weights, and fewer at once while they have plenty,
 * since each costs the store something. It rests until the pool has room, a job is due, a
 * signal comes or the safety poll is due.
 */
public final class Claimer implements PollLoop.Task, StoreListener {

	private static final int MOST_AHEAD = 2000;

	private static final int MOST_UNSETTLED = 10_000;

	private static final int MOST_QUEUES = 64;

	private static final int MOST_WITH_PLENTY = 16;

	private static final Duration SHORT_REST = Duration.ofMillis(5);

	private static final Duration LONG_REST = Duration.ofMillis(500);

	private static final Duration SURPLUS_PATIENCE = Duration.ofMillis(200);

	private final WorkerContext context;

	private final WorkerPool pool;

	private final Line line;

	private final Lease lease;

	private final Settler settler;

	private final LocalLimits localLimits;

	private final QueueSampler sampler;

	private final QueueHints hints;

	/** The queues that have jobs according to signals, and from when on. */
	private final Map<String, Instant> signals = new ConcurrentHashMap<>();

	/**
	 * The queues restricted since the claim under way was prepared; it may not know of
	 * that.
	 */
	private final Set<String> restricted = new HashSet<>();

	private final Throughput throughput;

	private final PollLoop loop;

	private volatile boolean lookEverywhere = true;

	private Instant lookEverywhereAt = Instant.MIN;

	private @Nullable Instant surplusSince;

	private boolean mayClaimAhead = true;

	private boolean plenty;

	public Claimer(WorkerContext context, WorkerPool pool, Lease lease, Settler settler, LocalLimits localLimits) {
		this.context = context;
		this.pool = pool;
		this.line = pool.line();
		this.lease = lease;
		this.settler = settler;
		this.localLimits = localLimits;
		this.sampler = new QueueSampler(context.random());
		this.hints = new QueueHints(pool.settings().queues(), context.random());
		this.throughput = new Throughput(context.clock()::nanos);
		this.loop = new PollLoop("claim-" + pool.settings().name(), this, context.clock());
		pool.claimLoop(this.loop);
	}

	/**
	 * Return the loop that claims.
	 * @return the loop, which is not started here
	 */
	public PollLoop loop() {
		return this.loop;
	}

	/**
	 * Claim no more than the free slots, so that claims do not depend on the speed of the
	 * machine.
	 */
	public void claimNothingAhead() {
		this.mayClaimAhead = false;
	}

	/**
	 * Forget all hints and ask every queue with the next poll.
	 */
	public void lookEverywhere() {
		this.lookEverywhere = true;
		this.loop.wake();
	}

	@Override
	public void ready(String queue, Instant at) {
		this.signals.merge(queue, at, (one, other) -> one.isBefore(other) ? one : other);
		this.loop.wake();
	}

	@Override
	public void restricted(String queue) {
		synchronized (this.restricted) {
			this.restricted.add(queue);
			this.line.giveBack((claim) -> claim.job().name().equals(queue));
		}
	}

	@Override
	public Duration poll() {
		if (!this.lease.isSafe()) {
			return LONG_REST;
		}
		if (this.pool.settings().concurrency() == 0) {
			this.line.giveBack((claim) -> true);
			return this.context.settings().poll();
		}
		if (this.settler.pending() > MOST_UNSETTLED) {
			return SHORT_REST;
		}
		Instant now = this.context.clock().now();
		boolean everywhere = takeSignals(now);
		Collection<String> hot = this.hints.hot(now);
		int ahead = this.mayClaimAhead ? this.throughput.expected(this.pool.finished()) : 0;
		giveBackSurplus(ahead, now);
		if (hot.isEmpty()) {
			this.pool.wakeAt(-1);
			return untilDue();
		}
		int enough = ahead / 2;
		this.pool.wakeAt(enough);
		int free = free();
		if (free + ahead <= 0 || (free <= 0 && this.line.size() > enough)) {
			this.lookEverywhere |= everywhere;
			return untilDue();
		}
		synchronized (this.restricted) {
			this.restricted.clear();
		}
		List<Quota> quotas = quotas(hot, free, ahead, everywhere);
		if (quotas.isEmpty()) {
			return untilDue();
		}
		int before = hot.size();
		int claimed = claim(quotas, free + ahead, now);
		boolean progress = claimed > 0 || hot.size() < before;
		return progress ? Duration.ZERO : SHORT_REST;
	}

	private int free() {
		return this.pool.settings().concurrency() - this.pool.busy() - this.line.size();
	}

	private boolean takeSignals(Instant now) {
		this.signals.forEach((queue, at) -> {
			if (this.signals.remove(queue, at)) {
				this.hints.ready(queue, at);
			}
		});
		if (!this.lookEverywhere && now.isBefore(this.lookEverywhereAt)) {
			return false;
		}
		this.lookEverywhere = false;
		this.hints.heatAll();
		this.lookEverywhereAt = now.plus(this.context.vary(this.context.settings().poll()));
		return true;
	}

	private Duration untilDue() {
		Instant due = this.hints.nextDue();
		Instant next = (due != null && due.isBefore(this.lookEverywhereAt)) ? due : this.lookEverywhereAt;
		Duration rest = this.context.clock().until(next);
		return (this.surplusSince != null && rest.compareTo(SURPLUS_PATIENCE) > 0) ? SURPLUS_PATIENCE : rest;
	}

	/**
	 * Share the room of the pool among queues. Every queue asked has a share, unless all
	 * are asked. No jobs are claimed ahead from queues with limits, rates or uniqueness,
	 * because for these a claim counts as a start.
	 */
	private List<Quota> quotas(Collection<String> hot, int free, int ahead, boolean everywhere) {
		List<ServedQueue> open = new ArrayList<>(hot.size());
		int[] weights = new int[hot.size()];
		for (String queue : this.localLimits.onePerLimit(hot)) {
			Registered handler = this.context.registry().find(queue);
			ServedQueue served = (handler != null) ? new ServedQueue(queue, handler.options(), handler.unique()) : null;
			if (served != null && most(served, free, ahead) > 0) {
				weights[open.size()] = served.options().getPriority();
				open.add(served);
			}
		}
		if (open.isEmpty()) {
			return List.of();
		}
		int[] shares = this.sampler.share(Arrays.copyOf(weights, open.size()), free + ahead,
				this.plenty ? MOST_WITH_PLENTY : MOST_QUEUES);
		List<Quota> quotas = new ArrayList<>();
		for (int i = 0; i < shares.length; i++) {
			if (shares[i] > 0 || everywhere) {
				ServedQueue served = open.get(i);
				HandlerOptions options = served.options();
				int most = most(served, free, ahead);
				quotas.add(Quota.of(served.queue(), most)
					.withShare(Math.min(shares[i], most))
					.withMaxRunning(options.getMaxConcurrency())
					.withLanes(options.getLaneConcurrency(), this.hints.lane(served.queue()))
					.withLaneWeights(options.getLaneWeights())
					.withTurn(this.hints.turn(served.queue()))
					.withRates(served.isRated() ? rates(options.getRate(), options.getLaneRate()) : null));
			}
		}
		return quotas;
	}

	private int most(ServedQueue served, int free, int ahead) {
		return Math.min(this.localLimits.room(served.queue()), served.mayClaimAhead() ? free + ahead : free);
	}

	private int claim(List<Quota> quotas, int limit, Instant now) {
		long sent = this.context.clock().nanos();
		ClaimReply reply = this.context.store().claim(new ClaimRequest(this.context.worker(), quotas, limit, now));
		this.throughput.called(sent);
		this.plenty = reply.claims().size() >= limit;
		reply.claims().forEach((claim) -> this.hints.gave(claim.job().name()));
		reply.queues().forEach((left) -> this.hints.left(left, this::laneWeights, reply.claims()));
		if (!reply.claims().isEmpty()) {
			handOver(startingInTime(reply.claims(), quotas, now), sent);
		}
		return reply.claims().size();
	}

	private Rates rates(@Nullable Rate ofQueue, @Nullable Rate ofLane) {
		return new Rates(ofQueue, ofLane,
				this.throughput.patience(Stream.of(ofQueue, ofLane).filter(Objects::nonNull)));
	}

	private Map<String, Integer> laneWeights(String queue) {
		Registered handler = this.context.registry().find(queue);
		return (handler != null) ? handler.options().getLaneWeights() : Map.of();
	}

	/**
	 * Note when the jobs must have begun whose starts were counted for a rate.
	 */
	private static List<Claim> startingInTime(List<Claim> claims, List<Quota> quotas, Instant now) {
		Map<String, Instant> latest = new HashMap<>();
		for (Quota quota : quotas) {
			if (quota.rates() != null) {
				latest.put(quota.queue(), now.plus(quota.rates().patience()));
			}
		}
		return latest.isEmpty() ? claims
				: claims.stream()
					.map((claim) -> new Claim(claim.job(), claim.token(), latest.get(claim.job().name())))
					.toList();
	}

	private void handOver(List<Claim> claims, long sent) {
		synchronized (this.restricted) {
			Set<Long> sure = this.lease.opened(claims, sent);
			List<Claim> open = new ArrayList<>(claims.size());
			for (Claim claim : claims) {
				if (sure.contains(claim.token()) && !this.restricted.contains(claim.job().name())) {
					open.add(claim);
				}
				else {
					this.settler.giveBack(claim);
				}
			}
			this.line.offer(open);
		}
	}

	/**
	 * Give back jobs that were claimed ahead when those before them turn out to be slow,
	 * so that other workers can take them.
	 */
	private void giveBackSurplus(int ahead, Instant now) {
		if (this.line.size() <= ahead) {
			this.surplusSince = null;
		}
		else if (this.surplusSince == null) {
			this.surplusSince = now;
		}
		else if (!this.surplusSince.plus(SURPLUS_PATIENCE).isAfter(now)) {
			this.surplusSince = null;
			this.line.giveBackBehind(ahead);
		}
	}

	/**
	 * The options of a queue's handler that a claim needs, looked up for each claim.
	 */
	private record ServedQueue(String queue, HandlerOptions options, boolean unique) {

		boolean isRated() {
			return this.options.getRate() != null || this.options.getLaneRate() != null;
		}

		boolean mayClaimAhead() {
			return this.options.getMaxConcurrency() == 0 && this.options.getLocalConcurrency() == 0 && !isRated()
					&& !this.unique;
		}

	}

}
