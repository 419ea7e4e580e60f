package dev.jobs.store.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Threads that start at the same moment.
 */
final class Race {

	private static final int TIMEOUT_SECONDS = 60;

	private Race() {
	}

	/**
	 * Run a task on several threads at once.
	 * @param threads how many
	 * @param task the task, given the number of its thread
	 * @return the results, in no order
	 */
	static <T> List<T> run(int threads, IntFunction<T> task) {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			CountDownLatch start = new CountDownLatch(1);
			List<Future<T>> futures = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				int number = i;
				futures.add(executor.submit(() -> {
					start.await();
					return task.apply(number);
				}));
			}
			start.countDown();
			List<T> results = new ArrayList<>();
			for (Future<T> future : futures) {
				results.add(future.get(TIMEOUT_SECONDS, TimeUnit.SECONDS));
			}
			return results;
		}
		catch (Exception ex) {
			throw new AssertionError("A thread failed", ex);
		}
		finally {
			executor.shutdownNow();
		}
	}

}
