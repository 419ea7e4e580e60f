package dev.jobs.store.redis.wire;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.lettuce.core.RedisNoScriptException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for futures, at most for a time-out and through interruptions.
 */
final class Futures {

	/**
	 * The part of the time-out that is left once another call sent with it is answered.
	 */
	private static final int PATIENCE_DIVISOR = 4;

	private Futures() {
	}

	/**
	 * Wait for a result.
	 */
	static <T> T get(Future<T> future, Duration timeout) throws TimeoutException, ExecutionException {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof TimeoutException late) {
				throw late;
			}
			throw ex;
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	/**
	 * Wait for several results. After the first, the others have a short time left.
	 */
	static void forAll(List<? extends CompletableFuture<?>> answers, Duration timeout) {
		CompletableFuture<?> all = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
		CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
		all.whenComplete((done, ex) -> first.complete(null));
		answers.forEach((answer) -> answer.whenComplete((reply, ex) -> {
			if (ex == null || ex instanceof RedisNoScriptException) {
				first.complete(null);
			}
		}));
		Duration patience = timeout.dividedBy(PATIENCE_DIVISOR);
		waitFor(all, patience);
		if (!first.isDone()) {
			waitFor(first, timeout.minus(patience));
			waitFor(all, first.isDone() ? patience : Duration.ZERO);
		}
	}

	private static void waitFor(Future<?> future, Duration timeout) {
		try {
			get(future, timeout);
		}
		catch (TimeoutException | CancellationException | ExecutionException ex) {
			// whoever reads the result gets the exception
		}
	}

}
