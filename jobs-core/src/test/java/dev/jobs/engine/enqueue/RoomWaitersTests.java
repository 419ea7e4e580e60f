package dev.jobs.engine.enqueue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.store.JobStore;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RoomWaiters}.
 */
class RoomWaitersTests {

	private static final Enqueued FULL = Enqueued.of("id", Outcome.FULL, Instant.EPOCH);

	private static final Enqueued NEW = Enqueued.of("id", Outcome.NEW, Instant.EPOCH);

	private final AtomicReference<StoreListener> listener = new AtomicReference<>();

	private final JobStore store = (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(),
			new Class<?>[] { JobStore.class }, (proxy, method, values) -> {
				assertThat(method.getName()).isEqualTo("listen");
				this.listener.set((StoreListener) values[0]);
				return (Subscription) () -> {
				};
			});

	private final RoomWaiters waiters = new RoomWaiters(this.store, new StoreClock(InstantSource.system(), true));

	/** So many tries would take minutes if each waited for the recheck. */
	@Test
	void producerTriesAgainAsSoonAsTheStoreSignalsRoom() {
		AtomicInteger tries = new AtomicInteger();
		Enqueued last = this.waiters.retry("a", Duration.ofSeconds(30), FULL, () -> {
			this.listener.get().room("a");
			return (tries.incrementAndGet() < 1000) ? FULL : NEW;
		});
		assertThat(last).isEqualTo(NEW);
		assertThat(tries).hasValue(1000);
	}

}
