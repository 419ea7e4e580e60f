package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.ScheduleRequest;
import dev.jobs.Urgency;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.contract.ForwardingStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about sharing a pool among its handlers, and a handler among its jobs.
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

	@Test
	void urgentJobBehindALongBacklogStartsNext() {
		List<Urgency> order = new ArrayList<>();
		JobEngine engine = oneByOne((running, job) -> {
			order.add(job.urgency());
			if (order.size() == 20) {
				running.client().enqueue(urgent("a", Urgency.URGENT));
			}
			if (order.size() == 22) {
				running.operations().queue("a").pause();
			}
		});
		backlog(engine, "a", 10_000);
		engine.runUntilIdle();
		assertThat(order).hasSize(22);
		assertThat(order.indexOf(Urgency.URGENT)).isEqualTo(20);
	}

	@ParameterizedTest
	@EnumSource(value = Urgency.class, names = { "HIGH", "NORMAL", "LOW" })
	void eachLevelGetsOneOfSixteenStartsWhileMoreUrgentJobsNeverRunOut(Urgency level) {
		List<Urgency> order = new ArrayList<>();
		JobEngine engine = oneByOne((running, job) -> {
			order.add(job.urgency());
			if (job.urgency() == Urgency.URGENT && order.size() < 70) {
				running.client().enqueue(urgent("a", Urgency.URGENT));
			}
		});
		IntStream.range(0, 4).forEach((i) -> engine.client().enqueue(urgent("a", level)));
		IntStream.range(0, 2).forEach((i) -> engine.client().enqueue(urgent("a", Urgency.URGENT)));
		engine.runUntilIdle();
		for (int round = 0; round < 4; round++) {
			assertThat(order.subList(16 * round, 16 * round + 16)).filteredOn(level::equals).hasSize(1);
		}
	}

	@Test
	void eachLevelOfALaneGetsStartsWhileMoreUrgentJobsNeverRunOut() {
		List<String> low = new ArrayList<>();
		AtomicInteger runs = new AtomicInteger();
		JobEngine engine = oneByOne((running, job) -> {
			String lane = String.valueOf(job.lane());
			if (job.urgency() == Urgency.LOW) {
				low.add(lane);
			}
			else if (runs.incrementAndGet() < 500 && low.size() < 4) {
				running.client().enqueue(inLane(lane, Urgency.URGENT));
			}
		});
		for (String lane : List.of("one", "two", "three", "four")) {
			IntStream.range(0, 2).forEach((i) -> engine.client().enqueue(inLane(lane, Urgency.URGENT)));
			engine.client().enqueue(inLane(lane, Urgency.LOW));
		}
		engine.runUntilIdle();
		assertThat(low).containsExactlyInAnyOrder("one", "two", "three", "four");
		assertThat(runs.get()).isLessThan(500);
	}

	/**
	 * Build an engine that runs one job at a time.
	 * @param run what each does, with the engine
	 */
	private JobEngine oneByOne(BiConsumer<JobEngine, Job> run) {
		AtomicReference<JobEngine> running = new AtomicReference<>();
		JobEngine engine = build(
				builder().concurrency(1).handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
					run.accept(Objects.requireNonNull(running.get()), context.job());
					return JobResult.done();
				})));
		running.set(engine);
		return engine;
	}

	private static JobRequest urgent(String name, Urgency urgency) {
		return JobRequest.named(name).options((options) -> options.urgency(urgency));
	}

	private static JobRequest inLane(String lane, Urgency urgency) {
		return JobRequest.named("a").options((options) -> options.lane(lane).urgency(urgency));
	}

	@Test
	void urgencySurvivesRetriesAndSnoozes() {
		List<Urgency> seen = new ArrayList<>();
		JobEngine engine = build(builder().handler(HandlerDefinition.of("a", Object.class, (payload, context) -> {
			seen.add(context.job().urgency());
			return switch (seen.size()) {
				case 1 -> throw new IllegalStateException("first");
				case 2 -> JobResult.snooze(Duration.ofSeconds(1));
				default -> JobResult.done();
			};
		})));
		engine.client().enqueue(urgent("a", Urgency.LOW));
		for (int i = 0; i < 3; i++) {
			engine.runUntilIdle();
			this.clock.advance(Duration.ofHours(1));
		}
		assertThat(seen).containsExactly(Urgency.LOW, Urgency.LOW, Urgency.LOW);
	}

	@Test
	void urgencyOfTheEnqueueOutweighsThatOfTheRule() {
		JobEngine engine = build(
				builder().handler(weighing("a", 1)).rule("a", EnqueueOptions.of((rule) -> rule.urgency(Urgency.HIGH))));
		String usual = engine.client().enqueue("a").id();
		String normal = engine.client().enqueue(urgent("a", Urgency.NORMAL)).id();
		assertThat(engine.client().find(usual)).map(Job::urgency).contains(Urgency.HIGH);
		assertThat(engine.client().find(normal)).map(Job::urgency).contains(Urgency.NORMAL);
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.urgency(Urgency.HIGH))).count(10).number())
			.isEqualTo(1);
	}

	@Test
	void waitingJobGetsAnotherUrgencyByItsOperator() {
		JobEngine engine = build(builder().handler(weighing("a", 1)));
		String id = engine.client().enqueue("a").id();
		assertThat(engine.operations().job(id).setUrgency(Urgency.URGENT)).isTrue();
		assertThat(engine.operations().job("unknown").setUrgency(Urgency.URGENT)).isFalse();
		assertThat(engine.client().find(id)).map(Job::urgency).contains(Urgency.URGENT);
		engine.runUntilIdle();
		assertThat(engine.operations().job(id).setUrgency(Urgency.LOW)).isFalse();
	}

	@Test
	void jobsOfAScheduleHaveItsUrgency() {
		JobEngine engine = build(builder().handler(weighing("a", 1)));
		engine.operations()
			.schedule("report")
			.put(ScheduleRequest.of((schedule) -> schedule.cron("@hourly").job(urgent("a", Urgency.HIGH))));
		String id = engine.operations().schedule("report").runNow().id();
		assertThat(engine.client().find(id)).map(Job::urgency).contains(Urgency.HIGH);
	}

	@Test
	void textThatIsNoUrgencyIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((options) -> options.header(Job.URGENCY_HEADER, "very")))
			.withMessageContainingAll("very", "urgent, high, normal or low");
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
