package dev.jobs.store.memory;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.store.Change;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for the capacity of the {@link InMemoryJobStore}; its verbs are tested by the
 * contract.
 */
class InMemoryJobStoreTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final InMemoryJobStore store = new InMemoryJobStore(2);

	private static NewJob job(String id) {
		return NewJob.of(id, "q", new byte[0], NOW);
	}

	private long stored() {
		return this.store.inspector().queues(NOW).stream().mapToLong((queue) -> queue.ready()).sum();
	}

	@Test
	void batchBeyondTheCapacityStoresNothingAndMayGoWellLater() {
		this.store.enqueue(List.of(job("a")), NOW);
		assertThatExceptionOfType(JobStoreException.class)
			.isThrownBy(() -> this.store.enqueue(List.of(job("b"), job("c")), NOW))
			.matches(JobStoreException::isTemporary);
		assertThat(stored()).isEqualTo(1);
		this.store.change(List.of(new Change.Delete("a")), NOW);
		this.store.enqueue(List.of(job("b"), job("c")), NOW);
		assertThat(stored()).isEqualTo(2);
	}

	@Test
	void repeatedEnqueueIsAnsweredByAFullStore() {
		List<NewJob> jobs = List.of(job("a"), job("b"));
		List<Enqueued> reply = this.store.enqueue(jobs, NOW);
		assertThat(this.store.enqueue(jobs, NOW)).isEqualTo(reply);
	}

	@Test
	void tickBeyondTheCapacityIsNotClaimed() {
		this.store.enqueue(List.of(job("a"), job("b")), NOW);
		Tick tick = Tick.of(new NewSchedule("s", "def", "q"), NOW, job("c"));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.store.fireTicks(List.of(tick), NOW));
		this.store.change(List.of(new Change.Delete("a")), NOW);
		assertThat(this.store.fireTicks(List.of(tick), NOW).get(0).enqueued()).isNotNull();
	}

	@Test
	void fullStoreTakesTicksThatNeedNoRoom() {
		Tick fired = Tick.of(new NewSchedule("fired", "def", "q"), NOW, job("a"));
		Tick paused = Tick.of(new NewSchedule("paused", "def", "q"), NOW, job("b"));
		Tick registered = Tick.of(new NewSchedule("new", "def", "q"), NOW, null);
		this.store.change(List.of(new Change.PauseSchedule("paused")), NOW);
		this.store.fireTicks(List.of(fired), NOW);
		this.store.enqueue(List.of(job("c")), NOW);
		this.store.change(List.of(new Change.Delete("a")), NOW);
		this.store.enqueue(List.of(job("d")), NOW);
		assertThat(this.store.fireTicks(List.of(fired, fired.with(job("e")), paused, registered), NOW))
			.extracting(TickReply::latest, TickReply::repeated)
			.containsExactly(tuple(NOW, true), tuple(NOW, false), tuple(NOW, false), tuple(NOW, false));
		assertThat(stored()).isEqualTo(2);
	}

	@Test
	void capacityMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new InMemoryJobStore(0));
	}

}
