package dev.jobs.engine.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.engine.context.StoreClock;
import org.jspecify.annotations.Nullable;

/**
 * What a worker knows about its own lease and the claims that it covers. By the time
 * since the last confirmed beat, in time that no clock change affects, the worker doubts
 * itself: without {@linkplain #isSafe() a safe lease} nothing is claimed or started. The
 * {@link Heartbeat} keeps it alive.
 */
public final class Lease {

	private static final int MOST_GIVEN_UP = 1000;

	private final StoreClock clock;

	private final Duration length;

	/** The tokens of the claims that this worker has heard of and not lost. */
	private final Set<Long> known = ConcurrentHashMap.newKeySet();

	/** Since when the store has known tokens that this worker does not. */
	private final Map<Long, Long> unknownSince = new HashMap<>();

	/** Tokens whose claim took too long; a reply that still comes is too late. */
	private final Set<Long> givenUp = new LinkedHashSet<>();

	private volatile Set<Long> lostClaims = Set.of();

	private Runnable onLostClaims = () -> {
	};

	private volatile @Nullable Beat confirmed;

	private volatile long steadySinceNanos;

	public Lease(StoreClock clock, Duration length) {
		this.clock = clock;
		this.length = length;
		this.steadySinceNanos = clock.nanos() - length.toNanos();
	}

	// --- for those who claim and start jobs

	/**
	 * Return whether the lease surely holds for a while, so that a job may be started.
	 * @return whether it does
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
	 * a dead worker, not an unreachable store, and whether neither the machine's clock
	 * nor the store's was set meanwhile, which would make leases seem over.
	 * @return whether that is so
	 */
	public boolean isSteady() {
		Beat confirmed = this.confirmed;
		return isSafe() && confirmed != null && !wasClockSetSince(confirmed)
				&& this.clock.nanos() - this.steadySinceNanos >= this.length.toNanos();
	}

	/**
	 * Take note of a token that this worker got.
	 * @param token the token
	 */
	public void opened(long token) {
		this.known.add(token);
	}

	/**
	 * Take note of a token that a claim brought.
	 * @param token the token
	 * @param askedNanos when the claim was sent, by the counter
	 * @return whether its jobs may be run; not if the lease was not sure all the time
	 * since, as after the process was frozen, for others may have taken them over, nor if
	 * the reply took so long that they were given back
	 */
	public boolean opened(long token, long askedNanos) {
		// Known first: either the beat that ends a doubt finds it here, or the doubt is
		// found below.
		this.known.add(token);
		Beat confirmed = this.confirmed;
		boolean sure = isSafe(confirmed) && confirmed != null && askedNanos - confirmed.sureSinceNanos() >= 0;
		synchronized (this.givenUp) {
			if (sure && !this.givenUp.contains(token)) {
				return true;
			}
		}
		this.known.remove(token);
		return false;
	}

	/**
	 * Return whether, as far as is known, this worker still holds the jobs of a token.
	 * @param token the token
	 * @return whether it does
	 */
	public boolean holds(long token) {
		return this.known.contains(token);
	}

	/**
	 * Return the tokens of claims whose reply never came, so that their jobs are to be
	 * given back.
	 * @return the tokens, none unless the lease is safe
	 */
	public Set<Long> lostClaims() {
		return isSafe() ? this.lostClaims : Set.of();
	}

	/**
	 * Set the callback for when a beat has shown that claims got lost.
	 * @param onLostClaims what to do
	 */
	public void onLostClaims(Runnable onLostClaims) {
		this.onLostClaims = onLostClaims;
	}

	/**
	 * Take note that the jobs of lost claims were given back.
	 */
	public void lostClaimsReturned() {
		this.lostClaims = Set.of();
	}

	// --- for the heartbeat

	/**
	 * Return the tokens that this worker holds.
	 * @return a copy
	 */
	Set<Long> tokens() {
		return new HashSet<>(this.known);
	}

	/**
	 * Begin a beat, which is about to be sent.
	 * @return the beat
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
		Duration shown = Duration.between(beat.at(), this.clock.now());
		Duration passed = Duration.ofNanos(this.clock.nanos() - beat.nanos());
		return shown.minus(passed).abs().compareTo(this.length.dividedBy(5)) > 0;
	}

	/**
	 * Take note that a beat failed, or that a clock was set.
	 */
	void unsteady() {
		this.steadySinceNanos = this.clock.nanos();
	}

	/**
	 * Renew the lease, once it is known what was lost without it.
	 * @param beat the beat that the store has confirmed
	 */
	void confirm(Beat beat) {
		this.confirmed = beat;
	}

	/**
	 * Do without a lease from now on.
	 */
	public void release() {
		this.confirmed = null;
	}

	public void forget(Set<Long> tokens) {
		this.known.removeAll(tokens);
	}

	/**
	 * Look for claims whose reply never came. A token counts as lost once it has been
	 * unknown for longer than any call takes.
	 * @param open the tokens that the store has for this worker
	 */
	void findLostClaims(Set<Long> open) {
		long now = this.clock.nanos();
		this.unknownSince.keySet().retainAll(open);
		Set<Long> lost = new HashSet<>();
		synchronized (this.givenUp) {
			for (Long token : open) {
				if (this.known.contains(token)) {
					this.unknownSince.remove(token);
				}
				else if (now - this.unknownSince.computeIfAbsent(token, (key) -> now) > this.length.toNanos() / 2) {
					lost.add(token);
				}
			}
			giveUp(lost);
		}
		this.lostClaims = lost;
		if (!lost.isEmpty()) {
			this.onLostClaims.run();
		}
	}

	private void giveUp(Set<Long> lost) {
		this.givenUp.addAll(lost);
		Iterator<Long> oldest = this.givenUp.iterator();
		while (this.givenUp.size() > MOST_GIVEN_UP) {
			oldest.next();
			oldest.remove();
		}
	}

	/**
	 * A beat.
	 *
	 * @param nanos when it was sent, by the counter
	 * @param at when it was sent, by the clock
	 * @param sureSinceNanos when the first one was sent since which the lease was sure
	 */
	record Beat(long nanos, Instant at, long sureSinceNanos) {

		Beat sureSince(Beat first) {
			return new Beat(this.nanos, this.at, first.sureSinceNanos);
		}

	}

}
