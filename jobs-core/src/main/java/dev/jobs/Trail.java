package dev.jobs;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The record of the attempts of a job: what has happened to it since it was enqueued.
 * Until its first attempt has ended a job has the {@link #EMPTY} trail, and stores keep
 * nothing for it. Only the engine and stores make trails. <pre class="code">{@code
 * Trail trail = job.trail();
 * Trail.Attempt last = trail.lastFailure();
 * String error = (last != null) ? last.error() : "no failure so far";
 * String line = "attempt " + trail.attempt() + ", " + trail.failures() + " failed: " + error;
 * }</pre>
 */
public interface Trail {

	/** The trail of a job that has only been enqueued. */
	Trail EMPTY = new Trail() {

		@Override
		public String toString() {
			return "Trail[empty]";
		}

	};

	/** How many attempts are remembered. */
	int ATTEMPTS_KEPT = 10;

	/**
	 * Return how many attempts failed; compared with the retry policy's limit.
	 */
	default int failures() {
		return 0;
	}

	/**
	 * Return how many deliveries were abandoned because their worker vanished. Deliveries
	 * that are known not to have started do not count.
	 */
	default int abandonments() {
		return 0;
	}

	/**
	 * Return how often the job was abandoned while it was a suspect; compared with the
	 * crash limit.
	 */
	default int crashes() {
		return 0;
	}

	/**
	 * Return whether the job was abandoned more than once, its last delivery included, so
	 * that a process runs it with no other suspect beside it.
	 * @return whether it is a suspect
	 */
	default boolean suspect() {
		return false;
	}

	/**
	 * Return how often the handler put the job off without using an attempt.
	 */
	default int postponements() {
		return 0;
	}

	/**
	 * Return the latest ended attempts with their errors, oldest first, at most
	 * {@value #ATTEMPTS_KEPT}. The last one of a job that is kept as history is the one
	 * that succeeded or was cancelled, and has no error.
	 */
	default List<Attempt> attempts() {
		return List.of();
	}

	/**
	 * Return how the job died.
	 * @return how, or {@code null} while it lives
	 */
	default @Nullable End end() {
		return null;
	}

	/**
	 * Return what the job waits for.
	 * @return what, or {@code null} if it never waited for anything but its time; it
	 * counts only while the job is {@link JobState#WAITING}
	 */
	default @Nullable Wait waitsFor() {
		return null;
	}

	/**
	 * Return the number of the attempt that runs now or will run next.
	 * @return 1 for a job that was never delivered, one more for each delivery that ended
	 * in a failure or was abandoned
	 */
	default int attempt() {
		return 1 + failures() + abandonments();
	}

	/**
	 * Return whether the job was abandoned before. From then on the store knows whether a
	 * delivery has started, and does not charge one that has not.
	 */
	default boolean watched() {
		return abandonments() > 0;
	}

	/**
	 * Return the latest attempt that failed or was abandoned.
	 * @return the attempt, or {@code null} if none
	 */
	default @Nullable Attempt lastFailure() {
		int last = attempts().size() - (isFinished() ? 2 : 1);
		return (last >= 0) ? attempts().get(last) : null;
	}

	/**
	 * Return whether the last attempt succeeded or was cancelled while it ran.
	 */
	default boolean isFinished() {
		return !attempts().isEmpty() && attempts().get(attempts().size() - 1).error() == null;
	}

	/**
	 * One ended attempt.
	 */
	interface Attempt {

		/**
		 * Create an attempt without a stack or a log.
		 * @param number its number, from 1
		 * @param endedAt when it ended
		 * @param error what went wrong: bounded, without control characters; {@code null}
		 * if it succeeded or was cancelled
		 */
		static Attempt of(int number, Instant endedAt, @Nullable String error) {
			record EndedAttempt(int number, Instant endedAt, @Nullable String error, @Nullable Instant startedAt,
					@Nullable String worker, @Nullable String stackTrace, @Nullable String log) implements Attempt {

				@Override
				public Attempt withStart(@Nullable Instant startedAt, @Nullable String worker) {
					return new EndedAttempt(this.number, this.endedAt, this.error, startedAt, worker, this.stackTrace,
							this.log);
				}

				@Override
				public Attempt withStackTrace(@Nullable String stackTrace) {
					return new EndedAttempt(this.number, this.endedAt, this.error, this.startedAt, this.worker,
							stackTrace, this.log);
				}

				@Override
				public Attempt withLog(@Nullable String log) {
					return new EndedAttempt(this.number, this.endedAt, this.error, this.startedAt, this.worker,
							this.stackTrace, log);
				}

			}
			return new EndedAttempt(number, endedAt, error, null, null, null, null);
		}

		/**
		 * Return its number.
		 * @return the number, from 1
		 */
		int number();

		/**
		 * Return when it ended.
		 */
		Instant endedAt();

		/**
		 * Return when its handler was called.
		 * @return the instant, or {@code null} if that is not known, for example if its
		 * worker vanished
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
		 * @return the stack, or {@code null} if none
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
		 */
		Attempt withStart(@Nullable Instant startedAt, @Nullable String worker);

		/**
		 * Return this attempt with a stack.
		 * @param stackTrace the stack, or {@code null} for none
		 */
		Attempt withStackTrace(@Nullable String stackTrace);

		/**
		 * Return this attempt with a log.
		 * @param log the lines, or {@code null} for none
		 */
		Attempt withLog(@Nullable String log);

	}

	/**
	 * What a job waits for.
	 */
	interface Wait {

		/** Begins the text of a signal, which no id of a job does. */
		String SIGNAL = "signal:";

		/**
		 * Create a wait.
		 * @param thing the id of a job, or the text of a signal
		 * @param since since when
		 */
		static Wait of(String thing, Instant since) {
			record ForThing(String thing, Instant since) implements Wait {

			}
			return new ForThing(thing, since);
		}

		/**
		 * Return the id of a job, or the text of a signal.
		 */
		String thing();

		/**
		 * Return since when.
		 */
		Instant since();

		/**
		 * Return the signal: its name and its subject with a slash between them.
		 * @return the signal, or {@code null} if the job waits for another job
		 */
		default @Nullable String signal() {
			return thing().startsWith(SIGNAL) ? thing().substring(SIGNAL.length()) : null;
		}

		/**
		 * Return the job that is waited for.
		 * @return its id, or {@code null} if the job waits for a signal
		 */
		default @Nullable String job() {
			return (signal() == null) ? thing() : null;
		}

	}

	/**
	 * The death of a job.
	 */
	interface End {

		/**
		 * Create an end.
		 * @param reason why
		 * @param message the last error or the reason given
		 * @param at when
		 */
		static End of(DeadReason reason, String message, Instant at) {
			record Death(DeadReason reason, String message, Instant at) implements End {

			}
			return new Death(reason, message, at);
		}

		/**
		 * Return why the job died.
		 */
		DeadReason reason();

		/**
		 * Return the last error or the reason given.
		 */
		String message();

		/**
		 * Return when the job died.
		 */
		Instant at();

	}

}
