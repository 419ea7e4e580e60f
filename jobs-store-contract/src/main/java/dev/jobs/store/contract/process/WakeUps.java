package dev.jobs.store.contract.process;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleConsumer;
import java.util.function.Supplier;

import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Measures how soon an idle engine of this process starts jobs that another process
 * enqueues one by one, as {@link JobsMain} does in the role pace.
 */
public final class WakeUps {

	private final BlockingQueue<Duration> waits = new LinkedBlockingQueue<>();

	/**
	 * Expect of an idle engine of a hundred threads that twenty seconds cost little and
	 * that it starts jobs at once after them. These are like any other twenty.
	 * @param store its store
	 * @param processes starts the other process
	 * @param reset forgets what was counted
	 * @param expectLittle looks at what was counted, in as many seconds
	 */
	public static void expectOfAnIdlePool(JobStore store, Supplier<JobsProcess> processes, Runnable reset,
			DoubleConsumer expectLittle) throws InterruptedException {
		WakeUps wakeUps = new WakeUps();
		JobEngineBuilder builder = new JobEngineBuilder(store).concurrency(100).handler(wakeUps.handler());
		for (int i = 0; i < 4; i++) {
			builder.handler(HandlerDefinition.of("queue-" + i, Object.class, (payload, context) -> JobResult.done()));
		}
		JobEngine engine = builder.build();
		engine.start();
		try (JobsProcess producer = processes.get()) {
			producer.await("up");
			wakeUps.awaitOne();
			reset.run();
			long from = System.nanoTime();
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.until(() -> System.nanoTime() - from > Duration.ofSeconds(20).toNanos());
			expectLittle.accept((System.nanoTime() - from) / 1e9);
			wakeUps.expectStartsAtOnce(producer);
		}
		finally {
			engine.stopNow();
		}
	}

	/**
	 * Return the handler of the jobs.
	 */
	private HandlerDefinition handler() {
		return HandlerDefinition.of("work", Long.class, (sent, context) -> {
			this.waits.add(Duration.ofMillis(System.currentTimeMillis() - sent));
			return JobResult.done();
		});
	}

	/**
	 * Wait until a job has started that says nothing about the time.
	 */
	private void awaitOne() throws InterruptedException {
		assertThat(this.waits.poll(30, TimeUnit.SECONDS)).isNotNull();
	}

	/**
	 * Let the other process enqueue and expect that its jobs start at once. One that is
	 * not signalled waits for the poll, two and a half seconds on average. A machine that
	 * is busy holds some up, but not half of them.
	 * @param producer the other process
	 */
	private void expectStartsAtOnce(JobsProcess producer) throws InterruptedException {
		this.waits.clear();
		List<Duration> all = new ArrayList<>();
		try (Lateness lateness = new Lateness()) {
			producer.say("go");
			for (int i = 0; i < JobsMain.PACED; i++) {
				Duration wait = this.waits.poll(30, TimeUnit.SECONDS);
				assertThat(wait).as("job %d of %d", i, JobsMain.PACED).isNotNull();
				all.add(wait);
			}
			List<Duration> sorted = all.stream().sorted().toList();
			assertThat(sorted.get(sorted.size() / 2)).as("median of %s", all)
				.isLessThan(lateness.allowEach(Duration.ofMillis(100)));
			assertThat(sorted.get(sorted.size() * 99 / 100 - 1)).as("99th percentile of %s", all)
				.isLessThan(lateness.allowEach(Duration.ofSeconds(1)));
		}
	}

}
