package dev.jobs.metrics;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.store.EarlyEnqueue;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.TransactionalJobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimedStoreTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final List<NewJob> JOBS = List.of(NewJob.of("id", "q", new byte[0], NOW));

	private final InMemoryJobStore memory = new InMemoryJobStore();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private @Nullable JobStore joined = this.memory;

	/** A store that can do everything. */
	private interface AbleStore extends JobStore, TransactionalJobStore, OutboxTarget, EarlyEnqueue {

	}

	private TimedStore timed() {
		AbleStore able = (AbleStore) Proxy.newProxyInstance(AbleStore.class.getClassLoader(),
				new Class<?>[] { AbleStore.class }, (proxy, method, values) -> switch (method.getName()) {
					case "as" -> Optional.of(proxy).filter(((Class<?>) values[0])::isInstance);
					case "joined" -> Optional.ofNullable(this.joined);
					case "enqueueOnce" -> this.memory.enqueueOnce(JOBS, (Duration) values[1], NOW);
					default -> enqueue(values);
				});
		return new TimedStore(able, this.registry);
	}

	@SuppressWarnings("unchecked")
	private List<Enqueued> enqueue(Object[] values) {
		List<Enqueued> enqueued = this.memory.enqueue(JOBS, NOW);
		if (values.length == 3) {
			((Consumer<List<Enqueued>>) values[2]).accept(enqueued);
		}
		return enqueued;
	}

	private long timedEnqueues() {
		return this.registry.get("jobs.store.calls").tag("verb", "enqueue").tag("outcome", "done").timer().count();
	}

	@Test
	void whatIsJoinedIsTimed() {
		JobStore joined = TransactionalJobStore.join(timed()).orElseThrow();
		assertThat(joined).isInstanceOf(TimedStore.class);
		joined.enqueue(JOBS, NOW);
		assertThat(timedEnqueues()).isOne();
	}

	@Test
	void withoutATransactionNothingIsJoined() {
		this.joined = null;
		assertThat(timed().as(TransactionalJobStore.class)).isPresent();
		assertThat(TransactionalJobStore.join(timed())).isEmpty();
	}

	@Test
	void enqueueFromAnOutboxIsTimed() {
		assertThat(timed().as(OutboxTarget.class).orElseThrow().enqueueOnce(JOBS, Duration.ofHours(1), NOW)).hasSize(1);
		assertThat(timedEnqueues()).isOne();
	}

	@Test
	void enqueueThatReturnsEarlyIsTimed() {
		List<List<Enqueued>> early = new ArrayList<>();
		List<Enqueued> enqueued = timed().as(EarlyEnqueue.class).orElseThrow().enqueue(JOBS, NOW, early::add);
		assertThat(early).containsExactly(enqueued);
		assertThat(timedEnqueues()).isOne();
	}

	@Test
	void whatTheStoreCannotDoItCannotDoEither() {
		TimedStore timed = new TimedStore(this.memory, this.registry);
		assertThat(timed.as(OutboxTarget.class)).isPresent();
		assertThat(timed.as(TransactionalJobStore.class)).isEmpty();
		assertThat(timed.as(EarlyEnqueue.class)).isEmpty();
		assertThat(TransactionalJobStore.join(timed)).isEmpty();
	}

	@Test
	void abilityThatIsNotKnownDoesNotGetPast() {
		assertThat(timed().as(AbleStore.class)).isEmpty();
	}

}
