package dev.jobs.engine.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * A worker's knowledge of its own lease and the jobs that it covers. The time since the
 * last confirmed beat, which no clock change affects, decides whether the worker may
 * trust it: without {@linkplain #isSafe() a safe lease} nothing is claimed or started.
 * The {@link Heartbeat} keeps it alive.
 * <p>
 * The worker holds a job from the reply to its claim until the store has decided about
 * its end. A stray is a job that the store has under a token of the worker, but the
 * worker does not hold: the reply to its claim never came, or the store decided about its
 * end and then lost that, as in a failover. Strays go back to their queues.
 */
public final class Lease {

	private static final int MOST_GIVEN_UP = 1000;

	private static final int TOKENS_AT_ONCE = 100;

	private final StoreClock clock;

	private final Duration length;

	/** The ids of the jobs that this worker holds, by the tokens of their claims. */
	private final Map<Long, Set<String>> held = new ConcurrentHashMap<>();

	/** When strays under each token were first seen. */
	private final Map<Long, Long> straysSince = new HashMap<>();

	/** Tokens whose claim took too long; a reply that still comes is too late. */
	private final Set<Long> givenUp = new LinkedHashSet<>();

	private volatile Set<Long> tokensOfStrays = Set.of();

	private Runnable onStrays = () -> {
	};

	private volatile @Nullable Beat confirmed;

	private volatile long steadySinceNanos;

	public Lease(StoreClock clock, Duration length) {
		this.clock = clock;
		this.length = length;
		this.steadySinceNanos = clock.nanos() - length.toNanos();
	}

	// --- for parts that claim and start jobs

	/**
	 * Return whether the lease certainly holds for a while, so that a job may be started.
	 */
	public boolean isSafe() {
		return isSafe(this.confirmed);
	}

	public boolean isSafe(@Nullable Beat beat) {
		long lease = this.length.toNanos();
		return beat != null && this.clock.nanos() - beat.nanos() < lease - lease / 5;
	}

	/**
	 * Return whether beats have succeeded for so long that another worker's silence means
	 * a dead worker, not an unreachable store. A clock, the machine's or the store's, set
	 * forward meanwhile would make leases seem over, so then this is false; a clock set
	 * back does no harm.
	 * @return whether that is so
	 */
	public boolean isSteady() {
		Beat confirmed = this.confirmed;
		return isSafe() && confirmed != null && !wasClockSetForwardSince(confirmed)
				&& this.clock.nanos() - this.steadySinceNanos >= this.length.toNanos();
	}

	/**
	 * Return whether the store has confirmed a beat that was sent after an instant.
	 * @param nanos the instant, by the counter
	 */
	public boolean isConfirmedSince(long nanos) {
		Beat confirmed = this.confirmed;
		return confirmed != null && confirmed.nanos() - nanos > 0;
	}

	/**
	 * Record jobs that this worker took over.
	 */
	public void opened(List<Claim> claims) {
		this.held.putAll(idsByToken(claims));
	}

	/**
	 * Record jobs that a claim brought.
	 * @param claims the jobs
	 * @param askedNanos when the claim was sent, by the counter
	 * @return the tokens whose jobs may be run; none if the lease was not sure all the
	 * time since, as after the process was frozen, because others may have taken the jobs
	 * over. A token whose reply took so long that its jobs were given back is left out
	 */
	public Set<Long> opened(List<Claim> claims, long askedNanos) {
		Map<Long, Set<String>> opened = idsByToken(claims);
		// Record them first: then either the beat that ends a doubt finds them here, or
		// the check below sees the doubt.
		this.held.putAll(opened);
		Beat confirmed = this.confirmed;
		boolean sure = isSafe(confirmed) && confirmed != null && askedNanos - confirmed.sureSinceNanos() >= 0;
		Set<Long> refused = new HashSet<>(opened.keySet());
		synchronized (this.givenUp) {
			refused.removeIf((token) -> sure && !this.givenUp.contains(token));
		}
		forget(refused);
		opened.keySet().removeAll(refused);
		return opened.keySet();
	}

	private static Map<Long, Set<String>> idsByToken(List<Claim> claims) {
		Map<Long, Set<String>> ids = new HashMap<>();
		for (Claim claim : claims) {
			ids.computeIfAbsent(claim.token(), (token) -> ConcurrentHashMap.newKeySet()).add(claim.job().id());
		}
		return ids;
	}

	/**
	 * Record that the store has decided about the end of a job.
	 * @param id the job
	 * @param token the token it was held under
	 */
	public void ended(String id, long token) {
		Set<String> ids = this.held.get(token);
		if (ids != null && ids.remove(id) && ids.isEmpty()) {
			this.held.remove(token);
		}
	}

	/**
	 * Return whether this worker still holds jobs of a token, as far as it knows.
	 */
	public boolean holds(long token) {
		return this.held.containsKey(token);
	}

	/**
	 * Return the strays to be given back.
	 * @return some tokens, each with the ids of the jobs held under it that are not
	 * strays; none unless the lease is safe
	 */
	public Map<Long, Set<String>> strays() {
		Map<Long, Set<String>> strays = new HashMap<>();
		if (isSafe()) {
			this.tokensOfStrays.stream()
				.limit(TOKENS_AT_ONCE)
				.forEach((token) -> strays.put(token, Set.copyOf(this.held.getOrDefault(token, Set.of()))));
		}
		return strays;
	}

	/**
	 * Set the callback for when a beat has found strays.
	 * @param onStrays what to do
	 */
	public void onStrays(Runnable onStrays) {
		this.onStrays = onStrays;
	}

	/**
	 * Record that strays were given back.
	 * @param tokens their tokens
	 */
	public void straysReturned(Set<Long> tokens) {
		synchronized (this.givenUp) {
			Set<Long> others = new HashSet<>(this.tokensOfStrays);
			others.removeAll(tokens);
			this.tokensOfStrays = others;
		}
	}

	// --- for the heartbeat

	/**
	 * Return how many jobs this worker holds under each token.
	 */
	Map<Long, Integer> held() {
		Map<Long, Integer> held = new HashMap<>();
		this.held.forEach((token, ids) -> held.put(token, ids.size()));
		return held;
	}

	/**
	 * Begin a beat, which is about to be sent.
	 */
	public Beat begin() {
		long nanos = this.clock.nanos();
		return new Beat(nanos, this.clock.now(), nanos);
	}

	/**
	 * Return the beat that the store has confirmed last.
	 * @return the beat, or {@code null} if there is none
	 */
	@Nullable Beat confirmed() {
		return this.confirmed;
	}

	boolean wasClockSetSince(Beat beat) {
		return isMuch(jumpSince(beat).abs());
	}

	boolean wasClockSetForwardSince(Beat beat) {
		return isMuch(jumpSince(beat));
	}

	private Duration jumpSince(Beat beat) {
		Duration shown = Duration.between(beat.at(), this.clock.now());
		return shown.minusNanos(this.clock.nanos() - beat.nanos());
	}

	private boolean isMuch(Duration jump) {
		return jump.compareTo(this.length.dividedBy(5)) > 0;
	}

	/**
	 * Record that a beat failed, or that a clock was set forward.
	 */
	void unsteady() {
		this.steadySinceNanos = this.clock.nanos();
	}

	/**
	 * Renew the lease once the jobs lost without it are known.
	 * @param beat the beat that the store has confirmed
	 */
	void confirm(Beat beat) {
		this.confirmed = beat;
	}

	/**
	 * Give the lease up for good.
	 */
	public void release() {
		this.confirmed = null;
	}

	/**
	 * Record that the jobs of tokens are no longer held.
	 */
	void forget(Set<Long> tokens) {
		this.held.keySet().removeAll(tokens);
	}

	/**
	 * Look for strays. A job in the store counts as one once it has not been held here
	 * for longer than any call takes.
	 * @param stored how many jobs the store has under each token of this worker
	 * @param before how many were held under each before the store was asked
	 */
	void findStrays(Map<Long, Integer> stored, Map<Long, Integer> before) {
		long now = this.clock.nanos();
		Set<Long> strays = new HashSet<>();
		synchronized (this.givenUp) {
			this.straysSince.keySet().retainAll(stored.keySet());
			stored.forEach((token, jobs) -> {
				if (!hasStrays(token, jobs, before.get(token))) {
					this.straysSince.remove(token);
				}
				else if (now - this.straysSince.computeIfAbsent(token, (key) -> now) > this.length.toNanos() / 2) {
					strays.add(token);
				}
			});
			giveUp(strays);
			this.tokensOfStrays = strays;
		}
		if (!strays.isEmpty()) {
			this.onStrays.run();
		}
	}

	private boolean hasStrays(long token, int stored, @Nullable Integer before) {
		return (before != null) ? stored > before : stored > 0 && !holds(token);
	}

	/**
	 * Give tokens up, and forget the oldest of these that have no strays now.
	 */
	private void giveUp(Set<Long> tokens) {
		this.givenUp.removeAll(tokens);
		this.givenUp.addAll(tokens);
		Iterator<Long> oldest = this.givenUp.iterator();
		while (this.givenUp.size() > Math.max(MOST_GIVEN_UP, tokens.size())) {
			oldest.next();
			oldest.remove();
		}
	}

	/**
	 * A beat.
	 *
	 * @param nanos when it was sent, by the counter
	 * @param at when it was sent, by the clock
	 * @param sureSinceNanos when the first beat of those that have kept the lease sure
	 * was sent
	 */
	record Beat(long nanos, Instant at, long sureSinceNanos) {

		Beat sureSince(Beat first) {
			return new Beat(this.nanos, this.at, first.sureSinceNanos);
		}

	}

}
