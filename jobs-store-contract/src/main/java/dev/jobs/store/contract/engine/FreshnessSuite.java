package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import dev.jobs.Backoff;
import dev.jobs.DeadReason;
import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.OnExpiry;
import dev.jobs.RetryPolicy;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about jobs that are useful for some time only: they expire, have a
 * deadline, or give way to newer ones.
 */
public abstract class FreshnessSuite extends EngineSuite {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final RecordingHandler handler = new RecordingHandler();

	private final List<JobEvent> events = Collections.synchronizedList(new ArrayList<>());

	private final CountDownLatch release = new CountDownLatch(1);

	@AfterEach
	void releaseHandlers() {
		this.release.countDown();
	}

	private JobEngineBuilder parts() {
		return parts(HandlerOptions.defaults());
	}

	private JobEngineBuilder parts(HandlerOptions options) {
		return builder().handler(this.handler.named("a").with(options))
			.concurrency(2)
			.listeners(List.of(this.events::add));
	}

	private static HandlerOptions retryAfter(Duration delay) {
		return HandlerOptions
			.of((set) -> set.retryPolicy(RetryPolicy.of((retry) -> retry.backoff(Backoff.fixed(delay)))));
	}

	private <E extends JobEvent> List<E> heard(Class<E> type) {
		return List.copyOf(this.events).stream().filter(type::isInstance).map(type::cast).toList();
	}

	private Trail.End end(String id) {
		return Objects.requireNonNull(job(id).trail().end());
	}

	private DeadReason reason(String id) {
		return end(id).reason();
	}

	// --- expiry

	@Test
	void jobThatExpiredIsNotRunAndCounted() {
		JobEngine engine = build(parts());
		String id = engine.client().enqueue("a", "x", (options) -> options.expiresIn(MINUTE)).id();
		this.clock.advance(MINUTE);
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isZero();
		assertThat(exists(id)).isFalse();
		assertThat(heard(JobEvent.Expired.class)).singleElement()
			.satisfies((event) -> assertThat(List.of(event.id(), event.name(), event.kept())).containsExactly(id, "a",
					false));
		assertThat(heard(JobEvent.Died.class)).isEmpty();
	}

	@Test
	void jobThatStartsInTimeRunsAndItsRetriesDoNotExpire() {
		JobEngine engine = build(parts(retryAfter(MINUTE)));
		engine.client().enqueue("a", "x", (options) -> options.expiresIn(MINUTE));
		this.clock.advance(MINUTE.minusMillis(1));
		this.handler.thenFail("broken");
		engine.runUntilIdle();
		this.clock.advance(MINUTE);
		this.handler.thenReturn(JobResult.done());
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(2);
		assertThat(heard(JobEvent.Succeeded.class)).hasSize(1);
	}

	@Test
	void expiryCountsFromWhenTheJobIsDue() {
		JobEngine engine = build(parts());
		engine.client().enqueue("a", "x", (options) -> options.delay(MINUTE).expiresIn(MINUTE));
		this.clock.advance(MINUTE.plusSeconds(30));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isOne();
	}

	@Test
	void expiredJobIsDeadIfThatIsWantedAndRunsWhenItIsRetried() {
		JobEngine engine = build(parts());
		String id = engine.client()
			.enqueue("a", "x", (options) -> options.expiresIn(MINUTE).onExpiry(OnExpiry.DEAD))
			.id();
		this.clock.advance(MINUTE);
		engine.runUntilIdle();
		assertThat(reason(id)).isEqualTo(DeadReason.EXPIRED);
		assertThat(heard(JobEvent.Expired.class)).singleElement().extracting(JobEvent.Expired::kept).isEqualTo(true);
		this.clock.advance(MINUTE);
		engine.operations().job(id).retry();
		this.clock.advance(MINUTE);
		engine.runUntilIdle();
		assertThat(this.handler.ids()).containsExactly(id);
	}

