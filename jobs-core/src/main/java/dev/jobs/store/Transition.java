package dev.jobs.store;

import java.time.Instant;

import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * The move of a job that a worker held. A store applies it and never asks for the reason.
 *
 * @param id the job
 * @param queue its queue
 * @param token the token it is held under
 * @param to where it goes
 * @param at when it is due, for a scheduled one or one that waits; until when its queue
 * or lane is held back, for one that does so; when it ended, for any other
 * @param trail its trail from now on
 * @param keepsLane whether it keeps the place of its lane while it waits or is dead: it
 * is ahead of all others there, and none of them starts before
 * @param saved whether it may have saved values, which go with it if it ends for good
 * @param end what to keep of its end, instead of what an earlier run left, or
 * {@code null}
 */
public record Transition(String id, String queue, long token, To to, Instant at, Trail trail, boolean keepsLane,
		boolean saved, @Nullable End end) {

	/**
	 * The job has ended and is removed.
	 * @param claim the claim
	 * @param at when it ended
	 * @return the transition
	 */
	public static Transition removed(Claim claim, Instant at) {
		return of(claim, To.REMOVED, at, claim.job().trail());
	}

	/**
	 * The job succeeded and is kept as history.
	 * @param claim the claim
	 * @param at when it ended
	 * @param trail its trail, with its last attempt
	 * @return the transition
	 */
	public static Transition kept(Claim claim, Instant at, Trail trail) {
		return of(claim, To.SUCCEEDED, at, trail);
	}

	/**
	 * The job was cancelled and is kept as history.
	 * @param claim the claim
	 * @param at when it ended
	 * @param trail its trail, with its last attempt if it had begun
	 * @return the transition
	 */
	public static Transition cancelled(Claim claim, Instant at, Trail trail) {
		return of(claim, To.CANCELLED, at, trail);
	}

	/**
	 * The job runs again at an instant.
	 * @param claim the claim
	 * @param dueAt the instant; one that is not after now puts it behind the ready jobs
	 * @param trail its trail from now on
	 * @return the transition
	 */
	public static Transition scheduled(Claim claim, Instant dueAt, Trail trail) {
		return of(claim, To.SCHEDULED, dueAt, trail);
	}

	/**
	 * The job waits for something.
	 * @param claim the claim
	 * @param until until when at the latest
	 * @param trail its trail, with {@linkplain Trail#waitsFor what} it waits for
	 * @return the transition
	 */
	public static Transition waiting(Claim claim, Instant until, Trail trail) {
		return of(claim, To.WAITING, until, trail);
	}

	/**
	 * The job goes back to the front of its queue.
	 * @param claim the claim
	 * @param at when
	 * @param trail its trail from now on
	 * @return the transition
	 */
	public static Transition released(Claim claim, Instant at, Trail trail) {
		return of(claim, To.FRONT, at, trail);
	}

	/**
	 * The job goes back to the front of its queue, of which nothing starts until an
	 * instant; if the job has a lane, nothing of this lane.
	 * @param claim the claim
	 * @param until the instant
	 * @param trail its trail from now on
	 * @return the transition
	 */
	public static Transition heldBack(Claim claim, Instant until, Trail trail) {
		return of(claim, To.HELD_BACK, until, trail);
	}

	/**
	 * The job is dead.
	 * @param claim the claim
	 * @param trail its trail, with its end
	 * @param at when it died
	 * @return the transition
	 */
	public static Transition dead(Claim claim, Instant at, Trail trail) {
		return of(claim, To.DEAD, at, trail);
	}

	private static Transition of(Claim claim, To to, Instant at, Trail trail) {
		return of(claim.job().id(), claim.job().name(), claim.token(), to, at, trail);
	}

	/**
	 * Return what happens to a job of which no claim is at hand.
	 * @param id the job
	 * @param queue its queue
	 * @param token the token it is held under
	 * @param to where it goes
	 * @param at when it is due or ended
	 * @param trail its trail from now on
	 */
	public static Transition of(String id, String queue, long token, To to, Instant at, Trail trail) {
		return new Transition(id, queue, token, to, at, trail, false, false, null);
	}

	/**
	 * Return the same under another token.
	 */
	public Transition withToken(long token) {
		return new Transition(this.id, this.queue, token, this.to, this.at, this.trail, this.keepsLane, this.saved,
				this.end);
	}

	/**
	 * Return the same for a job that keeps the place of its lane, unless it has ended for
	 * good.
	 */
	public Transition keepingLane() {
		boolean keeps = this.to == To.SCHEDULED || this.to == To.WAITING || this.to == To.FRONT
				|| this.to == To.HELD_BACK || this.to == To.DEAD;
		return new Transition(this.id, this.queue, this.token, this.to, this.at, this.trail, keeps, this.saved,
				this.end);
	}

	/**
	 * Return the same for a job that may have saved values.
	 */
	public Transition withSaved() {
		return new Transition(this.id, this.queue, this.token, this.to, this.at, this.trail, this.keepsLane, true,
				this.end);
	}

	/**
	 * Return the same for a job whose end is kept.
	 */
	public Transition keeping(End end) {
		return new Transition(this.id, this.queue, this.token, this.to, this.at, this.trail, this.keepsLane, this.saved,
				end);
	}

	/**
	 * Return whether the job is gone, or has succeeded or was cancelled.
	 */
	public boolean endsForGood() {
		return this.to == To.REMOVED || this.to == To.SUCCEEDED || this.to == To.CANCELLED;
	}

	/**
	 * Where a job may go.
	 */
	public enum To {

		/** Nowhere: all traces are removed and the unique key is freed. */
		REMOVED,

		/** Into the history; the unique key is freed. */
		SUCCEEDED,

		/** Into the history; the unique key is freed. */
		CANCELLED,

		/**
		 * To wait for its due time; the unique key is kept, except by mode
		 * {@code UNTIL_STARTED}, which has given it up already.
		 */
		SCHEDULED,

		/**
		 * To wait for {@linkplain Trail#waitsFor something}, but no longer than until its
		 * due time, as {@link #SCHEDULED} does. Nobody looks whether that has happened
		 * already.
		 */
		WAITING,

		/**
		 * To the front of its queue, before all ready jobs; jobs released in one batch
		 * keep the batch's order. The due time stays. A unique key given up at the claim
		 * is taken back if it is free.
		 */
		FRONT,

		/**
		 * As {@link #FRONT}, and nothing of its queue or, if it has a lane, of this lane
		 * is given until {@code at}. A later instant that was set before stays.
		 */
		HELD_BACK,

		/** To the dead jobs; the unique key is freed, except by {@code UNTIL_REMOVED}. */
		DEAD

	}

}
