package dev.jobs;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The history of the attempts of a job: what has happened to it since it was enqueued.
 * Until its first attempt has ended a job has the {@link #EMPTY} trail, and stores keep
 * nothing for it. <pre class="code">{@code
 * Trail trail = job.trail();
 * Trail.Attempt last = trail.lastFailure();
 * String error = (last != null) ? last.error() : "no failure so far";
 * String line = "attempt " + trail.attempt() + ", " + trail.failures() + " failed: " + error;
 * }</pre>
 */
public final class Trail {

	/** The trail of a job that has only been enqueued. */
	public static final Trail EMPTY = new Trail(new Builder());

	/** How many attempts are remembered. */
	public static final int ATTEMPTS_KEPT = 10;

	private static final int LOGS_KEPT = 3;

	private final int failures;

	private final int abandonments;

	private final int crashes;

	private final boolean suspect;

	private final int postponements;

	private final List<Attempt> attempts;

	private final @Nullable End end;

	private Trail(Builder builder) {
		this.failures = builder.failures;
		this.abandonments = builder.abandonments;
		this.crashes = builder.crashes;
		this.suspect = builder.suspect;
		this.postponements = builder.postponements;
		this.attempts = List.copyOf(builder.attempts);
		this.end = builder.end;
	}

	/**
	 * Begin to build a trail, as stores do that read one back.
	 * @return the builder of an empty trail
	 */
	public static Builder builder() {
		return new Builder();
	}

	/**
	 * Return how many attempts failed; compared with the retry policy's limit.
	 * @return the number
	 */
	public int failures() {
		return this.failures;
	}

	/**
	 * Return how many deliveries were abandoned because their worker vanished, without
	 * those that are known not to have started.
	 * @return the number
	 */
	public int abandonments() {
		return this.abandonments;
	}

	/**
	 * Return how often the job was abandoned while it was a suspect; compared with the
	 * crash limit.
	 * @return the number
	 */
	public int crashes() {
		return this.crashes;
	}

	/**
	 * Return whether the job was abandoned more than once and its last delivery was, so
	 * that a process runs it with no other suspect beside it.
	 * @return whether it is a suspect
	 */
	public boolean suspect() {
		return this.suspect;
	}

	/**
	 * Return how many times the handler put the job off without using an attempt.
	 * @return the number
	 */
	public int postponements() {
		return this.postponements;
	}

	/**
	 * Return the latest ended attempts with their errors, oldest first, at most
	 * {@value #ATTEMPTS_KEPT}. The last one of a job that is kept as history is the one
	 * that succeeded or was cancelled, and has no error.
	 * @return the attempts
	 */
	public List<Attempt> attempts() {
		return this.attempts;
	}

	/**
	 * Return how the job died.
	 * @return how, or {@code null} while it lives
	 */
	public @Nullable End end() {
		return this.end;
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
	 * Return the latest attempt that failed or was abandoned.
	 * @return the attempt, or {@code null} if there is none
	 */
	public @Nullable Attempt lastFailure() {
		int last = this.attempts.size() - (isFinished() ? 2 : 1);
		return (last >= 0) ? this.attempts.get(last) : null;
	}

	/**
	 * Return whether the last attempt succeeded or was cancelled while it ran.
	 * @return whether it did
	 */
	public boolean isFinished() {
		return !this.attempts.isEmpty() && this.attempts.get(this.attempts.size() - 1).error() == null;
	}

	/**
	 * Return this trail after an attempt that failed.
	 * @param attempt the attempt
	 * @return the new trail
	 */
	public Trail failed(Attempt attempt) {
		return toBuilder().failures(this.failures + 1).suspect(false).attempts(with(attempt)).end(null).build();
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
		return toBuilder().abandonments(this.abandonments + 1)
			.crashes(this.suspect ? this.crashes + 1 : this.crashes)
			.suspect(watched())
			.attempts(with(attempt))
			.end(null)
			.build();
	}

	/**
	 * Return this trail after the attempt that a job ends with which is kept as history.
	 * @param attempt the attempt, without an error
	 * @return the new trail
	 */
	public Trail finished(Attempt attempt) {
		return toBuilder().suspect(false).attempts(with(attempt)).build();
	}

	/**
	 * Return this trail after the handler put the job off.
	 * @return the new trail
	 */
	public Trail postponed() {
		return toBuilder().suspect(false).postponements(this.postponements + 1).end(null).build();
	}

	/**
	 * Return this trail after the job's death.
	 * @param end how it died
	 * @return the new trail
	 */
	public Trail ended(End end) {
		return toBuilder().end(end).build();
	}

	/**
	 * Return the trail of a dead job that an operator retries: the errors stay readable,
	 * all counters start again.
	 * @return the new trail
	 */
	public Trail retried() {
		return builder().attempts(this.attempts).build();
	}

	/**
	 * Return this trail without the stacks and logs of all attempts but one.
	 */
	Trail withDetailsOf(@Nullable Attempt kept) {
		return this.attempts.isEmpty() ? this
				: toBuilder()
					.attempts(this.attempts.stream()
						.map((attempt) -> (attempt == kept) ? attempt : attempt.withStackTrace(null).withLog(null))
						.toList())
					.build();
	}

	private List<Attempt> with(Attempt attempt) {
		List<Attempt> all = new ArrayList<>(this.attempts);
		int older = all.size() - LOGS_KEPT;
		if (older >= 0 && all.get(older).log() != null) {
			all.set(older, all.get(older).withLog(null));
		}
		all.add(attempt);
		return (all.size() > ATTEMPTS_KEPT) ? all.subList(all.size() - ATTEMPTS_KEPT, all.size()) : all;
	}

	private Builder toBuilder() {
		return new Builder().failures(this.failures)
			.abandonments(this.abandonments)
			.crashes(this.crashes)
			.suspect(this.suspect)
			.postponements(this.postponements)
			.attempts(this.attempts)
			.end(this.end);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Trail trail && values().equals(trail.values());
	}

	@Override
	public int hashCode() {
		return values().hashCode();
	}

	@Override
	public String toString() {
		return "Trail[failures=%s, abandonments=%s, crashes=%s, suspect=%s, postponements=%s, attempts=%s, end=%s]"
			.formatted(values().toArray());
	}

	private List<@Nullable Object> values() {
		return Arrays.asList(this.failures, this.abandonments, this.crashes, this.suspect, this.postponements,
				this.attempts, this.end);
	}

	/**
	 * Builds a trail that was stored. What is not set is as in the {@link Trail#EMPTY}
	 * one.
	 */
	public static final class Builder {

		private int failures;

		private int abandonments;

		private int crashes;

		private boolean suspect;

		private int postponements;

		private List<Attempt> attempts = List.of();

		private @Nullable End end;

		private Builder() {
		}

		/**
		 * Set how many attempts failed.
		 * @param failures the number
		 * @return this builder
		 */
		public Builder failures(int failures) {
			this.failures = failures;
			return this;
		}

		/**
		 * Set how many deliveries were abandoned.
		 * @param abandonments the number
		 * @return this builder
		 */
		public Builder abandonments(int abandonments) {
			this.abandonments = abandonments;
			return this;
		}

		/**
		 * Set how often the job was abandoned while it was a suspect.
		 * @param crashes the number
		 * @return this builder
		 */
		public Builder crashes(int crashes) {
			this.crashes = crashes;
			return this;
		}

		/**
		 * Set whether the job is a suspect.
		 * @param suspect whether it is
		 * @return this builder
		 */
		public Builder suspect(boolean suspect) {
			this.suspect = suspect;
			return this;
		}

		/**
		 * Set how many times the handler put the job off.
		 * @param postponements the number
		 * @return this builder
		 */
		public Builder postponements(int postponements) {
			this.postponements = postponements;
			return this;
		}

		/**
		 * Set the latest ended attempts.
		 * @param attempts the attempts, oldest first
		 * @return this builder
		 */
		public Builder attempts(List<Attempt> attempts) {
			this.attempts = attempts;
			return this;
		}

		/**
		 * Set how the job died.
		 * @param end how, or {@code null} while it lives
		 * @return this builder
		 */
		public Builder end(@Nullable End end) {
			this.end = end;
			return this;
		}

		/**
		 * Build the trail.
		 * @return the trail
		 */
		public Trail build() {
			return new Trail(this);
		}

	}

	/**
	 * One ended attempt.
	 */
	public interface Attempt {

		/**
		 * Create an attempt without a stack or a log.
		 * @param number its number, from 1
		 * @param endedAt when it ended
		 * @param error what went wrong: bounded, without control characters; {@code null}
		 * if it succeeded or was cancelled
		 * @return the attempt
		 */
		static Attempt of(int number, Instant endedAt, @Nullable String error) {
			return new EndedAttempt(number, endedAt, error, null, null, null, null);
		}

		/**
		 * Return its number.
		 * @return the number, from 1
		 */
		int number();

		/**
		 * Return when it ended.
		 * @return the instant
		 */
		Instant endedAt();

		/**
		 * Return when its handler was called.
		 * @return the instant, or {@code null} if that is not known, as of an attempt
		 * whose worker vanished
		 */
		@Nullable Instant startedAt();

		/**
		 * Return the worker that ran it.
		 * @return the id of the worker, or {@code null} if that is not known
		 */
		@Nullable String worker();

		/**
		 * Return what went wrong: bounded, without control characters.
		 * @return the error, or {@code null} if it succeeded or was cancelled
		 */
		@Nullable String error();

		/**
		 * Return the stack, bounded.
		 * @return the stack, or {@code null} if there is none
		 */
		@Nullable String stackTrace();

		/**
		 * Return the newest lines that the handler wrote to its log, bounded and without
		 * control characters.
		 * @return the lines, or {@code null} if there are none or it is one of the older
		 * attempts
		 */
		@Nullable String log();

		/**
		 * Return this attempt with its start.
		 * @param startedAt when its handler was called, or {@code null} if that is not
		 * known
		 * @param worker the id of the worker that ran it, or {@code null}
		 * @return the changed attempt
		 */
		Attempt withStart(@Nullable Instant startedAt, @Nullable String worker);

		/**
		 * Return this attempt with a stack.
		 * @param stackTrace the stack, or {@code null} for none
		 * @return the changed attempt
		 */
		Attempt withStackTrace(@Nullable String stackTrace);

		/**
		 * Return this attempt with a log.
		 * @param log the lines, or {@code null} for none
		 * @return the changed attempt
		 */
		Attempt withLog(@Nullable String log);

	}

	private record EndedAttempt(int number, Instant endedAt, @Nullable String error, @Nullable Instant startedAt,
			@Nullable String worker, @Nullable String stackTrace, @Nullable String log) implements Attempt {

		@Override
		public Attempt withStart(@Nullable Instant startedAt, @Nullable String worker) {
			return new EndedAttempt(this.number, this.endedAt, this.error, startedAt, worker, this.stackTrace,
					this.log);
		}

		@Override
		public Attempt withStackTrace(@Nullable String stackTrace) {
			return new EndedAttempt(this.number, this.endedAt, this.error, this.startedAt, this.worker, stackTrace,
					this.log);
		}

		@Override
		public Attempt withLog(@Nullable String log) {
			return new EndedAttempt(this.number, this.endedAt, this.error, this.startedAt, this.worker, this.stackTrace,
					log);
		}

	}

	/**
	 * The death of a job.
	 */
	public interface End {

		/**
		 * Create an end.
		 * @param reason why
		 * @param message the last error or the reason given
		 * @param at when
		 * @return the end
		 */
		static End of(DeadReason reason, String message, Instant at) {
			return new Death(reason, message, at);
		}

		/**
		 * Return why the job died.
		 * @return the reason
		 */
		DeadReason reason();

		/**
		 * Return the last error or the reason given.
		 * @return the text
		 */
		String message();

		/**
		 * Return when the job died.
		 * @return the instant
		 */
		Instant at();

	}

	private record Death(DeadReason reason, String message, Instant at) implements End {

	}

}
