package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.BeatReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.StoreListener;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the {@link StopSuite} on the in-memory store.
 */
class InMemoryStopSuiteTests extends StopSuite {

	@Override
	protected JobStore createStore() {
		return new InMemoryJobStore();
	}

	/** No matter of the store, and it takes nearly the whole five seconds. */
	@Test
	void startThatFailsStopsWithinFiveSecondsThoughTheStoreIsSilent() {
		CountDownLatch asked = new CountDownLatch(1);
		CountDownLatch released = new CountDownLatch(1);
		JobEngine engine = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				throw new JobStoreException("no more connections", null, true);
			}

			@Override
			public BeatReply beat(WorkerBeat beat) {
				asked.countDown();
				try {
					released.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
				return super.beat(beat);
			}

		}).clock(this.clock)
			.handler(HandlerDefinition.of("hold", Object.class, (payload, context) -> JobResult.done())));
		long before = System.nanoTime();
		try {
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(engine::start)
				.withMessage("no more connections");
			assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(7));
			assertThat(asked.getCount()).as("calls that the store has not been asked for").isZero();
			assertThat(engine.isRunning()).isFalse();
		}
		finally {
			released.countDown();
		}
	}

}
