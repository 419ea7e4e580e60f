package dev.jobs.store.contract.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import dev.jobs.HandlerOptions;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about sharing a pool among its handlers.
 */
public abstract class PrioritySuite extends EngineSuite {

	private final List<String> picks = Collections.synchronizedList(new ArrayList<>());

	@ParameterizedTest
	@ValueSource(ints = { 1, 20 })
	void backlogsShareAPoolByTheirWeights(int concurrency) {
		JobEngine engine = build(
				builder().handler(weighing("high", 900)).handler(weighing("low", 100)).concurrency(concurrency));
		backlog(engine, "low", 200);
		backlog(engine, "high", 700);
		engine.runUntilIdle();
		assertThat(share("high", 700)).isBetween(0.85, 0.95);
	}

	@Test
	void backlogsShareAPoolByTheirWeightsWithThreads() {
		JobEngine engine = build(builder().handler(weighing("high", 900)).handler(weighing("low", 100)).concurrency(4));
		// Many, since a claim takes up to 2000, those of one queue before those of the
		// other.
		backlog(engine, "low", 2000);
		backlog(engine, "high", 10_000);
		engine.start();
		await("all have run", () -> this.picks.size() == 12_000);
		assertThat(share("high", 10_000)).isBetween(0.85, 0.95);
	}

	@Test
	void overwhelmingWeightTakesNearlyAll() {
		JobEngine engine = build(builder().handler(weighing("high", 10_000)).handler(weighing("low", 1)));
		backlog(engine, "low", 100);
		backlog(engine, "high", 3000);
		engine.runUntilIdle();
		assertThat(share("high", 3000)).isGreaterThanOrEqualTo(0.998);
	}

	@Test
	void equalWeightsShareAPoolEqually() {
		JobEngine engine = build(builder().handler(weighing("one", 1)).handler(weighing("other", 1)));
		backlog(engine, "one", 1200);
		backlog(engine, "other", 1200);
		engine.runUntilIdle();
		assertThat(share("one", 2000)).isBetween(0.44, 0.56);
	}

	@Test
	void lowWeightHasThePoolForItselfWhileTheOthersAreEmpty() {
		JobEngine engine = build(builder().handler(weighing("high", 100_000)).handler(weighing("low", 1)));
		backlog(engine, "low", 500);
		engine.runUntilIdle();
		assertThat(this.picks).hasSize(500);
	}

	@Test
	void weightOfZeroIsOne() {
		assertThat(HandlerOptions.of((set) -> set.priority(0)).getPriority()).isEqualTo(1);
	}

	@ParameterizedTest
	@ValueSource(ints = { -1, 100_001, Integer.MAX_VALUE })
	void weightOutOfItsRangeIsRefused(int priority) {
		assertThatIllegalArgumentException().isThrownBy(() -> HandlerOptions.of((set) -> set.priority(priority)))
			.withMessageContainingAll("'priority'", "100000", String.valueOf(priority));
	}

	@Test
	void greatestWeightIsTaken() {
		assertThat(HandlerOptions.of((set) -> set.priority(100_000)).getPriority()).isEqualTo(100_000);
	}

	@Test
	void emptyQueuesOfGreatWeightDoNotSlowOthers() {
		assertThat(claimsFor(1000, false)).isLessThan(100);
	}

	@Test
	void pausedBacklogOfGreatWeightDoesNotSlowOthers() {
		assertThat(claimsFor(1000, true)).isLessThan(100);
	}

	@Test
	void fewQueuesAreAskedAtOnceWhileTheseHavePlenty() {
		List<Integer> asked = queuesAskedByEachClaim(20);
		assertThat(asked.get(0)).isEqualTo(100);
		assertThat(asked.subList(1, 10)).allMatch((queues) -> queues <= 16);
	}

	@Test
	void manyQueuesAreAskedAtOnceWhileTheseHaveLittle() {
		assertThat(queuesAskedByEachClaim(1)).hasSizeLessThan(5);
	}

	/**
	 * Run jobs of a hundred queues, fifty at once.
	 */
	private List<Integer> queuesAskedByEachClaim(int jobsInEach) {
		List<Integer> asked = new ArrayList<>();
		JobEngineBuilder builder = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public ClaimReply claim(ClaimRequest request) {
				asked.add(request.quotas().size());
				return super.claim(request);
			}

		}).clock(this.clock).concurrency(50);
		IntStream.range(0, 100).forEach((i) -> builder.handler(weighing("queue-" + i, 1)));
		JobEngine engine = build(builder);
		IntStream.range(0, 100).forEach((i) -> backlog(engine, "queue-" + i, jobsInEach));
		assertThat(engine.runUntilIdle()).isEqualTo(100 * jobsInEach);
		return asked;
	}

	/**
	 * Run jobs of little weight beside fifty queues of great weight.
	 * @return how many calls of the store it took
	 */
	private int claimsFor(int count, boolean pausedBacklog) {
		AtomicInteger claims = new AtomicInteger();
		JobEngineBuilder builder = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public ClaimReply claim(ClaimRequest request) {
				claims.incrementAndGet();
				return super.claim(request);
			}

		}).clock(this.clock).concurrency(20).handler(weighing("low", 1));
		for (int i = 0; i < 50; i++) {
			builder.handler(weighing("high-" + i, 100_000));
		}
		JobEngine engine = build(builder);
		for (int i = 0; i < 50 && pausedBacklog; i++) {
			engine.operations().queue("high-" + i).pause();
			engine.client().enqueue("high-" + i);
		}
		backlog(engine, "low", count);
		assertThat(engine.runUntilIdle()).isEqualTo(count);
		return claims.get();
	}

	private HandlerDefinition weighing(String name, int priority) {
		return HandlerDefinition.of(name, Object.class, (payload, context) -> {
			this.picks.add(context.name());
			return JobResult.done();
		}).with(HandlerOptions.of((set) -> set.priority(priority)));
	}

	private static void backlog(JobEngine engine, String name, int count) {
		engine.client()
			.enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList());
	}

	private double share(String name, int picks) {
		List<String> first = List.copyOf(this.picks).subList(0, picks);
		return (double) Collections.frequency(first, name) / picks;
	}

}
