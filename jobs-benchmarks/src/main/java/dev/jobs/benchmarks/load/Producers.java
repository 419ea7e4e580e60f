package dev.jobs.benchmarks.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Threads that enqueue at the same time, each its part of the jobs, batch by batch.
 */
public final class Producers {

	private Producers() {
	}

	/**
	 * Have the jobs enqueued.
	 * @param jobs how many there are
	 * @param threads how many threads share them
	 * @param batch how many go into one call
	 * @param enqueue enqueues the jobs from one number up to, but not including, another
	 * @return how long that took, in nanoseconds
	 */
	public static long time(int jobs, int threads, int batch, Range enqueue) {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			CountDownLatch start = new CountDownLatch(1);
			List<Future<?>> ends = new ArrayList<>();
			for (int thread = 0; thread < threads; thread++) {
				int from = (int) ((long) jobs * thread / threads);
				int to = (int) ((long) jobs * (thread + 1) / threads);
				ends.add(executor.submit(() -> {
					start.await();
					for (int next = from; next < to; next += batch) {
						enqueue.accept(next, Math.min(next + batch, to));
					}
					return null;
				}));
			}
			long started = System.nanoTime();
			start.countDown();
			for (Future<?> end : ends) {
				end.get();
			}
			return System.nanoTime() - started;
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException("An enqueue failed", ex);
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * Takes a range of jobs.
	 */
	@FunctionalInterface
	public interface Range {

		void accept(int from, int to);

	}

}