	@Test
	void expiredJobsUseUpNoLimit() {
		JobEngine engine = build(parts(HandlerOptions.of((set) -> set.maxConcurrency(1))));
		for (int i = 0; i < 5; i++) {
			engine.client().enqueue("a", "old", (options) -> options.expiresIn(MINUTE));
		}
		this.clock.advance(MINUTE);
		engine.client().enqueue("a", "new");
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("new");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void expiredJobsOfAPausedQueueGo() {
		JobEngine engine = start(parts());
		engine.operations().queue("a").pause();
		String id = engine.client().enqueue("a", "x", (options) -> options.expiresIn(MINUTE)).id();
		String other = engine.client().enqueue("a", "y").id();
		this.clock.advance(Duration.ofMinutes(2));
		await("it has gone", () -> !exists(id));
		await("that is published", () -> heard(JobEvent.Expired.class).size() == 1);
		assertThat(exists(other)).isTrue();
	}

	@Test
	void runThatItsWorkerInterruptedDoesNotExpire() {
		JobEngine engine = start(parts());
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		engine.client().enqueue("a", "x", (options) -> options.expiresIn(MINUTE));
		await("it runs", () -> this.handler.runs() == 1);
		engine.stop(Duration.ZERO);
		this.clock.advance(MINUTE);
		this.handler.thenReturn(JobResult.done());
		build(parts()).runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(2);
	}

	@Test
	void tickOfAScheduleExpiresByItsOwnTime() {
		JobEngine engine = build(parts());
		engine.operations()
			.schedule("often")
			.put((schedule) -> schedule.cron("@hourly")
				.job(JobRequest.named("a").options((options) -> options.expiresIn(MINUTE))));
		engine.runUntilIdle();
		for (int hour = 0; hour < 2; hour++) {
			this.clock.advance(Duration.ofHours(1));
			engine.runUntilIdle();
		}
		assertThat(this.handler.runs()).isEqualTo(2);
		assertThat(this.handler.jobs().get(1).expiresAt()).isEqualTo(this.clock.instant().plus(MINUTE));
	}

	@Test
	void zeroMeansNoExpiryAndNoDeadline() {
		JobEngine engine = build(parts());
		engine.client().enqueue("a", "x", (options) -> options.expiresIn(Duration.ZERO).deadlineIn(Duration.ZERO));
		this.clock.advance(Duration.ofDays(1000));
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isOne();
	}

	// --- only the last of many

	@Test
	void debounceRunsOnceWithTheLastPayload() {
		JobEngine engine = build(parts());
		for (int i = 1; i <= 3; i++) {
			String payload = "version " + i;
			engine.client().enqueue("a", payload, (options) -> options.debounce("k", MINUTE, Duration.ofHours(1)));
			this.clock.advance(Duration.ofSeconds(59));
			engine.runUntilIdle();
		}
		assertThat(this.handler.runs()).isZero();
		this.clock.advance(Duration.ofSeconds(1));
		engine.runUntilIdle();
		assertThat(this.handler.payloads()).containsExactly("version 3");
	}

	@Test
	void debounceRunsAtTheLatestAfterItsMostUnderAStreamOfEnqueues() {
		JobEngine engine = build(parts());
		for (int i = 0; i < 300; i++) {
			engine.client().enqueue("a", i, (options) -> options.debounce("k", MINUTE, Duration.ofMinutes(2)));
			this.clock.advance(Duration.ofSeconds(1));
			engine.runUntilIdle();
		}
		assertThat(this.handler.payloads()).containsExactly(119, 239);
	}

	@Test
	void enqueueDuringTheRunOfADebouncedJobIsNotLost() {
		JobEngine engine = build(parts());
		this.handler.then((payload, context) -> {
			if ("first".equals(payload)) {
				engine.client().enqueue("a", "second", (options) -> options.debounce("k", MINUTE, MINUTE));
			}
			return JobResult.done();
		});
		engine.client().enqueue("a", "first", (options) -> options.debounce("k", MINUTE, MINUTE));
		for (int i = 0; i < 2; i++) {
			this.clock.advance(MINUTE);
			engine.runUntilIdle();
		}
		assertThat(this.handler.payloads()).containsExactly("first", "second");
	}

	@Test
	void debounceThatCannotWorkIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((options) -> options.debounce("k", MINUTE, Duration.ofSeconds(1))))
			.withMessageContaining("'debounce'");
	}

	@Test
	void keepLastRunsTheLastOfManyArrivalsAfterTheRunUnderWay() {
		JobEngine engine = start(parts(HandlerOptions.of((set) -> set.laneConcurrency(1))));
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		engine.client().enqueue("a", -1, (options) -> options.keepLast("repository:7"));
		await("it runs", () -> this.handler.runs() == 1);
		IntStream.range(0, 50)
			.parallel()
			.forEach((i) -> engine.client().enqueue("a", i, (options) -> options.keepLast("repository:7")));
		engine.client().enqueue("a", 50, (options) -> options.keepLast("repository:7"));
		assertThat(jobs()).hasSize(2);
		this.release.countDown();
		await("both have run", () -> jobs().isEmpty());
		assertThat(this.handler.payloads()).containsExactly(-1, 50);
	}

	@Test
	void throttleRunsTheFirstAtOnceAndNoOtherInItsTime() {
		JobEngine engine = build(parts());
		List<Boolean> accepted = new ArrayList<>();
		for (int i = 0; i < 5; i++) {
			int payload = i;
			accepted.add(engine.client().tryEnqueue("a", payload, (options) -> options.throttle("k", MINUTE)).isNew());
			engine.runUntilIdle();
			this.clock.advance(Duration.ofSeconds(25));
		}
		assertThat(accepted).containsExactly(true, false, false, true, false);
		assertThat(this.handler.payloads()).containsExactly(0, 3);
	}

	@Test
	void throttleThatCannotWorkIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((options) -> options.throttle("k", Duration.ZERO)))
			.withMessageContaining("'throttle' needs a positive 'window'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> EnqueueOptions.of((options) -> options.throttle("", MINUTE)))
			.withMessageContaining("'throttle' needs a key");
	}

	// --- deadlines

	@Test
	void jobThatMissedItsDeadlineIsNotStarted() {
		JobEngine engine = build(parts());
		String id = engine.client().enqueue("a", "x", (options) -> options.deadline(START.plus(MINUTE))).id();
		this.clock.advance(MINUTE);
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isZero();
		assertThat(exists(id)).isFalse();
		assertThat(heard(JobEvent.Expired.class)).hasSize(1);
	}

	@Test
	void runIsStoppedAtItsDeadlineAndIsDead() {
		JobEngine engine = start(parts(HandlerOptions.of((set) -> set.timeout(Duration.ofHours(1)))));
		this.handler.then((payload, context) -> {
			this.release.await();
			return JobResult.done();
		});
		String id = engine.client().enqueue("a", "x", (options) -> options.deadlineIn(MINUTE)).id();
		await("it runs", () -> this.handler.runs() == 1);
		this.clock.advance(MINUTE);
		await("it is dead", () -> job(id).state() == JobState.DEAD);
		assertThat(reason(id)).isEqualTo(DeadReason.EXPIRED);
		assertThat(end(id).message()).contains("was stopped at its deadline");
		assertThat(job(id).trail().attempts()).hasSize(1);
	}

	@Test
	void retryAfterTheDeadlineIsNotMade() {
		JobEngine engine = build(parts(retryAfter(MINUTE)));
		this.handler.thenFail("broken");
		String id = engine.client().enqueue("a", "x", (options) -> options.deadlineIn(MINUTE.plusSeconds(30))).id();
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.SCHEDULED);
		this.clock.advance(MINUTE);
		engine.runUntilIdle();
		assertThat(reason(id)).isEqualTo(DeadReason.EXPIRED);
		assertThat(end(id).message()).contains("broken").contains("deadline");
		this.clock.advance(MINUTE);
		engine.operations().job(id).retry();
		this.handler.thenReturn(JobResult.done());
		engine.runUntilIdle();
		assertThat(this.handler.runs()).isEqualTo(3);
		assertThat(exists(id)).isFalse();
	}

	@Test
	void jobCannotBePutOffBeyondItsDeadline() {
		JobEngine engine = build(parts());
		this.handler.thenReturn(JobResult.snooze(MINUTE));
		String id = engine.client().enqueue("a", "x", (options) -> options.deadlineIn(MINUTE)).id();
		engine.runUntilIdle();
		assertThat(reason(id)).isEqualTo(DeadReason.EXPIRED);
	}

	@Test
	void handlerSeesHowMuchTimeRemains() {
		JobEngine engine = build(parts(HandlerOptions.of((set) -> set.timeout(MINUTE))));
		AtomicReference<@Nullable Duration> remaining = new AtomicReference<>();
		this.handler.then((payload, context) -> {
			remaining.set(context.remaining());
			return JobResult.done();
		});
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(remaining.get()).isBetween(Duration.ofSeconds(50), MINUTE);
		engine.client().enqueue("a", null, (options) -> options.deadlineIn(Duration.ofSeconds(30)));
		engine.runUntilIdle();
		assertThat(remaining.get()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
		engine.changeHandler("a", (options) -> options.timeout(null));
		engine.client().enqueue("a");
		engine.runUntilIdle();
		assertThat(remaining.get()).isNull();
	}

	@Test
	void deadlineBeforeTheJobIsDueIsRefused() {
		JobEngine engine = build(parts());
		assertThatIllegalArgumentException()
			.isThrownBy(() -> engine.client()
				.enqueue("a", "x", (options) -> options.delay(MINUTE).deadline(START.plusSeconds(1))))
			.withMessageContaining("'deadline'");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> engine.client().enqueue("a", "x", (options) -> options.expiresIn(MINUTE.negated())))
			.withMessageContaining("'expiresIn' must not be negative");
		assertThat(jobs()).isEmpty();
	}

}
