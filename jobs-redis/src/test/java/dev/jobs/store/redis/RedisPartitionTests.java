package dev.jobs.store.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobStoreException;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RedisJobStore} when the stored number of partitions was changed.
 */
class RedisPartitionTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final List<String> QUEUES = IntStream.range(0, 12).mapToObj((i) -> "queue-" + i).toList();

	private final String namespace = TestRedis.newNamespace();

	private final String key = "{" + this.namespace + ":0}:partitions";

	private final RedisCommands<String, String> server = TestRedis.commands();

	@AfterEach
	void deleteKeys() {
		this.server.keys("{" + this.namespace + ":*").forEach(this.server::del);
	}

	private RedisJobStore open() {
		return new RedisJobStore(TestRedis.factory(), this.namespace);
	}

	private void enqueue() {
		try (RedisJobStore store = open()) {
			enqueue(store, QUEUES);
		}
	}

	private static void enqueue(RedisJobStore store, List<String> queues) {
		store.enqueue(queues.stream().map((queue) -> NewJob.of(queue + "-job", queue, new byte[] { 1 }, NOW)).toList(),
				NOW);
	}

	private static Stream<String> claim(RedisJobStore store) {
		store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
		List<Quota> quotas = QUEUES.stream().map((queue) -> Quota.of(queue, 9)).toList();
		return store.claim(new ClaimRequest("w", quotas, 100, NOW))
			.claims()
			.stream()
			.map((claim) -> claim.job().name());
	}

	/** By chance a namespace has the same first partition with one and with six. */
	@ParameterizedTest
	@CsvSource({ "1, 6", "1, 2", "1, 999", "6, 1", "6, 5", "6, 12", "1, 6", "6, 1", "1, 6", "6, 1", "1, 6", "6, 1" })
	void numberThatTheStoredQueuesDoNotFitIsRefusedUntilItIsSetRight(String right, String wrong) {
		this.server.set(this.key, right);
		enqueue();
		this.server.set(this.key, wrong);
		try (RedisJobStore store = open()) {
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> enqueue(store, List.of("new")))
				.withMessageContaining("'" + this.key + "' holds " + wrong)
				.withMessageEndingWith("set it to " + right)
				.matches((ex) -> !ex.isTemporary());
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> claim(store));
			this.server.set(this.key, right);
			assertThat(claim(store)).containsExactlyElementsOf(QUEUES);
		}
	}

	@RepeatedTest(4)
	void numberThatWasLostIsThatWhichTheStoredQueuesFit() {
		this.server.set(this.key, "6");
		enqueue();
		this.server.del(this.key);
		try (RedisJobStore store = open()) {
			assertThat(claim(store)).containsExactlyElementsOf(QUEUES);
		}
		assertThat(this.server.get(this.key)).isEqualTo("6");
	}

	@RepeatedTest(4)
	void numberIsBelievedIfTheStoredQueuesFitNoOther() {
		this.server.set(this.key, "6");
		enqueue();
		this.server.hset("{" + this.namespace + ":0}:queues",
				Map.of("stray", "a1:00:0:2:-10:0:", "stray-2", "a1:00:0:2:-10:0:"));
		try (RedisJobStore store = open()) {
			assertThat(claim(store)).containsExactlyElementsOf(QUEUES);
		}
	}

	/**
	 * Its share has the last job with a lane, so that the queue has no lanes any more.
	 */
	@Test
	void claimOfSeveralPartitionsReportsThatTheLastJobHadNoLane() {
		assertThat(laneReported("", Map.of(Job.LANE_HEADER, "k"))).isEmpty();
	}

	@Test
	void claimOfSeveralPartitionsReportsTheLaneThatWasAskedIfThereAreNone() {
		assertThat(laneReported("x", Map.of())).isEqualTo("x");
	}

	/**
	 * Claim two jobs of a queue of which one is its share.
	 * @param after the lane that gave jobs before
	 * @param headers those of the first job; the other has none
	 * @return the lane that is said to have given jobs last
	 */
	private String laneReported(String after, Map<String, String> headers) {
		this.server.set(this.key, "6");
		String queue = QUEUES.get(0);
		try (RedisJobStore store = open()) {
			store.enqueue(List.of(NewJob.of("first", queue, new byte[0], NOW).withHeaders(headers),
					NewJob.of("second", queue, new byte[0], NOW)), NOW);
			store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
			List<Quota> quotas = QUEUES.stream()
				.map((each) -> Quota.of(each, 9).withShare(1).withLanes(0, after))
				.toList();
			ClaimReply reply = store.claim(new ClaimRequest("w", quotas, 100, NOW));
			assertThat(reply.claims()).extracting((claim) -> claim.job().id()).containsExactly("first", "second");
			return reply.queues()
				.stream()
				.filter((left) -> left.queue().equals(queue))
				.map(ClaimReply.Left::lane)
				.findFirst()
				.orElseThrow();
		}
	}

}
