package dev.jobs.store.support;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;

/**
 * A value that was read from a store at most a short while ago. A separate thread reads
 * it once in that time, however many callers ask, and no caller waits long for a store
 * that hangs. Safe for use by many threads.
 *
 * @param <T> what is read
 */
public final class TimedCache<T> {

	private final Supplier<T> read;

	private final InstantSource clock;

	private final Duration age;

	private final Duration patience;

	private @Nullable Look<T> latest;

	/**
	 * Create a cache without a value.
	 * @param read reads it
	 * @param clock the clock
	 * @param age how old it may be
	 * @param patience how long a reading is waited for
	 */
	public TimedCache(Supplier<T> read, InstantSource clock, Duration age, Duration patience) {
		this.read = read;
		this.clock = clock;
		this.age = age;
		this.patience = patience;
	}

	/**
	 * Return what was read.
	 * @throws JobStoreException if it could not be read in time
	 */
	public T get() {
		Look<T> look = look();
		long left = this.patience.minus(Duration.between(look.begin, this.clock.instant())).toMillis();
		try {
			return look.answer.get(Math.max(Math.min(left, this.patience.toMillis()), 0), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof JobStoreException fault) ? fault
					: new JobStoreException("The store cannot be read: " + ex.getCause(), ex.getCause(), true);
		}
		catch (TimeoutException ex) {
			throw new JobStoreException("The store did not answer within " + this.patience.toMillis() + " ms", ex,
					true);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new JobStoreException("Interrupted while waiting for the store", ex, true);
		}
	}

	/**
	 * Begin to read now, unless the value was read a short while ago, and do not wait.
	 */
	public void refresh() {
		look();
	}

	private synchronized Look<T> look() {
		Instant now = this.clock.instant();
		Look<T> look = this.latest;
		if (look == null || (look.answer.isDone() && !look.isRecent(now, this.age))) {
			look = new Look<>(now, new CompletableFuture<>());
			this.latest = look;
			start(look.answer);
		}
		return look;
	}

	private void start(CompletableFuture<T> answer) {
		Thread thread = new Thread(() -> {
			try {
				answer.complete(this.read.get());
			}
			catch (Throwable ex) {
				answer.completeExceptionally(ex);
			}
		}, "jobs-look");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * One reading.
	 *
	 * @param begin when it began
	 * @param answer what was read, once it is
	 */
	private record Look<T>(Instant begin, CompletableFuture<T> answer) {

		/**
		 * Return whether the value is recent enough. A value from the future is not,
		 * since then the clock was set back.
		 */
		boolean isRecent(Instant now, Duration age) {
			return !now.isBefore(this.begin) && now.isBefore(this.begin.plus(age));
		}

	}

}
