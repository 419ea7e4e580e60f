package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobType;
import dev.jobs.RetryPolicy;
import dev.jobs.Unique;
import dev.jobs.Unique.Mode;
import dev.jobs.Unique.OnDuplicate;
import dev.jobs.UniqueJob;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EngineSettings.Retention;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.contract.ForwardingStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about unique keys and duplicates.
 */
public abstract class UniqueSuite extends EngineSuite {

	private static final Unique BY_PAYLOAD = Unique.byPayload((rule) -> rule.untilStarted());

	private static final Unique BY_KEY = Unique.byKey("key", (rule) -> rule.untilStarted());

	private final RecordingHandler handler = new RecordingHandler();

	// --- what is equal

	@Test
	void duplicateOfAReadyJobAnswersWithItsOwner() {
		JobClient client = engine().client();
		Enqueued owner = client.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		Enqueued duplicate = client.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		assertThat(duplicate).isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, owner.dueAt()));
		assertThat(jobs()).hasSize(1);
	}

	@Test
	void duplicateOfAScheduledJobAnswersWithItsOwnersDueTime() {
		JobClient client = engine().client();
		Enqueued owner = client.enqueue("a", "x", delayed(BY_PAYLOAD, Duration.ofHours(1)));
		Enqueued duplicate = client.enqueue("a", "x", delayed(BY_PAYLOAD, Duration.ofHours(2)));
		assertThat(duplicate).isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, START.plusSeconds(3600)));
		assertThat(job(owner.id()).dueAt()).isEqualTo(START.plusSeconds(3600));
	}

	@Test
	void orderOfKeysDoesNotMatter() {
		JobClient client = engine().client();
		Map<String, Object> one = new LinkedHashMap<>();
		one.put("a", 1);
		one.put("b", new LinkedHashMap<>(Map.of("c", 2)));
		one.put("d", List.of(1, 2));
		Map<String, Object> other = new LinkedHashMap<>();
		other.put("d", List.of(1, 2));
		other.put("b", Map.of("c", 2));
		other.put("a", 1);
		client.enqueue("a", one, (options) -> options.unique(BY_PAYLOAD));
		assertThat(outcome(client, "a", other, BY_PAYLOAD)).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void noPayloadIsAKeyToo() {
		JobClient client = engine().client();
		client.enqueue("a", (options) -> options.unique(BY_PAYLOAD));
		assertThat(client.enqueue("a", (options) -> options.unique(BY_PAYLOAD)).outcome()).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void otherPayloadIsTaken() {
		JobClient client = engine().client();
		client.enqueue("a", Map.of("n", 1), (options) -> options.unique(BY_PAYLOAD));
		assertThat(outcome(client, "a", Map.of("n", 2), BY_PAYLOAD)).isEqualTo(Outcome.NEW);
		assertThat(outcome(client, "a", Map.of("n", "1"), BY_PAYLOAD)).isEqualTo(Outcome.NEW);
		assertThat(outcome(client, "a", Map.of(), BY_PAYLOAD)).isEqualTo(Outcome.NEW);
	}

	@Test
	void otherNameIsTaken() {
		JobClient client = engine().client();
		client.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		assertThat(outcome(client, "b", "x", BY_PAYLOAD)).isEqualTo(Outcome.NEW);
	}

	@Test
	void keyIsComparedWhateverThePayload() {
		JobClient client = engine().client();
		client.enqueue("a", 1, (options) -> options.unique(BY_KEY));
		assertThat(outcome(client, "a", 2, BY_KEY)).isEqualTo(Outcome.DUPLICATE);
		assertThat(outcome(client, "a", 1, Unique.byKey("other"))).isEqualTo(Outcome.NEW);
	}

	@Test
	void keyIsNotMistakenForAPayload() {
		JobClient client = engine().client();
		client.enqueue("a", "key".getBytes(), (options) -> options.unique(BY_PAYLOAD));
		assertThat(outcome(client, "a", "key".getBytes(), BY_KEY)).isEqualTo(Outcome.NEW);
	}

	@Test
	void jobWithoutARuleIsAlwaysTaken() {
		JobClient client = engine().client();
		client.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		assertThat(client.enqueue("a", "x").outcome()).isEqualTo(Outcome.NEW);
		assertThat(client.enqueue("a", "x").outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void emptyKeyIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> Unique.byKey("")).withMessageContaining("'key'");
	}

	@Test
	void storeSeesAShortDigestInsteadOfTheKey() {
		List<NewJob> stored = Collections.synchronizedList(new ArrayList<>());
		JobClient client = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				stored.addAll(jobs);
				return super.enqueue(jobs, now);
			}

		})).client();
		client.enqueue("a", (options) -> options.unique(Unique.byKey("secret\n".repeat(1000))));
		NewJob.UniqueKey key = stored.get(0).uniqueKey();
		assertThat(key).isNotNull().satisfies((digested) -> assertThat(digested.digest()).matches("[A-Za-z0-9_-]{16}"));
	}

	@Test
	void ofAThousandEqualEnqueuesInARaceOneIsTakenAndRunOnce() {
		JobEngine engine = start(builder().handler(this.handler.named("a")));
		CountDownLatch go = new CountDownLatch(1);
		Unique untilRemoved = BY_PAYLOAD.with((rule) -> rule.untilRemoved());
		this.handler.thenReturn(JobResult.discard().message("stays and keeps its key"));
		List<FutureTask<Long>> producers = IntStream.range(0, 50).mapToObj((i) -> new FutureTask<>(() -> {
			go.await();
			return IntStream.range(0, 20)
				.filter((n) -> outcome(engine.client(), "a", Map.of("x", 1, "y", 2), untilRemoved) == Outcome.NEW)
				.count();
		})).toList();
		producers.forEach((producer) -> new Thread(producer).start());
		go.countDown();
		List<Long> taken = new ArrayList<>();
		producers.forEach((producer) -> assertThat(producer).succeedsWithin(Duration.ofSeconds(60))
			.satisfies((count) -> taken.add(count)));
		assertThat(taken.stream().mapToLong(Long::longValue).sum()).isEqualTo(1);
		await("the job is dead", () -> jobs(JobState.DEAD).size() == 1);
		assertThat(this.handler.runs()).isEqualTo(1);
	}

	// --- how long

	@Test
	void whileTheOwnerRunsAnotherIsTaken() {
		assertThat(outcomeWhileOwnerRuns(BY_PAYLOAD)).isEqualTo(Outcome.NEW);
	}

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "UNTIL_STARTED")
	void whileTheOwnerRunsAnotherIsRefused(Mode mode) {
		assertThat(outcomeWhileOwnerRuns(BY_PAYLOAD.with((rule) -> rule.mode(mode)))).isEqualTo(Outcome.DUPLICATE);
	}

	private Outcome outcomeWhileOwnerRuns(Unique unique) {
		JobEngine engine = engine();
		List<Outcome> outcomes = new ArrayList<>();
		this.handler.then((payload, context) -> {
			if (outcomes.isEmpty()) {
				outcomes.add(outcome(engine.client(), "a", "x", unique));
			}
			return JobResult.done();
		});
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		engine.runUntilIdle();
		return outcomes.get(0);
	}

	@ParameterizedTest
	@CsvSource({ "UNTIL_STARTED, DONE, NEW", "UNTIL_DONE, DONE, NEW", "UNTIL_REMOVED, DONE, NEW", //
			"UNTIL_STARTED, RETRY, NEW", "UNTIL_DONE, RETRY, DUPLICATE", "UNTIL_REMOVED, RETRY, DUPLICATE",
			"UNTIL_STARTED, SNOOZE, NEW", "UNTIL_DONE, SNOOZE, DUPLICATE", "UNTIL_REMOVED, SNOOZE, DUPLICATE",
			"UNTIL_STARTED, HOLD_BACK, DUPLICATE", "UNTIL_DONE, HOLD_BACK, DUPLICATE",
			"UNTIL_REMOVED, HOLD_BACK, DUPLICATE", //
			"UNTIL_STARTED, DISCARD, NEW", "UNTIL_DONE, DISCARD, NEW", "UNTIL_REMOVED, DISCARD, DUPLICATE" })
	void endOfARunFreesTheKeyByItsMode(Mode mode, JobResult.Kind end, Outcome expected) {
		JobEngine engine = engine();
		Unique unique = BY_PAYLOAD.with((rule) -> rule.mode(mode));
		this.handler.thenReturn(switch (end) {
			case DONE -> JobResult.done();
			case RETRY -> JobResult.retryIn(Duration.ofHours(1));
			case SNOOZE -> JobResult.snooze(Duration.ofHours(1));
			case HOLD_BACK -> JobResult.holdBack(Duration.ofHours(1));
			case YIELD -> throw new IllegalArgumentException("It would run again at once");
			case DISCARD -> JobResult.discard();
		});
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		engine.runUntilIdle();
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(expected);
	}

	@ParameterizedTest
	@EnumSource
	void successThatIsKeptFreesTheKey(Mode mode) {
		JobEngine engine = engine(HandlerOptions.of((set) -> set.keepHistory(true)));
		Unique unique = BY_PAYLOAD.with((rule) -> rule.mode(mode));
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		engine.runUntilIdle();
		assertThat(jobs(JobState.SUCCEEDED)).hasSize(1);
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.NEW);
	}

	@ParameterizedTest
	@EnumSource
	void deathThatIsNotKeptFreesTheKey(Mode mode) {
		JobEngine engine = engine(HandlerOptions
			.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.maxAttempts(1).keepDead(false)))));
		Unique unique = BY_PAYLOAD.with((rule) -> rule.mode(mode));
		this.handler.thenFail("no");
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		engine.runUntilIdle();
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.NEW);
	}

	@Test
	void retryDoesNotFreeTheKeyOfANewerOwner() {
		JobEngine engine = engine();
		this.handler.thenFail("no");
		engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		engine.runUntilIdle();
		Enqueued newer = engine.client().enqueue("a", "x", delayed(BY_PAYLOAD, Duration.ofHours(1)));
		this.handler.thenReturn(JobResult.done());
		this.clock.advance(Duration.ofSeconds(5));
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD)))
			.isEqualTo(Enqueued.of(newer.id(), Outcome.DUPLICATE, newer.dueAt()));
	}

	@Test
	void manualRetryDoesNotFreeTheKeyOfANewerOwner() {
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard().message("dies"));
		String dead = engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD)).id();
		engine.runUntilIdle();
		assertThat(job(dead).state()).isEqualTo(JobState.DEAD);
		Enqueued newer = engine.client().enqueue("a", "x", delayed(BY_PAYLOAD, Duration.ofHours(1)));
		assertThat(newer.isNew()).isTrue();
		this.handler.thenReturn(JobResult.done());
		assertThat(engine.operations().job(dead).retry()).isTrue();
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(exists(dead)).isFalse();
		assertThat(engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD)))
			.isEqualTo(Enqueued.of(newer.id(), Outcome.DUPLICATE, newer.dueAt()));
	}

	@Test
	void deletionOfAFormerOwnerDoesNotFreeTheKeyOfANewerOne() {
		JobEngine engine = engine();
		this.handler.thenFail("no");
		Enqueued former = engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		engine.runUntilIdle();
		engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD));
		engine.operations().job(former.id()).delete();
		assertThat(outcome(engine.client(), "a", "x", BY_PAYLOAD)).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void uniqueJobIsRetriedLikeAnyOther() {
		JobEngine engine = engine();
		this.handler.thenFail("no");
		String id = engine.client()
			.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD.with((rule) -> rule.untilDone())))
			.id();
		for (int i = 0; i < 12; i++) {
			engine.runUntilIdle();
			this.clock.advance(Duration.ofSeconds(5));
		}
		assertThat(this.handler.jobs()).extracting(Job::attempt).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void jobDelayedForThreeDaysIsUniqueForThreeDays() {
		JobEngine engine = engine();
		engine.client().enqueue("a", "x", delayed(BY_PAYLOAD, Duration.ofDays(3)));
		this.clock.advance(Duration.ofDays(3).minusMillis(1));
		engine.runUntilIdle();
		assertThat(outcome(engine.client(), "a", "x", BY_PAYLOAD)).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void keyCountsWithinItsWindow() {
		JobClient client = engine().client();
		client.enqueue("a", "x",
				delayed(BY_PAYLOAD.with((rule) -> rule.window(Duration.ofMinutes(10))), Duration.ofDays(1)));
		this.clock.advance(Duration.ofMinutes(10).minusMillis(1));
		assertThat(outcome(client, "a", "x", BY_PAYLOAD)).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void keyDoesNotCountAfterItsWindow() {
		JobEngine engine = engine();
		Unique unique = BY_PAYLOAD.with((rule) -> rule.window(Duration.ofMinutes(10)));
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		this.clock.advance(Duration.ofMinutes(10));
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.NEW);
		assertThat(engine.runUntilIdle()).isEqualTo(2);
	}

	@Test
	void duplicateDoesNotRenewTheWindow() {
		JobClient client = engine().client();
		Unique unique = BY_PAYLOAD.with((rule) -> rule.window(Duration.ofMinutes(10)));
		client.enqueue("a", "x", (options) -> options.unique(unique));
		this.clock.advance(Duration.ofMinutes(9));
		client.enqueue("a", "x", (options) -> options.unique(unique));
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(outcome(client, "a", "x", unique)).isEqualTo(Outcome.NEW);
	}

	@Test
	void windowDoesNotOutliveTheOwner() {
		JobEngine engine = engine();
		Unique unique = BY_PAYLOAD.with((rule) -> rule.untilDone().window(Duration.ofDays(1)));
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		engine.runUntilIdle();
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.NEW);
	}

	/**
	 * The key of a job that only waits in line would be free as that of one that runs.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "by the handler", "by the configuration" })
	void uniqueJobsAreNotClaimedAheadAsOthersAre(String way) {
		EnqueueOptions rule = EnqueueOptions.of((set) -> set.unique(BY_PAYLOAD));
		List<Quota> unique = new CopyOnWriteArrayList<>();
		AtomicBoolean ahead = new AtomicBoolean();
		JobStore watched = new ForwardingStore(this.store) {

			@Override
			public ClaimReply claim(ClaimRequest request) {
				request.quotas().stream().filter((quota) -> quota.queue().equals("unique")).forEach(unique::add);
				if (request.quotas().stream().map(Quota::queue).toList().containsAll(List.of("plain", "unique"))
						&& request.quotas().stream().anyMatch((quota) -> quota.most() > 1)) {
					ahead.set(true);
				}
				return super.claim(request);
			}

		};
		JobEngine engine = build(new JobEngineBuilder(watched).clock(this.clock)
			.concurrency(1)
			.handler(this.handler.named("plain"))
			.handler(this.handler.named("unique").with(way.equals("by the handler") ? rule : EnqueueOptions.defaults()))
			.rule("unique", way.equals("by the handler") ? EnqueueOptions.defaults() : rule));
		engine.start();
		AtomicInteger payload = new AtomicInteger();
		await("others are claimed ahead", () -> {
			engine.client()
				.enqueueAll(IntStream.range(0, 100)
					.boxed()
					.flatMap((i) -> Stream.of(JobRequest.named("plain").payload(i),
							JobRequest.named("unique").payload(payload.incrementAndGet())))
					.toList());
			return ahead.get();
		});
		assertThat(unique).extracting(Quota::most).containsOnly(1);
	}

	@Test
	void enqueueThatIsNotUniqueOutweighsItsRule() {
		JobClient client = build(builder().handler(this.handler.named("a"))
			.rule("a", EnqueueOptions.of((set) -> set.unique(BY_PAYLOAD)))).client();
		client.enqueue("a", 1);
		assertThat(client.enqueue("a", 1).outcome()).isEqualTo(Outcome.DUPLICATE);
		assertThat(client.enqueue("a", 1, (options) -> options.notUnique()).outcome()).isEqualTo(Outcome.NEW);
	}

	// --- removal

	@ParameterizedTest
	@EnumSource
	void everyWayOfRemovalFreesTheKey(Removal removal) {
		for (Unique unique : List.of(BY_PAYLOAD.with((rule) -> rule.untilRemoved()),
				BY_KEY.with((rule) -> rule.untilRemoved()))) {
			JobEngine engine = engine();
			this.handler.thenReturn(JobResult.discard().message("dies"));
			Duration delay = (removal == Removal.DELETE_SCHEDULED) ? Duration.ofHours(1) : Duration.ZERO;
			String id = engine.client().enqueue("a", "x", delayed(unique, delay)).id();
			if (removal == Removal.DELETE_DEAD || removal == Removal.DELETE_ALL_DEAD) {
				engine.runUntilIdle();
				assertThat(job(id).state()).isEqualTo(JobState.DEAD);
			}
			assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.DUPLICATE);
			removal.remove(engine.operations(), id);
			assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.NEW);
			engine.operations().store().purge();
		}
	}

	@Test
	void pruningOfADeadOwnerFreesTheKey() {
		Retention retention = new Retention(Duration.ofDays(1), 0, null, 0, null);
		JobEngine engine = build(builder().handler(this.handler.named("a"))
			.settings(EngineSettings.defaults().withRetention(retention)));
		Unique unique = BY_PAYLOAD.with((rule) -> rule.untilRemoved());
		this.handler.thenReturn(JobResult.discard().message("dies"));
		engine.client().enqueue("a", "x", (options) -> options.unique(unique));
		engine.runUntilIdle();
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.DUPLICATE);
		this.clock.advance(Duration.ofDays(1).plusMillis(1));
		engine.runUntilIdle();
		assertThat(outcome(engine.client(), "a", "x", unique)).isEqualTo(Outcome.NEW);
	}

	@Test
	void manualRetryIsRefusedWhileAnotherHoldsTheKey() {
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard().message("dies"));
		String dead = engine.client()
			.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD.with((rule) -> rule.untilDone())))
			.id();
		engine.runUntilIdle();
		engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD.with((rule) -> rule.untilDone())));
		assertThat(engine.operations().job(dead).retry()).isFalse();
		assertThat(job(dead).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void manualRetryTakesTheKeyAgain() {
		JobEngine engine = engine();
		this.handler.thenReturn(JobResult.discard().message("dies"));
		String dead = engine.client()
			.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD.with((rule) -> rule.untilDone())))
			.id();
		engine.runUntilIdle();
		assertThat(engine.operations().job(dead).retry()).isTrue();
		assertThat(engine.client()
			.enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD.with((rule) -> rule.untilDone()))))
			.isEqualTo(Enqueued.of(dead, Outcome.DUPLICATE, START));
	}

	// --- what a duplicate does

	@Test
	void replacedOwnerRunsOnceWithTheNewPayload() {
		JobEngine engine = engine();
		Unique unique = BY_KEY.with((rule) -> rule.onDuplicate(OnDuplicate.REPLACE));
		Enqueued owner = engine.client().enqueue("a", Map.of("v", 1), (options) -> options.unique(unique));
		Enqueued second = engine.client().enqueue("a", Map.of("v", 2), (options) -> options.unique(unique));
		assertThat(second).isEqualTo(Enqueued.of(owner.id(), Outcome.REPLACED, START));
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(Map.of("v", 2));
		assertThat(jobs()).isEmpty();
		assertThat(queue("a").running()).isZero();
	}

	@Test
	void anotherPayloadLeavesTheKeyOfTheFormerOne() {
		JobEngine engine = engine();
		String id = engine.client().enqueue("a", "x", (options) -> options.unique(BY_PAYLOAD)).id();
		assertThat(engine.operations().job(id).replacePayload("y")).isTrue();
		assertThat(outcome(engine.client(), "a", "x", BY_PAYLOAD)).isEqualTo(Outcome.DUPLICATE);
		assertThat(outcome(engine.client(), "a", "y", BY_PAYLOAD)).isEqualTo(Outcome.NEW);
	}

	@Test
	void replacementBringsItsHeaders() {
		JobEngine engine = engine();
		Unique unique = BY_KEY.with((rule) -> rule.onDuplicate(OnDuplicate.REPLACE));
		engine.client().enqueue("a", 1, (options) -> options.unique(unique).header("v", "1").header("first", "y"));
		engine.client().enqueue("a", 2, (options) -> options.unique(unique).header("v", "2"));
		engine.runUntilIdle();
		assertThat(this.handler.jobs().get(0).headers()).isEqualTo(Map.of("v", "2"));
	}

	@Test
	void replacementDoesNotMoveTheDueTime() {
		JobClient client = engine().client();
		Unique unique = BY_KEY.with((rule) -> rule.onDuplicate(OnDuplicate.REPLACE));
		Enqueued owner = client.enqueue("a", 1, delayed(unique, Duration.ofHours(1)));
		assertThat(client.enqueue("a", 2, delayed(unique, Duration.ofHours(2))).dueAt()).isEqualTo(owner.dueAt());
		assertThat(job(owner.id()).dueAt()).isEqualTo(owner.dueAt());
	}

	@Test
	void reschedulingReplacementMovesTheDueTime() {
		JobEngine engine = engine();
		Unique unique = BY_KEY.with((rule) -> rule.onDuplicate(OnDuplicate.REPLACE_AND_RESCHEDULE));
		Enqueued owner = engine.client().enqueue("a", 1, delayed(unique, Duration.ofHours(1)));
		Enqueued second = engine.client().enqueue("a", 2, delayed(unique, Duration.ofHours(2)));
		assertThat(second).isEqualTo(Enqueued.of(owner.id(), Outcome.RESCHEDULED, START.plusSeconds(7200)));
		this.clock.advance(Duration.ofHours(2).minusMillis(1));
		assertThat(engine.runUntilIdle()).isZero();
		this.clock.advance(Duration.ofMillis(1));
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly(2);
	}

	@Test
	void runningOwnerIsNotReplaced() {
		JobEngine engine = engine();
		Unique unique = BY_KEY.with((rule) -> rule.untilDone().onDuplicate(OnDuplicate.REPLACE));
		List<Outcome> outcomes = new ArrayList<>();
		this.handler.then((payload, context) -> {
			outcomes.add(outcome(engine.client(), "a", 2, unique));
			return JobResult.done();
		});
		engine.client().enqueue("a", 1, (options) -> options.unique(unique));
		engine.runUntilIdle();
		assertThat(outcomes).containsExactly(Outcome.DUPLICATE);
		assertThat(this.handler.payloads()).containsExactly(1);
	}

	@Test
	void latestUpdateRunsHoweverTheStartsFall() {
		JobEngine engine = start(builder().handler(this.handler.named("a")).concurrency(1));
		Unique unique = BY_KEY.with((rule) -> rule.onDuplicate(OnDuplicate.REPLACE));
		for (int i = 1; i <= 500; i++) {
			engine.client().enqueue("a", i, (options) -> options.unique(unique));
		}
		await("all have run", () -> jobs().isEmpty());
		assertThat(this.handler.payloads()).endsWith(500).doesNotHaveDuplicates();
	}

	// --- among which jobs

	@Test
	void namespaceScopeIsAcrossNames() {
		JobClient client = engine().client();
		Enqueued owner = client.enqueue("a", 1,
				(options) -> options.unique(BY_KEY.with((rule) -> rule.acrossHandlers())));
		assertThat(client.enqueue("b", 2, (options) -> options.unique(BY_KEY.with((rule) -> rule.acrossHandlers()))))
			.isEqualTo(Enqueued.of(owner.id(), Outcome.DUPLICATE, START));
	}

	@Test
	void namespaceScopeDoesNotTouchThatOfAHandler() {
		JobClient client = engine().client();
		client.enqueue("a", 1, (options) -> options.unique(BY_KEY.with((rule) -> rule.acrossHandlers())));
		assertThat(outcome(client, "a", 1, BY_KEY)).isEqualTo(Outcome.NEW);
	}

	@Test
	void ownerOfAnotherNameIsNotReplaced() {
		JobClient client = engine().client();
		Unique unique = BY_KEY.with((rule) -> rule.acrossHandlers().onDuplicate(OnDuplicate.REPLACE));
		Enqueued owner = client.enqueue("a", 1, (options) -> options.unique(unique));
		assertThat(outcome(client, "b", 2, unique)).isEqualTo(Outcome.DUPLICATE);
		assertThat(job(owner.id()).payload()).isEqualTo("1".getBytes());
	}

	// --- where the rule comes from

	@Test
	void annotationOfThePayloadTypeHoldsWithoutAnyHandler() {
		JobClient client = build(builder()).client();
		client.enqueue(new Annotated(1));
		assertThat(client.enqueue(new Annotated(1)).outcome()).isEqualTo(Outcome.RESCHEDULED);
		assertThat(client.enqueue(new Annotated(2)).outcome()).isEqualTo(Outcome.NEW);
	}

	@Test
	void annotationOfThePayloadTypeSetsModeScopeAndWindow() {
		List<NewJob> stored = new ArrayList<>();
		JobClient client = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
				stored.addAll(jobs);
				return super.enqueue(jobs, now);
			}

		}).clock(this.clock)).client();
		client.enqueue(new Annotated(1));
		assertThat(stored.get(0).uniqueKey()).isNotNull().satisfies((key) -> {
			assertThat(key.mode()).isEqualTo(Mode.UNTIL_DONE);
			assertThat(key.scope()).isEqualTo(Unique.Scope.NAMESPACE);
			assertThat(key.until()).isEqualTo(START.plusSeconds(600));
		});
	}

	@Test
	void ruleOfTheHandlerHoldsIfNothingElseIsSaid() {
		JobClient client = build(builder().handler(this.handler.named("a").with(rule(OnDuplicate.REPLACE)))).client();
		client.enqueue("a", "x");
		assertThat(client.enqueue("a", "x").outcome()).isEqualTo(Outcome.REPLACED);
	}

	@Test
	void ruleOfTheHandlerHoldsForItsFormerNames() {
		JobClient client = build(
				builder().handler(this.handler.named("a").withAliases("former").with(rule(OnDuplicate.REPLACE))))
			.client();
		client.enqueue("former", "x");
		assertThat(client.enqueue("former", "x").outcome()).isEqualTo(Outcome.REPLACED);
	}

	@Test
	void ruleOfTheTypeOutweighsThatOfTheHandler() {
		JobClient client = build(builder().handler(annotated().with(rule(OnDuplicate.REPLACE)))).client();
		client.enqueue(new Annotated(1));
		assertThat(client.enqueue(new Annotated(1)).outcome()).isEqualTo(Outcome.RESCHEDULED);
	}

	@Test
	void configuredRuleOutweighsThatOfTheType() {
		JobClient client = build(builder().handler(annotated()).rule("annotated", rule(OnDuplicate.REPLACE))).client();
		client.enqueue(new Annotated(1));
		assertThat(client.enqueue(new Annotated(1)).outcome()).isEqualTo(Outcome.REPLACED);
	}

	@Test
	void ruleOfTheEnqueueOutweighsTheConfiguredOne() {
		JobClient client = build(builder().handler(this.handler.named("a")).rule("a", rule(OnDuplicate.REPLACE)))
			.client();
		client.enqueue("a", "x");
		assertThat(outcome(client, "a", "x", BY_PAYLOAD)).isEqualTo(Outcome.DUPLICATE);
	}

	@Test
	void rulesFillWhatOthersLeaveOpen() {
		JobClient client = build(builder().handler(this.handler.named("a").with(rule(OnDuplicate.REPLACE)))
			.rule("a", EnqueueOptions.of((set) -> set.maxWaiting(1)))).client();
		client.enqueue("a", "x");
		assertThat(client.enqueue("a", "x").outcome()).isEqualTo(Outcome.REPLACED);
		assertThat(client.tryEnqueue(JobRequest.named("a").payload("y")).isFull()).isTrue();
	}

	// --- help

	private JobEngine engine() {
		return engine(HandlerOptions.of((set) -> set
			.retryPolicy(RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(Duration.ofSeconds(5)))))));
	}

	private JobEngine engine(HandlerOptions options) {
		return build(builder().handler(this.handler.named("a").with(options)));
	}

	private HandlerDefinition annotated() {
		return HandlerDefinition.of("annotated", Annotated.class, (payload, context) -> JobResult.done());
	}

	private static EnqueueOptions rule(OnDuplicate onDuplicate) {
		return EnqueueOptions.of((set) -> set.unique(BY_PAYLOAD.with((rule) -> rule.onDuplicate(onDuplicate))));
	}

	private static Consumer<EnqueueOptions.Builder> delayed(Unique unique, Duration delay) {
		return (options) -> options.delay(delay).unique(unique);
	}

	private static Outcome outcome(JobClient client, String name, Object payload, Unique unique) {
		return client.enqueue(name, payload, (options) -> options.unique(unique)).outcome();
	}

	enum Removal {

		DELETE_READY, DELETE_SCHEDULED, DELETE_DEAD, DELETE_ALL, DELETE_ALL_DEAD, CANCEL, PURGE;

		void remove(JobOperations operations, String id) {
			switch (this) {
				case DELETE_READY, DELETE_SCHEDULED, DELETE_DEAD -> assertThat(operations.job(id).delete()).isTrue();
				case DELETE_ALL ->
					assertThat(operations.jobs(JobFilter.of((only) -> only.states(JobState.READY))).delete())
						.isEqualTo(1);
				case DELETE_ALL_DEAD ->
					assertThat(operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).delete())
						.isEqualTo(1);
				case CANCEL -> assertThat(operations.job(id).cancel()).isTrue();
				case PURGE -> operations.store().purge();
			}
		}

	}

	@JobType("annotated")
	@UniqueJob(value = Mode.UNTIL_DONE, scope = Unique.Scope.NAMESPACE, window = "10m",
			onDuplicate = OnDuplicate.REPLACE_AND_RESCHEDULE)
	private record Annotated(int number) {

	}

}
