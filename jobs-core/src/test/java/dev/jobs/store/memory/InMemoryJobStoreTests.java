package dev.jobs.store.memory;

import java.time.Instant;
import java.util.List;

import dev.jobs.Enqueued;
import dev.jobs.JobStoreException;
import dev.jobs.store.Change;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
		Tick tick = new Tick(new NewSchedule("s", "def", "q"), NOW, job("c"));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> this.store.fireTicks(List.of(tick), NOW));
		this.store.change(List.of(new Change.Delete("a")), NOW);
		assertThat(this.store.fireTicks(List.of(tick), NOW).get(0).enqueued()).isNotNull();
	}

	@Test
	void capacityMustBePositive() {
		assertThatIllegalArgumentException().isThrownBy(() -> new InMemoryJobStore(0));
	}

}
