package dev.jobs.engine.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import dev.jobs.JobStoreException;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.EventBus;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.Tallies;
import dev.jobs.engine.context.TimeKeeper;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OutboxRelay}.
 */
class OutboxRelayTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private final InMemoryJobStore memory = new InMemoryJobStore();

	private final JobStore store = (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(),
			new Class<?>[] { JobStore.class }, (proxy, method, values) -> {
				if (this.down) {
					throw JobStoreException.refused("The server is down", null, true);
				}
				if (method.getName().equals("enqueue")
						&& ((List<?>) values[0]).stream().anyMatch((job) -> ((NewJob) job).id().equals(this.refused))) {
					throw JobStoreException.refused("no no", null, false);
				}
				try {
					return method.getName().equals("time") ? Optional.ofNullable(this.time)
							: method.invoke(this.memory, values);
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			});

	private final Rows rows = new Rows();

	private final StoreClock clock = new StoreClock(() -> START, false, () -> this.nanos);

	private final EnqueueEvents events = new EnqueueEvents(new EventBus(List.of()), new Tallies());

	private final OutboxRelay relay = relay(this.clock);

	private OutboxRelay relay(StoreClock clock) {
		return new OutboxRelay(this.rows, this.store, (jobs, memory, now) -> this.store.enqueue(jobs, now),
				EnqueueGate.NO_TRANSACTION, this.events, new Refusals(clock::nanos), clock, new TimeKeeper(clock),
				Duration.ofHours(1), Duration.ZERO);
	}

	private boolean down;

	private @Nullable String refused;

	/** The time of the store's server, if it has one. */
	private @Nullable Instant time;

	private long nanos;

	private Runnable onRead = () -> {
	};

	private void put(String name) {
		assertThat(this.relay.put(List.of(NewJob.of(name, name, new byte[0], START)))).isTrue();
	}

	private List<String> arrived() {
		return this.memory.inspector().queues(START).stream().map((queue) -> queue.name()).toList();
	}

	@Test
	void jobThatIsDueLaterIsNotCarriedByTheClockOfTheMachine() {
		StoreClock machine = new StoreClock(() -> START.plus(Duration.ofHours(1)), true, () -> this.nanos);
		OutboxRelay relay = relay(machine);
		Instant due = START.plus(Duration.ofMinutes(1));
		this.rows.write(List.of(NewJob.of("later", "later", new byte[0], START).withDueAt(due)));
		this.down = true;
		relay.relayAll();
		this.down = false;
		this.time = START;
		this.nanos += Duration.ofSeconds(2).toNanos();
		relay.relayAll();
		assertThat(this.memory.inspector().queues(START)).singleElement()
			.satisfies((queue) -> assertThat(queue.scheduled()).isEqualTo(1));
	}

	@Test
	void jobThatTheStoreRefusesHoldsUpNoOtherOfItsQueue() {
		List<String> ids = List.of("a", "b", "c", "d", "e");
		this.rows.write(ids.stream().map((id) -> NewJob.of(id, "queue", new byte[0], START)).toList());
		this.refused = "b";
		this.relay.relayAll();
		assertThat(this.rows.jobs).extracting(NewJob::id).containsExactly("b");
		this.rows.write(List.of(NewJob.of("f", "queue", new byte[0], START)));
		this.relay.relayAll();
		assertThat(this.rows.jobs).extracting(NewJob::id).containsExactly("b");
		this.refused = null;
		this.nanos += Duration.ofSeconds(2).toNanos();
		this.relay.relayAll();
		assertThat(this.memory.inspector().queues(START)).singleElement()
			.satisfies((queue) -> assertThat(queue.ready()).isEqualTo(6));
	}

	/** While there is trouble, a commit wakes nobody. */
	@Test
	void jobThatIsCommittedAsTheLastTroubleEndsIsCarriedAtOnce() {
		this.down = true;
		put("first");
		this.relay.relayAll();
		assertThat(arrived()).isEmpty();
		this.down = false;
		this.nanos += Duration.ofSeconds(2).toNanos();
		this.onRead = () -> {
			this.onRead = () -> {
			};
			put("second");
		};
		this.relay.relayAll();
		assertThat(arrived()).containsExactlyInAnyOrder("first", "second");
	}

	/**
	 * An outbox in memory.
	 */
	private final class Rows implements Outbox {

		private final List<NewJob> jobs = new ArrayList<>();

		@Override
		public boolean write(List<NewJob> jobs) {
			return this.jobs.addAll(jobs);
		}

		@Override
		public int relay(int limit, Set<String> queues, Set<String> ids, Delivery delivery) {
			List<NewJob> found = this.jobs.stream()
				.filter((job) -> !queues.contains(job.name()) && !ids.contains(job.id()))
				.limit(limit)
				.toList();
			OutboxRelayTests.this.onRead.run();
			List<Boolean> arrived = delivery.take(found);
			for (int i = 0; i < found.size(); i++) {
				if (arrived.get(i)) {
					this.jobs.remove(found.get(i));
				}
			}
			return found.size();
		}

		@Override
		public Contents contents() {
			return new Contents(this.jobs.size(), 0, null);
		}

	}

}
