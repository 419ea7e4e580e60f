package dev.jobs.store.contract.engine;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import dev.jobs.Backoff;
import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Trail;
import dev.jobs.Unique;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EngineSettings.Retention;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.contract.engine.FaultyStore.Verb;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The promises about jobs that fail: retries, death, and actions on dead jobs.
 */
public abstract class RetrySuite extends EngineSuite {

	private static final RetryPolicy AT_ONCE = RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(Duration.ZERO)));

	private final RecordingHandler handler = new RecordingHandler();

	// --- how often

	@Test
	void jobRunsTwelveTimesByDefaultAndIsDead() {
		JobEngine engine = engine(RetryPolicy.defaults());
		String id = failing(engine);
		for (int i = 0; i < 16; i++) {
			this.clock.advance(Duration.ofDays(1));
			engine.runUntilIdle();
		}
		assertThat(this.handler.runs()).isEqualTo(12);
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
		assertThat(job(id).attempt()).isEqualTo(12);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5, 15 })
	void jobRunsAsOftenAsItsPolicyAllows(int maxAttempts) {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(maxAttempts)));
		String id = failing(engine);
		assertThat(engine.runUntilIdle()).isEqualTo(maxAttempts);
		assertThat(job(id).trail().failures()).isEqualTo(maxAttempts);
		assertThat(end(id).reason()).isEqualTo(DeadReason.EXHAUSTED);
	}

	@Test
	void successInTheLastAttemptIsASuccess() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.then((payload, context) -> {
			if (context.attempt() < 4) {
				throw new IllegalStateException("not yet");
			}
			return JobResult.done();
		});
		String id = engine.client().enqueue("a").id();
		assertThat(engine.runUntilIdle()).isEqualTo(4);
		assertThat(exists(id)).isFalse();
	}

	@Test
	void deadJobShowsItsLastError() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(2)));
		this.handler.then((payload, context) -> {
			throw new IOException("attempt " + context.attempt());
		});
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(end(id)).isEqualTo(Trail.End.of(DeadReason.EXHAUSTED, "java.io.IOException: attempt 2", START));
		assertThat(job(id).trail().attempts()).extracting(Trail.Attempt::error)
			.containsExactly("java.io.IOException: attempt 1", "java.io.IOException: attempt 2");
	}

	@Test
	void latestTenAttemptsAreRemembered() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(13)));
		String id = failing(engine);
		engine.runUntilIdle();
		assertThat(job(id).trail().attempts()).extracting(Trail.Attempt::number)
			.containsExactly(4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
	}

	// --- how long

	@Test
	void defaultBackoffIsWithinItsRangeForTenFailures() {
		JobEngine engine = engine(RetryPolicy.of((retry) -> retry.maxAttempts(11)));
		String id = failing(engine);
		for (int f = 1; f <= 10; f++) {
			Duration delay = failOnce(engine, id);
			long least = (long) Math.pow(f, 4) + 15;
			assertThat(delay).as("delay after failure " + f)
				.isBetween(Duration.ofSeconds(least), Duration.ofSeconds(least + 29L * (f + 1)));
		}
	}

	@Test
	void twoEnginesDrawDifferentDelays() {
		assertThat(delaysOfTenJobs()).isNotEqualTo(delaysOfTenJobs());
	}

	private List<Duration> delaysOfTenJobs() {
		JobEngine engine = engine(RetryPolicy.defaults());
		this.handler.thenFail("no");
		List<Enqueued> enqueued = engine.client().enqueueAll(requests("a", 10));
		engine.runUntilIdle();
		return enqueued.stream().map((job) -> Duration.between(START, job(job.id()).dueAt())).toList();
	}

	@Test
	void customBackoffIsAsked() {
		JobEngine engine = engine(RetryPolicy.of((retry) -> retry
			.backoff((job, failures, random) -> Duration.ofSeconds(7L * failures + job.payload().length))));
		String id = failing(engine);
		assertThat(failOnce(engine, id)).isEqualTo(Duration.ofSeconds(7));
		assertThat(failOnce(engine, id)).isEqualTo(Duration.ofSeconds(14));
	}

	@Test
	void retryRunsAtItsDueTimeAndNotBefore() {
		JobEngine engine = engine(fixed(Duration.ofSeconds(7)));
		failing(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofMillis(6999));
		assertThat(engine.runUntilIdle()).isZero();
		this.clock.advance(Duration.ofMillis(1));
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void fixedBackoffIsAlwaysTheSame() {
		JobEngine engine = engine(fixed(Duration.ofSeconds(5)).with((retry) -> retry.maxAttempts(5)));
		assertThat(delays(engine, 4)).containsOnly(Duration.ofSeconds(5));
	}

	@Test
	void exponentialBackoffGrowsUpToItsLongestDelay() {
		JobEngine engine = engine(RetryPolicy.of((retry) -> retry.maxAttempts(8)
			.backoff(Backoff.exponential(Duration.ofSeconds(1), 2, Duration.ofSeconds(10)))));
		assertThat(delays(engine, 6)).extracting(Duration::toSeconds).containsExactly(1L, 2L, 4L, 8L, 10L, 10L);
	}

	@Test
	void exponentialBackoffSurvivesSixtyAttempts() {
		JobEngine engine = engine(RetryPolicy.of((retry) -> retry.maxAttempts(61)
			.backoff(Backoff.exponential(Duration.ofHours(1), 10, Duration.ofDays(1)))));
		assertThat(delays(engine, 60)).endsWith(Duration.ofDays(1)).isSorted();
	}

	@Test
	void defaultBackoffSurvivesSixtyAttempts() {
		JobEngine engine = engine(RetryPolicy.of((retry) -> retry.maxAttempts(61)));
		assertThat(delays(engine, 60))
			.allMatch((delay) -> !delay.isNegative() && !delay.isZero() && delay.compareTo(Backoff.LONGEST) <= 0);
	}

	/** The engine goes by the real clock, nothing wakes it, and it never polls. */
	@Test
	void startedEngineRunsARetryWithoutItsSafetyPoll() {
		this.handler.thenFail("broken");
		JobEngine engine = build(new JobEngineBuilder(this.store)
			.settings(EngineSettings.defaults().withPoll(Duration.ofHours(1)))
			.handler(this.handler.named("a")
				.with(HandlerOptions.of((set) -> set
					.retryPolicy(RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(Duration.ofMillis(300)))))))));
		engine.start();
		engine.client().enqueue("a");
		await("two retries have run", () -> this.handler.runs() == 3);
	}

	@Test
	void noDelayIsLongerThanTheLongest() {
		JobEngine engine = engine(fixed(Duration.ofSeconds(Long.MAX_VALUE)));
		assertThat(delays(engine, 1)).containsExactly(Backoff.LONGEST);
	}

	@Test
	void delayBelowZeroIsNone() {
		JobEngine engine = engine(fixed(Duration.ofSeconds(-5)));
		failing(engine);
		assertThat(engine.runUntilIdle()).isEqualTo(12);
	}

	@Test
	void dueTimeOfARetryIsInWholeMillisecondsAndNeverEarly() {
		JobEngine engine = engine(fixed(Duration.ofNanos(1_000_001)));
		assertThat(delays(engine, 1)).containsExactly(Duration.ofMillis(2));
	}

	@Test
	void jitterStaysWithinItsShare() {
		JobEngine engine = engine(RetryPolicy
			.of((retry) -> retry.maxAttempts(51).backoff(Backoff.fixed(Duration.ofSeconds(10)).jitter(0.5))));
		List<Duration> delays = delays(engine, 50);
		assertThat(delays)
			.allSatisfy((delay) -> assertThat(delay).isBetween(Duration.ofSeconds(5), Duration.ofSeconds(15)));
		assertThat(delays).anyMatch((delay) -> delay.compareTo(Duration.ofSeconds(10)) < 0)
			.anyMatch((delay) -> delay.compareTo(Duration.ofSeconds(10)) > 0);
	}

	@Test
	@ExpectsFaults("broken rule")
	void backoffThatThrowsPutsTheJobOff() {
		JobEngine engine = engine(RetryPolicy.of((retry) -> retry.backoff((job, failures, random) -> {
			throw new IllegalStateException("broken rule");
		})));
		String id = failing(engine);
		assertThat(failOnce(engine, id)).isPositive();
		assertThat(job(id).trail().failures()).isEqualTo(1);
	}

	/** As code in Kotlin may. */
	@Test
	@ExpectsFaults("undeclared")
	void backoffThatThrowsACheckedExceptionCountsAsAFailure() {
		JobEngine engine = engine(RetryPolicy
			.of((retry) -> retry.backoff((job, failures, random) -> rethrown(new IOException("undeclared")))));
		String id = failing(engine);
		assertThat(failOnce(engine, id)).isPositive();
		assertThat(job(id).trail().failures()).isEqualTo(1);
	}

	@SuppressWarnings("unchecked") // the compiler takes it for unchecked
	private static <E extends Throwable> Duration rethrown(Throwable ex) throws E {
		throw (E) ex;
	}

	@Test
	@ExpectsFaults("broken predicate")
	void jobWhosePolicyThrowsDiesAfterItsLastAttempt() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.noRetryFor((ex) -> {
			throw new IllegalStateException("broken predicate");
		})));
		String id = failing(engine);
		for (int i = 0; i < 16; i++) {
			engine.runUntilIdle();
			this.clock.advance(Duration.ofDays(1));
		}
		assertThat(this.handler.runs()).isEqualTo(12);
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	// --- what is seen of it

	@Test
	void retryListShowsFailuresErrorAndTimes() {
		JobEngine engine = engine(fixed(Duration.ofMinutes(1)));
		String id = failing(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofMinutes(1));
		engine.runUntilIdle();
		engine.client().enqueue("b", (options) -> options.delay(Duration.ofDays(1)));
		List<Job> retries = AllJobs.of(this.store.inspector(),
				JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.READY).retrying(true)),
				this.clock.instant());
		assertThat(retries).singleElement().satisfies((job) -> {
			assertThat(job.id()).isEqualTo(id);
			assertThat(job.trail().failures()).isEqualTo(2);
			assertThat(job.trail().lastFailure()).isNotNull()
				.satisfies((attempt) -> assertThat(attempt.endedAt()).isEqualTo(START.plusSeconds(60)));
			assertThat(job.dueAt()).isEqualTo(START.plusSeconds(120));
			assertThat(job.createdAt()).isEqualTo(START);
		});
		assertThat(queue("a").retrying()).isEqualTo(1);
	}

	@Test
	void anotherEngineMayRunTheRetry() {
		JobEngine engine = engine(fixed(Duration.ofMinutes(1)));
		failing(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(engine(fixed(Duration.ofMinutes(1))).runUntilIdle()).isEqualTo(1);
	}

	@Test
	void failedJobIsClaimableAtOnceWithItsErrorKeptIfThereIsNoDelay() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.then((payload, context) -> {
			if (context.attempt() == 1) {
				throw new IllegalStateException("once");
			}
			return JobResult.done();
		});
		engine.client().enqueue("a");
		assertThat(engine.runUntilIdle()).isEqualTo(2);
		Trail seen = this.handler.jobs().get(1).trail();
		assertThat(seen.attempts()).extracting(Trail.Attempt::error)
			.containsExactly("java.lang.IllegalStateException: once");
	}

	// --- death

	@Test
	void exhaustedJobThatIsNotToBeKeptIsNowhere() {
		JobEngine engine = build(
				builder().handler(
						this.handler.named("a")
							.with(HandlerOptions.of((set) -> set
								.retryPolicy(AT_ONCE.with((retry) -> retry.maxAttempts(2).keepDead(false)))
								.maxConcurrency(1)))));
		String id = failing(engine);
		engine.client().enqueue("a");
		assertThat(engine.runUntilIdle()).isEqualTo(4);
		assertThat(exists(id)).isFalse();
		assertThat(queue("a").dead() + queue("a").waiting() + queue("a").running()).isZero();
	}

	@Test
	void exceptionIsDeathIfThePolicySaysSo() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.onException(OnException.FAIL)));
		String id = failing(engine);
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(end(id).reason()).isEqualTo(DeadReason.DISCARDED);
	}

	@Test
	void resultMayAskForARetryWhereAnExceptionIsDeath() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.onException(OnException.FAIL).maxAttempts(3)));
		this.handler.thenReturn(JobResult.retryIn(Duration.ZERO).message("again"));
		engine.client().enqueue("a");
		assertThat(engine.runUntilIdle()).isEqualTo(3);
	}

	@Test
	void terminalExceptionIsDeathAtOnce() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.noRetryFor(IllegalStateException.class::isInstance)));
		String id = failing(engine);
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(end(id)).isEqualTo(Trail.End.of(DeadReason.DISCARDED, "java.lang.IllegalStateException: no", START));
	}

	@Test
	void otherExceptionsThanTerminalOnesAreRetried() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.noRetryFor(IOException.class::isInstance)));
		failing(engine);
		assertThat(engine.runUntilIdle()).isEqualTo(12);
	}

	@Test
	void deadJobIsNeverRunByItself() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		failing(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofDays(30));
		assertThat(engine.runUntilIdle()).isZero();
	}

	// --- results

	@Test
	void retryInCountsAFailureAndRunsAfterItsDelay() {
		JobEngine engine = engine(RetryPolicy.defaults());
		this.handler.thenReturn(JobResult.retryIn(Duration.ofSeconds(90)).message("busy"));
		String id = engine.client().enqueue("a").id();
		assertThat(failOnce(engine, id)).isEqualTo(Duration.ofSeconds(90));
		assertThat(job(id).trail().failures()).isEqualTo(1);
		assertThat(job(id).trail().attempts()).extracting(Trail.Attempt::error).containsExactly("busy");
	}

	@Test
	void retryAtRunsAtItsInstant() {
		JobEngine engine = engine(RetryPolicy.defaults());
		this.handler.thenReturn(JobResult.retryAt(START.plusSeconds(500)).message("busy"));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(job(id).dueAt()).isEqualTo(START.plusSeconds(500));
	}

	@Test
	void retryResultsEndInDeathAfterTheLastAttempt() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(3)));
		this.handler.thenReturn(JobResult.retryIn(Duration.ZERO).message("busy"));
		String id = engine.client().enqueue("a").id();
		assertThat(engine.runUntilIdle()).isEqualTo(3);
		assertThat(end(id)).isEqualTo(Trail.End.of(DeadReason.EXHAUSTED, "busy", START));
	}

	@Test
	void snoozeUsesNoAttempt() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		this.handler.thenReturn(JobResult.snooze(Duration.ofMinutes(1)));
		String id = engine.client().enqueue("a").id();
		for (int i = 0; i < 10; i++) {
			assertThat(failOnce(engine, id)).isEqualTo(Duration.ofMinutes(1));
		}
		assertThat(this.handler.jobs()).hasSize(10).extracting(Job::attempt).containsOnly(1);
		assertThat(job(id).trail().postponements()).isEqualTo(10);
		assertThat(job(id).trail().attempts()).isEmpty();
	}

	@Test
	void snoozeUntilRunsAtItsInstant() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.thenReturn(JobResult.snoozeUntil(START.plusSeconds(500)));
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(job(id).dueAt()).isEqualTo(START.plusSeconds(500));
		assertThat(job(id).state()).isEqualTo(JobState.SCHEDULED);
	}

	@Test
	void snoozeOfNothingDoesNotSpin() {
		List<Duration> delays = List.of(Duration.ZERO, Duration.ofSeconds(-5));
		for (Duration delay : delays) {
			JobEngine engine = build(builder().handler(HandlerDefinition.of("sleepy", Object.class,
					(payload, context) -> (context.job().trail().postponements() == 0) ? JobResult.snooze(delay)
							: JobResult.done())));
			engine.client().enqueue("sleepy");
			assertThat(engine.runUntilIdle()).isOne();
			this.clock.advance(Duration.ofSeconds(1));
			assertThat(engine.runUntilIdle()).isOne();
		}
	}

	@Test
	void delaysLongerThanAnyLifeAreTakenAsTheLongest() {
		JobEngine engine = build(builder().handler(HandlerDefinition.of("sleepy", Object.class,
				(payload, context) -> JobResult.snooze(Duration.ofSeconds(Long.MAX_VALUE)))));
		String id = engine.client().enqueue("sleepy").id();
		engine.runUntilIdle();
		assertThat(job(id).trail().failures()).isZero();
		assertThat(job(id).dueAt()).isEqualTo("9999-12-31T23:59:59Z");
	}

	@Test
	void retryWaitsTheBackoffOfItsHandler() {
		JobEngine engine = engine(fixed(Duration.ofSeconds(7)));
		this.handler.thenReturn(JobResult.retry().message("not yet"));
		String id = engine.client().enqueue("a").id();
		assertThat(failOnce(engine, id)).isEqualTo(Duration.ofSeconds(7));
		assertThat(job(id).trail().failures()).isEqualTo(1);
		assertThat(job(id).trail().attempts().get(0).error()).isEqualTo("not yet");
	}

	@Test
	void snoozedJobGoesToTheBackOfItsQueue() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.then((payload, context) -> {
			boolean again = "first".equals(payload) && context.job().trail().postponements() == 0;
			return again ? JobResult.snooze().message("others first") : JobResult.done();
		});
		engine.client().enqueue("a", "first");
		engine.client().enqueue("a", "second");
		engine.runUntilIdle();
		engine.client().enqueue("a", "third");
		this.clock.advance(Duration.ofSeconds(1));
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("first", "second", "third", "first");
	}

	@Test
	void snoozedJobDoesNotSpin() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.snoozeDelay(Duration.ofSeconds(3))));
		this.handler.thenReturn(JobResult.snooze().message("again and again"));
		String id = engine.client().enqueue("a").id();
		assertThat(failOnce(engine, id)).isEqualTo(Duration.ofSeconds(3));
		assertThat(this.handler.runs()).isEqualTo(1);
	}

	@Test
	void snoozeWithoutATimeUsesNoAttempt() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		this.handler.thenReturn(JobResult.snooze().message("again and again"));
		String id = engine.client().enqueue("a").id();
		for (int i = 0; i < 5; i++) {
			failOnce(engine, id);
		}
		assertThat(this.handler.runs()).isEqualTo(5);
		assertThat(job(id).trail().failures()).isZero();
	}

	@Test
	void discardedJobIsKeptWithItsReasonAndNotRunAgain() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.thenReturn(JobResult.discard().message("no such customer"));
		String id = engine.client().enqueue("a").id();
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(end(id)).isEqualTo(Trail.End.of(DeadReason.DISCARDED, "no such customer", START));
	}

	// --- retry by hand

	@Test
	void retriedDeadJobStartsOverWithItsErrorsReadable() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(2)));
		String id = failing(engine);
		engine.runUntilIdle();
		assertThat(engine.operations().job(id).retry()).isTrue();
		assertThat(job(id).state()).isEqualTo(JobState.READY);
		assertThat(job(id).attempt()).isEqualTo(1);
		assertThat(job(id).trail().failures()).isZero();
		assertThat(job(id).trail().end()).isNull();
		assertThat(job(id).trail().attempts()).hasSize(2);
	}

	@Test
	void retriedDeadJobHasAllItsAttemptsAgain() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(3)));
		String id = failing(engine);
		engine.runUntilIdle();
		engine.operations().job(id).retry();
		assertThat(engine.runUntilIdle()).isEqualTo(3);
	}

	@Test
	void concurrentRetriesMakeOneJob() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		String id = failing(engine);
		engine.runUntilIdle();
		this.handler.thenReturn(JobResult.done());
		List<FutureTask<Boolean>> retries = IntStream.range(0, 10)
			.mapToObj((i) -> new FutureTask<>(() -> engine.operations().job(id).retry()))
			.toList();
		retries.forEach((retry) -> new Thread(retry).start());
		retries.forEach((retry) -> assertThat(retry).succeedsWithin(Duration.ofSeconds(30)));
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void retryThatTheStoreRefusesLeavesTheDeadJobAsItIs() {
		FaultyStore faulty = new FaultyStore(this.store);
		JobEngine engine = deadOn(faulty);
		Job dead = job(jobs(JobState.DEAD).get(0).id());
		faulty.failToSend(Verb.CHANGE, 1);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> engine.operations().job(dead.id()).retry());
		assertThat(job(dead.id())).usingRecursiveComparison().isEqualTo(dead);
		assertThat(engine.runUntilIdle()).isZero();
		this.handler.thenReturn(JobResult.done());
		assertThat(engine.operations().job(dead.id()).retry()).isTrue();
		assertThat(engine.runUntilIdle()).isOne();
		assertThat(jobs()).isEmpty();
	}

	@Test
	void retryWhoseReplyGotLostAndWhichIsTriedAgainMakesOneJob() {
		FaultyStore faulty = new FaultyStore(this.store);
		JobEngine engine = deadOn(faulty);
		String id = jobs(JobState.DEAD).get(0).id();
		faulty.loseReplies(Verb.CHANGE, 1);
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> engine.operations().job(id).retry());
		this.handler.thenReturn(JobResult.done());
		engine.operations().job(id).retry();
		assertThat(jobs()).extracting(Job::id).containsExactly(id);
		assertThat(engine.runUntilIdle()).isOne();
		assertThat(jobs()).isEmpty();
	}

	private JobEngine deadOn(JobStore store) {
		JobEngine engine = build(new JobEngineBuilder(store).clock(this.clock)
			.handler(this.handler.named("a")
				.with(HandlerOptions.of((set) -> set.retryPolicy(AT_ONCE.with((retry) -> retry.maxAttempts(1)))))));
		failing(engine);
		assertThat(engine.runUntilIdle()).isOne();
		assertThat(jobs(JobState.DEAD)).hasSize(1);
		return engine;
	}

	@Test
	void retryOfAnUnknownIdIsFalse() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		String id = failing(engine);
		engine.runUntilIdle();
		assertThat(engine.operations().job(id + "x").retry()).isFalse();
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void retryOfAWaitingJobMakesItDueNowAndKeepsItsCount() {
		JobEngine engine = engine(fixed(Duration.ofHours(1)));
		String id = failing(engine);
		engine.runUntilIdle();
		assertThat(engine.operations().job(id).retry()).isTrue();
		assertThat(job(id).trail().failures()).isEqualTo(1);
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void rescheduledJobRunsAtItsNewTime() {
		JobEngine engine = engine(AT_ONCE);
		String id = engine.client().enqueue("a", (options) -> options.delay(Duration.ofHours(1))).id();
		assertThat(engine.client().reschedule(id, START.plusSeconds(5))).isTrue();
		this.clock.advance(Duration.ofSeconds(5));
		assertThat(engine.runUntilIdle()).isEqualTo(1);
	}

	@Test
	void deadJobCannotBeRescheduled() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		String id = failing(engine);
		engine.runUntilIdle();
		assertThat(engine.client().reschedule(id, START)).isFalse();
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void retryAllTakesThousandsBehindThoseWithoutAHandler() {
		stranded("unknown", 1100);
		stranded("a", 1100);
		JobEngine engine = engine(AT_ONCE);
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).retry())
			.isEqualTo(2200);
		assertThat(engine.runUntilIdle()).isEqualTo(1100);
		assertThat(count("unknown", JobState.READY)).isEqualTo(1100);
		assertThat(queue("unknown").dead()).isZero();
	}

	private long count(String name, JobState state) {
		JobFilter filter = JobFilter.of((only) -> only.states(state).name(name));
		return this.store.inspector().count(filter, 100_000, this.clock.instant()).number();
	}

	private void stranded(String name, int count) {
		JobEngine engine = build(builder()
			.settings(EngineSettings.defaults().withRetention(new Retention(null, 0, null, 0, Duration.ofSeconds(1)))));
		engine.client().enqueueAll(requests(name, count));
		this.clock.advance(Duration.ofMinutes(1));
		engine.runUntilIdle();
		assertThat(count(name, JobState.DEAD)).isEqualTo(count);
	}

	@Test
	void retryAllPassesOverThoseItCannotRetry() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.thenReturn(JobResult.discard().message("dies"));
		enqueueUnique(engine, 600);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(1));
		engine.client().enqueueAll(requests("a", 600));
		engine.runUntilIdle();
		engine.operations().queue("a").pause();
		enqueueUnique(engine, 600);
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).retry()).isEqualTo(600);
		assertThat(queue("a").dead()).isEqualTo(600);
		assertThat(queue("a").ready()).isEqualTo(1200);
	}

	private static void enqueueUnique(JobEngine engine, int count) {
		engine.client()
			.enqueueAll(IntStream.range(0, count)
				.mapToObj((i) -> JobRequest.named("a")
					.payload(i)
					.options((set) -> set.unique(Unique.byPayload((rule) -> rule.untilDone()))))
				.toList());
	}

	@Test
	void retryAllTakesOnlyWhatItsFilterSelects() {
		JobEngine engine = dead("a", "b");
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.name("b"))).retry()).isEqualTo(1);
		assertThat(jobs(JobState.DEAD)).extracting(Job::name).containsExactly("a");
	}

	@Test
	void retryAllLeavesJobsThatAreNotDead() {
		JobEngine engine = dead("a");
		String later = engine.client().enqueue("a", (options) -> options.delay(Duration.ofHours(1))).id();
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.name("a"))).retry()).isEqualTo(1);
		assertThat(job(later).state()).isEqualTo(JobState.SCHEDULED);
	}

	// --- removal

	@Test
	void deleteRemovesExactlyItsJob() {
		JobEngine engine = dead("a", "a");
		String first = jobs(JobState.DEAD).get(0).id();
		String second = jobs(JobState.DEAD).get(1).id();
		assertThat(engine.operations().job(first).delete()).isTrue();
		assertThat(exists(first)).isFalse();
		assertThat(exists(second)).isTrue();
	}

	@Test
	void deleteOfAnUnknownIdIsFalse() {
		JobEngine engine = dead("a");
		String id = jobs(JobState.DEAD).get(0).id();
		assertThat(engine.operations().job(id.substring(1)).delete()).isFalse();
		assertThat(engine.operations().job("").delete()).isFalse();
		assertThat(exists(id)).isTrue();
	}

	@Test
	void deleteRemovesAJobThatWaitsForItsRetry() {
		JobEngine engine = engine(fixed(Duration.ofHours(1)));
		String id = failing(engine);
		engine.runUntilIdle();
		assertThat(engine.operations().job(id).delete()).isTrue();
		this.clock.advance(Duration.ofHours(1));
		assertThat(engine.runUntilIdle()).isZero();
	}

	@Test
	void runningJobIsNotDeleted() {
		JobEngine engine = engine(AT_ONCE);
		List<Boolean> deleted = new ArrayList<>();
		this.handler.then((payload, context) -> {
			deleted.add(engine.operations().job(context.id()).delete());
			return JobResult.discard().message("stays");
		});
		String id = engine.client().enqueue("a").id();
		engine.runUntilIdle();
		assertThat(deleted).containsExactly(false);
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void deleteAllLeavesNoDeadJob() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.thenReturn(JobResult.discard().message("dies"));
		engine.client().enqueueAll(requests("a", 1050));
		engine.runUntilIdle();
		String waiting = engine.client().enqueue("a", (options) -> options.delay(Duration.ofHours(1))).id();
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).delete())
			.isEqualTo(1050);
		assertThat(jobs()).extracting(Job::id).containsExactly(waiting);
	}

	@Test
	void deleteAllRemovesOnlyWhatItsFilterSelects() {
		JobEngine engine = dead("a", "b", "b");
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.states(JobState.DEAD).name("b"))).delete())
			.isEqualTo(2);
		assertThat(jobs()).extracting(Job::name).containsExactly("a");
	}

	@Test
	void deleteAllLeavesWhatWasEnqueuedAfterItBegan() {
		JobClient client = engine(AT_ONCE).client();
		List<String> later = new ArrayList<>();
		JobStore busy = new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				List<Changed> changed = super.change(changes, now);
				if (later.size() < 3) {
					RetrySuite.this.clock.advance(Duration.ofSeconds(1));
					later.add(client.enqueue("a").id());
				}
				return changed;
			}

		};
		client.enqueueAll(requests("a", 1200));
		assertThat(build(new JobEngineBuilder(busy).clock(this.clock)).operations()
			.jobs(JobFilter.of((only) -> only.states(JobState.READY)))
			.delete()).isEqualTo(1200);
		assertThat(jobs()).extracting(Job::id).containsExactlyElementsOf(later).hasSize(3);
	}

	@Test
	void deleteAllContinuesAfterAPageWhoseJobsAreAllGone() {
		JobClient client = engine(AT_ONCE).client();
		client.enqueueAll(requests("a", 600));
		JobStore busy = storeWhoseFirstPageIsGone();
		assertThat(build(new JobEngineBuilder(busy).clock(this.clock)).operations()
			.jobs(JobFilter.of((only) -> only.states(JobState.READY)))
			.delete()).isEqualTo(100);
		assertThat(jobs()).isEmpty();
	}

	private JobStore storeWhoseFirstPageIsGone() {
		JobInspector inspector = this.store.inspector();
		AtomicBoolean first = new AtomicBoolean(true);
		JobInspector late = (JobInspector) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JobInspector.class }, (proxy, method, arguments) -> {
					Object answer = method.invoke(inspector, arguments);
					if (answer instanceof JobPage page && first.getAndSet(false)) {
						this.store.change(
								page.jobs().stream().<Change>map((job) -> new Change.Delete(job.id())).toList(), now());
						return JobPage.of(List.of(), page.next());
					}
					return answer;
				});
		return new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				return late;
			}

		};
	}

	@Test
	void cancelAllEndsWhatWaitsAndRuns() {
		JobEngine engine = engine(AT_ONCE);
		List<Integer> cancelled = new ArrayList<>();
		this.handler.then((payload, context) -> {
			if (cancelled.isEmpty()) {
				cancelled.add(engine.operations().jobs(JobFilter.of((only) -> only.name("a"))).cancel());
				cancelled.add(engine.operations().jobs(JobFilter.of((only) -> only.name("b"))).cancel());
			}
			return JobResult.done();
		});
		engine.client().enqueue("a", (options) -> options.delay(Duration.ofHours(1)));
		engine.client().enqueueAll(requests("a", 1200));
		engine.client().enqueue("b", (options) -> options.delay(Duration.ofHours(1)));
		engine.runUntilIdle();
		assertThat(cancelled).containsExactly(1201, 1);
		assertThat(jobs()).isEmpty();
	}

	@Test
	void cancelAllLeavesWhatHasEnded() {
		JobEngine engine = dead("a", "b");
		String waiting = engine.client().enqueue("a", (options) -> options.delay(Duration.ofHours(1))).id();
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.name("b"))).cancel()).isZero();
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.text(waiting))).cancel()).isEqualTo(1);
		assertThat(jobs()).extracting(Job::state).containsOnly(JobState.DEAD).hasSize(2);
	}

	@Test
	void bulkChangeReportsTheIdsOfTheJobsItChangedAndNoOthers() {
		JobEngine engine = dead("a", "a", "b");
		List<String> dead = jobs().stream().filter((job) -> job.name().equals("a")).map(Job::id).toList();
		String later = engine.client().enqueue("a", (options) -> options.delay(Duration.ofHours(1))).id();
		List<String> changed = new ArrayList<>();
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.name("a"))).cancel(changed::add)).isOne();
		assertThat(changed).containsExactly(later);
		changed.clear();
		assertThat(engine.operations().jobs(JobFilter.of((only) -> only.name("a"))).retry(changed::add)).isEqualTo(2);
		assertThat(changed).containsExactlyInAnyOrderElementsOf(dead);
		changed.clear();
		assertThat(engine.operations()
			.jobs(JobFilter.of((only) -> only.name("a").states(JobState.READY)))
			.delete(changed::add)).isEqualTo(2);
		assertThat(changed).containsExactlyInAnyOrderElementsOf(dead);
		assertThat(jobs()).extracting(Job::name).containsExactly("b");
	}

	// --- dead jobs

	@Test
	void deadJobsAreListedInPagesByTheTimeOfTheirDeath() {
		List<String> ids = deadOneAfterTheOther(45);
		PageRequest request = PageRequest.oldestFirst(20);
		List<List<String>> pages = new ArrayList<>();
		do {
			JobPage page = this.store.inspector()
				.page(JobFilter.of((only) -> only.states(JobState.DEAD)), request, now());
			pages.add(page.jobs().stream().map(Job::id).toList());
			request = request.after(page.next());
		}
		while (request.after() != null);
		assertThat(pages).containsExactly(ids.subList(0, 20), ids.subList(20, 40), ids.subList(40, 45));
	}

	@Test
	void deadJobsAreCounted() {
		deadOneAfterTheOther(45);
		assertThat(this.store.inspector().count(JobFilter.of((only) -> only.states(JobState.DEAD)), 100, now()))
			.isEqualTo(JobCount.exactly(45));
	}

	@Test
	void newestDeadJobsMayComeFirst() {
		List<String> ids = deadOneAfterTheOther(3);
		assertThat(this.store.inspector()
			.page(JobFilter.of((only) -> only.states(JobState.DEAD)), PageRequest.newestFirst(2), now())
			.jobs()).extracting(Job::id).containsExactly(ids.get(2), ids.get(1));
	}

	@Test
	void deadJobsAreFoundByTheirError() {
		JobEngine engine = engine(AT_ONCE.with((retry) -> retry.maxAttempts(1)));
		this.handler.then((payload, context) -> {
			throw new IllegalStateException("cannot reach " + payload);
		});
		engine.client().enqueue("a", "Berlin");
		String paris = engine.client().enqueue("a", "Paris").id();
		engine.runUntilIdle();
		assertThat(AllJobs.of(this.store.inspector(),
				JobFilter.of((only) -> only.states(JobState.DEAD).text("REACH paris")), now()))
			.extracting(Job::id)
			.containsExactly(paris);
	}

	@Test
	void oldestDeadJobsGoAboveTheCap() {
		List<String> ids = deadOneAfterTheOther(101, new Retention(null, 100, null, 0, null));
		assertThat(jobs(JobState.DEAD)).extracting(Job::id).isEqualTo(ids.subList(1, 101));
	}

	@Test
	void moreThanAThousandDeadJobsOfANameStay() {
		JobEngine engine = engine(AT_ONCE);
		this.handler.thenReturn(JobResult.discard().message("dies"));
		engine.client().enqueueAll(requests("a", 1100));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofDays(89));
		engine.runUntilIdle();
		assertThat(count("a", JobState.DEAD)).isEqualTo(1100);
	}

	@Test
	void deadJobsGoOnceTheyAreTooOld() {
		List<String> ids = deadOneAfterTheOther(3, new Retention(Duration.ofMinutes(1), 0, null, 0, null));
		Instant firstDied = end(ids.get(0)).at();
		this.clock.set(firstDied.plusSeconds(60));
		build(settings(new Retention(Duration.ofMinutes(1), 0, null, 0, null))).runUntilIdle();
		assertThat(jobs(JobState.DEAD)).hasSize(3);
		this.clock.advance(Duration.ofMillis(1));
		build(settings(new Retention(Duration.ofMinutes(1), 0, null, 0, null))).runUntilIdle();
		assertThat(jobs(JobState.DEAD)).extracting(Job::id).isEqualTo(ids.subList(1, 3));
	}

	@Test
	void startedEnginePrunesByItself() {
		List<String> ids = deadOneAfterTheOther(5, new Retention(null, 0, null, 0, null));
		assertThat(jobs(JobState.DEAD)).hasSize(5);
		start(settings(new Retention(null, 3, null, 0, null)));
		await("the oldest two have gone", () -> jobs(JobState.DEAD).size() == 3);
		assertThat(jobs(JobState.DEAD)).extracting(Job::id).isEqualTo(ids.subList(2, 5));
	}

	@Test
	void deadJobsStayForEverIfNothingBoundsThem() {
		List<String> ids = deadOneAfterTheOther(20, new Retention(null, 0, null, 0, null));
		this.clock.advance(Duration.ofDays(10_000));
		build(settings(new Retention(null, 0, null, 0, null))).runUntilIdle();
		assertThat(jobs(JobState.DEAD)).extracting(Job::id).isEqualTo(ids);
	}

	@Test
	void retentionTouchesNoLiveJob() {
		JobEngine engine = build(settings(new Retention(Duration.ofMillis(1), 1, Duration.ofMillis(1), 1, null)));
		JobClient client = engine.client();
		engine.operations().queue("a").pause();
		client.enqueueAll(requests("a", 3));
		client.enqueue("a", (options) -> options.delay(Duration.ofDays(100)));
		this.clock.advance(Duration.ofDays(50));
		engine.runUntilIdle();
		assertThat(jobs()).hasSize(4);
	}

	// --- help

	private JobEngine engine(RetryPolicy policy) {
		return build(
				builder().handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.retryPolicy(policy)))));
	}

	private JobEngineBuilder settings(Retention retention) {
		return builder().handler(this.handler.named("a").with(HandlerOptions.of((set) -> set.retryPolicy(AT_ONCE))))
			.settings(EngineSettings.defaults().withRetention(retention));
	}

	private static RetryPolicy fixed(Duration delay) {
		return RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(delay)));
	}

	private String failing(JobEngine engine) {
		this.handler.thenFail("no");
		return engine.client().enqueue("a").id();
	}

	/**
	 * Run a job once, at its due time.
	 * @return its delay from then to its next run
	 */
	private Duration failOnce(JobEngine engine, String id) {
		Instant due = job(id).dueAt();
		if (due.isAfter(now())) {
			this.clock.set(due);
		}
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		return Duration.between(now(), job(id).dueAt());
	}

	private List<Duration> delays(JobEngine engine, int count) {
		String id = failing(engine);
		return IntStream.range(0, count).mapToObj((i) -> failOnce(engine, id)).toList();
	}

	private JobEngine dead(String... names) {
		JobEngine engine = build(builder().handler(this.handler.named("a")).handler(this.handler.named("b")));
		this.handler.thenReturn(JobResult.discard().message("dies"));
		for (String name : names) {
			engine.client().enqueue(name);
		}
		engine.runUntilIdle();
		assertThat(jobs(JobState.DEAD)).hasSize(names.length);
		return engine;
	}

	private List<String> deadOneAfterTheOther(int count) {
		return deadOneAfterTheOther(count, Retention.defaults());
	}

	private List<String> deadOneAfterTheOther(int count, Retention retention) {
		JobEngine engine = build(settings(retention));
		this.handler.thenReturn(JobResult.discard().message("dies"));
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			this.clock.advance(Duration.ofMillis(10));
			ids.add(engine.client().enqueue("a").id());
			engine.runUntilIdle();
		}
		return ids;
	}

	private Trail.End end(String id) {
		Trail.End end = job(id).trail().end();
		if (end == null) {
			throw new AssertionError("The job is not dead: " + job(id));
		}
		return end;
	}

	private Instant now() {
		return this.clock.instant();
	}

	private static List<JobRequest> requests(String name, int count) {
		return IntStream.range(0, count).mapToObj((i) -> JobRequest.named(name).payload(i)).toList();
	}

}
