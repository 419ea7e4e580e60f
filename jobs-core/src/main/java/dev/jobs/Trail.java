package dev.jobs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What has happened to a job since it was enqueued. A job that never failed has the
 * {@link #EMPTY} trail, and stores keep nothing for it.
 *
 * @param failures attempts that failed; compared with the retry policy's limit
 * @param abandonments deliveries whose worker vanished, without those that are known not
 * to have started
 * @param crashes abandonments while the job was a suspect; compared with the crash limit
 * @param suspect whether the job was abandoned more than once and its last delivery was,
 * so that a process runs it with no other suspect beside it
 * @param postponements times the handler put the job off without using an attempt
 * @param attempts the latest ended attempts with their errors, oldest first, bounded
 * @param end how the job died, or {@code null} while it lives
 */
public record Trail(int failures, int abandonments, int crashes, boolean suspect, int postponements,
		List<Attempt> attempts, @Nullable End end) {

	/** The trail of a job that has only been enqueued. */
	public static final Trail EMPTY = new Trail(0, 0, 0, false, 0, List.of(), null);

	/** How many attempts are remembered. */
	public static final int ATTEMPTS_KEPT = 10;

	private static final int LOGS_KEPT = 3;

	public Trail {
		attempts = List.copyOf(attempts);
	}

	/**
	 * Return the number of the attempt that runs now or will run next.
	 * @return 1 for a job that was never delivered, one more for each delivery that ended
	 * in a failure or was abandoned
	 */
	public int attempt() {
		return 1 + this.failures + this.abandonments;
	}

	/**
	 * Return whether the job was abandoned before. From then on the store knows of each
	 * delivery whether it has started, and one that has not is not charged.
	 * @return whether it was
	 */
	public boolean watched() {
		return this.abandonments > 0;
	}

	/**
	 * Return the error of the latest failed attempt.
	 * @return the error, or {@code null} if no attempt failed
	 */
	public @Nullable Attempt lastAttempt() {
		return this.attempts.isEmpty() ? null : this.attempts.get(this.attempts.size() - 1);
	}

	/**
	 * Return this trail after an attempt that failed.
	 * @param attempt the attempt
	 * @return the new trail
	 */
	public Trail failed(Attempt attempt) {
		return new Trail(this.failures + 1, this.abandonments, this.crashes, false, this.postponements, with(attempt),
				null);
	}

	/**
	 * Return this trail after a delivery that may have started and whose worker vanished.
	 * Most jobs that a dead process held are innocent, so the first abandonment costs
	 * nothing, the second makes a job a suspect, and only the abandonment of a suspect
	 * counts as a crash.
	 * @param attempt the attempt
	 * @return the new trail
	 */
	public Trail abandoned(Attempt attempt) {
		return new Trail(this.failures, this.abandonments + 1, this.suspect ? this.crashes + 1 : this.crashes,
				watched(), this.postponements, with(attempt), null);
	}

	/**
	 * Return this trail after the handler put the job off.
	 * @return the new trail
	 */
	public Trail postponed() {
		return new Trail(this.failures, this.abandonments, this.crashes, false, this.postponements + 1, this.attempts,
				null);
	}

	/**
	 * Return this trail after the job's death.
	 * @param end how it died
	 * @return the new trail
	 */
	public Trail ended(End end) {
		return new Trail(this.failures, this.abandonments, this.crashes, this.suspect, this.postponements,
				this.attempts, end);
	}

	/**
	 * Return the trail of a dead job that a person retries: the errors stay readable, all
	 * counters start again.
	 * @return the new trail
	 */
	public Trail retried() {
		return new Trail(0, 0, 0, false, 0, this.attempts, null);
	}

	private List<Attempt> with(Attempt attempt) {
		List<Attempt> all = new ArrayList<>(this.attempts);
		int older = all.size() - LOGS_KEPT;
		if (older >= 0 && all.get(older).log() != null) {
			all.set(older, all.get(older).withoutLog());
		}
		all.add(attempt);
		return (all.size() > ATTEMPTS_KEPT) ? all.subList(all.size() - ATTEMPTS_KEPT, all.size()) : all;
	}

	/**
	 * One ended attempt.
	 *
	 * @param number its number, from 1
	 * @param endedAt when it ended
	 * @param error what went wrong: bounded, without control characters
	 * @param stackTrace the stack, bounded, or {@code null} if there is none
	 * @param log the newest lines the handler wrote to its log, bounded and without
	 * control characters, or {@code null} if there are none or it is one of the older
	 * attempts
	 */
	public record Attempt(int number, Instant endedAt, String error, @Nullable String stackTrace,
			@Nullable String log) {

		/**
		 * Create an attempt that has logged nothing.
		 * @param number its number
		 * @param endedAt when it ended
		 * @param error what went wrong
		 * @param stackTrace the stack, or {@code null}
		 */
		public Attempt(int number, Instant endedAt, String error, @Nullable String stackTrace) {
			this(number, endedAt, error, stackTrace, null);
		}

		/**
		 * Return this attempt without its log.
		 * @return the attempt
		 */
		public Attempt withoutLog() {
			return new Attempt(this.number, this.endedAt, this.error, this.stackTrace, null);
		}

	}

	/**
	 * The death of a job.
	 *
	 * @param reason why
	 * @param message the last error or the reason given
	 * @param at when
	 */
	public record End(DeadReason reason, String message, Instant at) {

	}

}
