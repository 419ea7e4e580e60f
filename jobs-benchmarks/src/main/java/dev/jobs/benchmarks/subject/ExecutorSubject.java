package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Pings;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.load.Timetable;

/**
 * The floor of everything in memory: the JDK's executors, with the same JSON written and
 * read. They keep no promise that a job needs: no name, no lease, no retry, nothing to be
 * seen.
 */
final class ExecutorSubject implements Subject {

	@Override
	public long drain(Load load) {
		Arrivals arrivals = new Arrivals(load.jobs());
		BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
		for (int job = 0; job < load.jobs(); job++) {
			queue.add(new Decode(Payload.encoded(job), (payload) -> arrivals.arrived()));
		}
		ThreadPoolExecutor executor = executor(load, queue);
		System.gc();
		long started = System.nanoTime();
		executor.prestartAllCoreThreads();
		arrivals.awaitAll();
		long took = System.nanoTime() - started;
		executor.shutdownNow();
		arrivals.requireExact();
		return took;
	}

	@Override
	public long enqueue(Load load, int threads, int batch) {
		BlockingQueue<byte[]> queue = new LinkedBlockingQueue<>();
		System.gc();
		return Producers.time(load.jobs(), threads, batch, (from, to) -> {
			List<byte[]> encoded = new ArrayList<>(to - from);
			for (int job = from; job < to; job++) {
				encoded.add(Payload.encoded(job));
			}
			queue.addAll(encoded);
		});
	}

	@Override
	public long[] latencies(Load load, Duration pause) {
		Pings pings = new Pings(load.jobs());
		ThreadPoolExecutor executor = executor(load, new LinkedBlockingQueue<>());
		executor.prestartAllCoreThreads();
		try {
			return pings.time(pause, (job) -> executor
				.execute(new Decode(Payload.encoded(job), (payload) -> pings.arrived(payload.i()))));
		}
		finally {
			executor.shutdownNow();
		}
	}

	@Override
	public long[] lateness(Load load, Duration time) {
		Timetable timetable = new Timetable(load.jobs(), time);
		ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(load.concurrency());
		try {
			for (int job = 0; job < load.jobs(); job++) {
				executor.schedule(new Decode(Payload.encoded(job), (payload) -> timetable.started(payload.i())),
						timetable.nanosUntil(job), TimeUnit.NANOSECONDS);
			}
			return timetable.awaitLateness();
		}
		finally {
			executor.shutdownNow();
		}
	}

	@Override
	public Idling idle(Load load) {
		ThreadPoolExecutor executor = executor(load, new LinkedBlockingQueue<>());
		executor.prestartAllCoreThreads();
		return new Idling() {

			@Override
			public Map<String, Long> counts() {
				return Map.of(STORE_CALLS, 0L);
			}

			@Override
			public void close() {
				executor.shutdownNow();
			}

		};
	}

	private static ThreadPoolExecutor executor(Load load, BlockingQueue<Runnable> queue) {
		return new ThreadPoolExecutor(load.concurrency(), load.concurrency(), 0, TimeUnit.SECONDS, queue);
	}

	/**
	 * Decodes a payload and hands it over.
	 *
	 * @param encoded the payload
	 * @param handler takes it
	 */
	private record Decode(byte[] encoded, Consumer<Payload> handler) implements Runnable {

		@Override
		public void run() {
			if (Payload.READER.read(this.encoded) instanceof Payload payload) {
				this.handler.accept(payload);
			}
		}

	}

}
