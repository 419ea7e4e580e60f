package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.ScheduleStatus;
import dev.jobs.Unique;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.test.SettableClock;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The promises of an engine about schedules.
 */
public abstract class CronSuite extends EngineSuite {

	private final List<String> ticks = new ArrayList<>();

	private final List<JobEvent> events = new ArrayList<>();

	private JobEngine engine(String cron) {
		return engine(cron, Misfire.runOnce(), null);
	}

	private JobEngine engine(String cron, Misfire misfire, @Nullable Object payload) {
		return build(builder().handler(recording())
			.listeners(List.of(this.events::add))
			.recurringJob(RecurringJob.of("report", Schedule.parse(cron), "make-report")
				.withPayload(payload)
				.withMisfire(misfire)));
	}

	private HandlerDefinition recording() {
		return HandlerDefinition.of("make-report", Object.class, (payload, context) -> {
			this.ticks.add(context.headers().get("jobs.tick"));
			return JobResult.done();
		});
	}

	private static String tick(int seconds) {
		return START.plusSeconds(seconds).toString();
	}

	@Test
	void triggeredScheduleEnqueuesItsJobAtOnce() {
		JobEngine engine = build(builder().handler(recording())
			.recurringJob(RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report")));
		assertThat(engine.operations().schedule("report").runNow().isNew()).isTrue();
		assertThat(jobs(JobState.READY)).singleElement()
			.satisfies((job) -> assertThat(job.headers()).containsEntry("jobs.schedule", "report"));
	}

	@Test
	void everyTickFiresOnceHoweverManyEnginesThereAre() {
		List<JobEngine> engines = IntStream.range(0, 5).mapToObj((i) -> engine("*/1 * * * * *")).toList();
		engines.forEach(JobEngine::runUntilIdle);
		for (int i = 0; i < 30; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			engines.forEach(JobEngine::runUntilIdle);
		}
		assertThat(this.ticks)
			.containsExactlyElementsOf(IntStream.rangeClosed(1, 30).mapToObj(CronSuite::tick).toList());
	}

	@Test
	void tickIsCountedAndPublishedByTheEngineThatFiredItAlone() {
		List<JobEvent> published = new CopyOnWriteArrayList<>();
		RecurringJob report = RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report");
		List<JobEngine> engines = IntStream.range(0, 3)
			.mapToObj((i) -> build(
					builder().handler(recording()).listeners(List.of(published::add)).recurringJob(report)))
			.toList();
		engines.forEach(JobEngine::runUntilIdle);
		this.clock.advance(Duration.ofSeconds(10));
		engines.forEach(JobEngine::runUntilIdle);
		assertThat(published.stream().filter(JobEvent.Ticked.class::isInstance)).hasSize(1);
	}

	@Test
	void interceptorsOfEachEngineSeeATickAndItsJobIsStoredOnce() {
		List<String> ids = new ArrayList<>();
		EnqueueInterceptor interceptor = (requests, next) -> {
			List<Enqueued> enqueued = next.proceed(requests);
			enqueued.forEach((each) -> ids.add(each.id()));
			return enqueued;
		};
		RecurringJob report = RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report");
		List<JobEngine> engines = IntStream.range(0, 3)
			.mapToObj((i) -> build(
					builder().handler(recording()).enqueueInterceptors(List.of(interceptor)).recurringJob(report)))
			.toList();
		engines.forEach(JobEngine::runUntilIdle);
		this.clock.advance(Duration.ofSeconds(10));
		engines.forEach(JobEngine::runUntilIdle);
		assertThat(ids).hasSize(3).containsOnly(ids.get(0));
		assertThat(this.ticks).containsExactly(tick(10));
	}

	@Test
	void manySchedulesCostOneCallAtTheStartNoneEachHourAndOneForAllThatIsDue() {
		List<Integer> calls = new ArrayList<>();
		JobEngineBuilder builder = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<TickReply> fireTicks(List<Tick> ticks, Instant instant) {
				calls.add(ticks.size());
				return super.fireTicks(ticks, instant);
			}

		}).clock(this.clock).handler(recording());
		for (int i = 0; i < 100; i++) {
			builder.recurringJob(RecurringJob.of("report-" + i, Schedule.parse("@daily"), "make-report"));
		}
		JobEngine engine = build(builder);
		engine.runUntilIdle();
		for (int hour = 1; hour < 24; hour++) {
			this.clock.advance(Duration.ofHours(1));
			engine.runUntilIdle();
		}
		assertThat(calls).containsExactly(100);
		this.clock.advance(Duration.ofHours(1));
		engine.runUntilIdle();
		assertThat(calls).containsExactly(100, 100);
		assertThat(this.ticks).hasSize(100).containsOnly(tick(24 * 3600));
	}

	@Test
	void scheduleThatFiredIsNotOfferedAgainWhenTheStoreFailsForAnother() {
		List<String> fired = new ArrayList<>();
		JobEngineBuilder builder = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<TickReply> fireTicks(List<Tick> ticks, Instant instant) {
				List<String> names = ticks.stream()
					.filter((tick) -> tick.job() != null)
					.map((tick) -> tick.schedule().name())
					.toList();
				if (names.size() == 4 || names.contains("d")) {
					throw JobStoreException.refused("planted", null, names.size() != 4);
				}
				fired.addAll(names);
				return super.fireTicks(ticks, instant);
			}

		}).clock(this.clock).handler(recording());
		for (String name : List.of("a", "b", "c", "d")) {
			builder.recurringJob(RecurringJob.of(name, Schedule.parse("@every 10s"), "make-report"));
		}
		JobEngine engine = build(builder);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(engine::runUntilIdle)
			.withMessageContainingAll("'d'", "planted");
		assertThat(fired).containsExactly("a", "b", "c");
	}

	@Test
	void moreTicksThanOneCallTakesAreFiredAllTheSame() {
		JobEngineBuilder builder = builder().handler(recording());
		for (int i = 0; i < 250; i++) {
			builder.recurringJob(RecurringJob.of("report-" + i, Schedule.parse("@every 10s"), "make-report")
				.withMisfire(Misfire.skip()));
		}
		JobEngine engine = build(builder);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		engine.runUntilIdle();
		assertThat(this.ticks).hasSize(250).containsOnly(tick(10));
	}

	@Test
	void interceptorThatStopsOneOfSeveralTicksStopsNoOther() {
		EnqueueInterceptor interceptor = (requests, next) -> {
			List<JobRequest> passed = requests.stream()
				.filter((request) -> !"stopped".equals(request.getOptions().getHeaders().get("jobs.schedule")))
				.toList();
			Iterator<Enqueued> enqueued = next.proceed(passed).iterator();
			return requests.stream()
				.map((request) -> passed.contains(request) ? enqueued.next()
						: Enqueued.of("none", Enqueued.Outcome.STOPPED, START))
				.toList();
		};
		JobEngineBuilder builder = builder().handler(recording()).enqueueInterceptors(List.of(interceptor));
		for (String name : List.of("stopped", "report")) {
			builder.recurringJob(
					RecurringJob.of(name, Schedule.parse("@every 10s"), "make-report").withMisfire(Misfire.runAll(10)));
		}
		JobEngine engine = build(builder);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(20));
		engine.runUntilIdle();
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(10), tick(20));
	}

	@Test
	void everyTickFiresOnceWhenFiveEnginesRaceForIt() {
		List<Instant> raced = new CopyOnWriteArrayList<>();
		HandlerDefinition handler = HandlerDefinition.of("make-report", Object.class, (payload, context) -> {
			Instant tick = Instant.parse(context.headers().get("jobs.tick"));
			raced.add(tick);
			return JobResult.done();
		});
		List<JobEngine> engines = IntStream.range(0, 5)
			.mapToObj((i) -> start(new JobEngineBuilder(this.store).clock(InstantSource.system())
				.handler(handler)
				.recurringJob(RecurringJob.of("report", Schedule.parse("*/1 * * * * *"), "make-report")
					.withMisfire(Misfire.runAll(1000)))))
			.toList();
		await("five ticks", () -> raced.size() >= 5);
		// Ticks that are fired together, after a stall, run in any order.
		engines.get(0).operations().schedule("report").pause();
		await("the end of their jobs",
				() -> this.store.inspector()
					.queues(InstantSource.system().instant())
					.stream()
					.allMatch((queue) -> queue.waiting() + queue.running() == 0));
		List<Instant> inOrder = raced.stream().sorted().toList();
		assertThat(inOrder).containsExactlyElementsOf(
				IntStream.range(0, inOrder.size()).mapToObj((second) -> inOrder.get(0).plusSeconds(second)).toList());
	}

	@Test
	void enginesThatTickAtOnceReportNoFaultAndFireEachTickOnce() {
		List<String> fired = new CopyOnWriteArrayList<>();
		HandlerDefinition handler = HandlerDefinition.of("make-report", Object.class, (payload, context) -> {
			fired.add(context.headers().get("jobs.schedule") + " " + context.headers().get("jobs.tick"));
			return JobResult.done();
		});
		CountDownLatch[] together = { new CountDownLatch(2) };
		List<JobEngine> engines = IntStream.range(0, 2).mapToObj((i) -> {
			JobEngineBuilder builder = new JobEngineBuilder(new ForwardingStore(this.store) {

				@Override
				public List<TickReply> fireTicks(List<Tick> ticks, Instant instant) {
					together[0].countDown();
					await("the other engine", () -> together[0].getCount() == 0);
					return super.fireTicks(ticks, instant);
				}

			}).clock(this.clock).handler(handler);
			IntStream.range(0, 20)
				.forEach((report) -> builder
					.recurringJob(RecurringJob.of("report-" + report, Schedule.parse("@every 10s"), "make-report")));
			return build(builder);
		}).toList();
		for (int round = 0; round <= 10; round++) {
			together[0] = new CountDownLatch(2);
			engines.stream()
				.map((engine) -> CompletableFuture.runAsync(engine::runUntilIdle, (task) -> new Thread(task).start()))
				.toList()
				.forEach(CompletableFuture::join);
			engines.forEach(JobEngine::runUntilIdle);
			assertThat(fired).hasSize(20 * round).doesNotHaveDuplicates();
			this.clock.advance(Duration.ofSeconds(10));
		}
	}

	@Test
	void scheduleThatTicksSeldomIsNotForgottenWhileItsEngineLives() {
		JobEngine engine = engine("0 0 0 1 1 *");
		engine.runUntilIdle();
		for (int day = 0; day < 70; day++) {
			this.clock.advance(Duration.ofDays(1));
			engine.runUntilIdle();
		}
		assertThat(engine.operations().schedules()).singleElement()
			.satisfies((schedule) -> assertThat(schedule.last()).isNull());
		this.clock.set(Instant.parse("2031-01-01T00:00:00Z"));
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly("2031-01-01T00:00:00Z");
	}

	@Test
	void everyTickAfterAPurgeFires() {
		JobEngine engine = engine("0 0 */2 * * *");
		engine.runUntilIdle();
		this.clock.advance(Duration.ofMinutes(90));
		engine.operations().store().purge();
		this.clock.advance(Duration.ofMinutes(30));
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(7200));
		assertThat(engine.operations().schedules()).singleElement()
			.satisfies((schedule) -> assertThat(schedule.last()).isEqualTo(START.plusSeconds(7200)));
	}

	@Test
	void scheduleThatNobodyUnderstandsIsListedWithoutOne() {
		this.store.fireTicks(
				List.of(Tick.of(new NewSchedule("broken", "UTC 0 0 0 L-28 * *", "make-report"), START, null)), START);
		this.store.fireTicks(List.of(Tick.of(new NewSchedule("never", "UTC 0 0 30 2 *", "make-report"), START, null)),
				START);
		assertThat(build(builder()).operations().schedules())
			.extracting(ScheduleStatus::name, ScheduleStatus::definition, ScheduleStatus::expression,
					ScheduleStatus::zone, ScheduleStatus::last, ScheduleStatus::next, ScheduleStatus::definedHere)
			.containsExactly(tuple("broken", "UTC 0 0 0 L-28 * *", null, null, null, null, false),
					tuple("never", "UTC 0 0 30 2 *", "0 0 30 2 *", ZoneId.of("UTC"), null, null, false));
	}

	@Test
	void everyIntervalTicksAtTheSameInstantsWheneverAnEngineStarts() {
		JobEngine first = engine("@every 5s");
		first.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(3));
		JobEngine second = engine("@every 5s");
		for (int i = 0; i < 27; i++) {
			second.runUntilIdle();
			first.runUntilIdle();
			this.clock.advance(Duration.ofSeconds(1));
		}
		assertThat(this.ticks).containsExactly(tick(5), tick(10), tick(15), tick(20), tick(25));
	}

	@Test
	void jobOfTickCarriesItsScheduleAndTick() {
		JobEngine engine = engine("@every 5s");
		engine.runUntilIdle();
		engine.operations().queue("make-report").pause();
		this.clock.advance(Duration.ofSeconds(5));
		engine.runUntilIdle();
		assertThat(jobs(JobState.READY)).singleElement().satisfies((job) -> {
			assertThat(job.headers()).isEqualTo(Map.of("jobs.schedule", "report", "jobs.tick", tick(5)));
			assertThat(job.id()).endsWith("-report-" + START.plusSeconds(5).toEpochMilli());
		});
	}

	@Test
	void pausedScheduleContinuesWithTheNextTickOnceItIsResumed() {
		JobEngine engine = engine("@every 5s", Misfire.runAll(100), null);
		JobEngine other = engine("@every 5s", Misfire.runAll(100), null);
		engine.runUntilIdle();
		other.runUntilIdle();
		engine.operations().schedule("report").pause();
		for (int i = 0; i < 4; i++) {
			this.clock.advance(Duration.ofSeconds(3));
			engine.runUntilIdle();
		}
		engine.operations().schedule("report").resume();
		other.runUntilIdle();
		engine("@every 5s", Misfire.runAll(100), null).runUntilIdle();
		assertThat(this.ticks).isEmpty();
		this.clock.advance(Duration.ofSeconds(3));
		other.runUntilIdle();
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(15));
	}

	@Test
	void latestRunsOfAScheduleAreReturnedWithTheirFate() {
		JobEngine engine = engine("@every 5s", Misfire.runOnce(), null);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(5));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(21));
		engine.operations().queue("make-report").pause();
		engine.runUntilIdle();
		List<ScheduleStatus.Run> runs = engine.operations().schedule("report").runs();
		assertThat(runs).hasSize(2);
		assertThat(runs.get(0).tick()).isEqualTo(START.plusSeconds(25));
		assertThat(runs.get(0).firedAt()).isEqualTo(START.plusSeconds(26));
		assertThat(runs.get(0).fate()).isEqualTo(ScheduleStatus.Fate.WAITING);
		assertThat(runs.get(0).passedOver()).isEqualTo(3);
		assertThat(job(runs.get(0).jobId()).name()).isEqualTo("make-report");
		assertThat(runs.get(1).tick()).isEqualTo(START.plusSeconds(5));
		assertThat(runs.get(1).fate()).isEqualTo(ScheduleStatus.Fate.ENDED);
		assertThat(runs.get(1).ran()).isNull();
		assertThat(runs.get(1).passedOver()).isZero();
	}

	@Test
	void firedTickIsNotFiredAgainByAnEngineWhoseClockIsBehind() {
		JobEngine engine = engine("*/1 * * * * *");
		engine.runUntilIdle();
		SettableClock behind = SettableClock.at(START.minusSeconds(5));
		JobEngine late = build(builder().clock(behind)
			.handler(recording())
			.recurringJob(RecurringJob.of("report", Schedule.parse("*/1 * * * * *"), "make-report")
				.withMisfire(Misfire.runAll(100))));
		for (int i = 0; i < 10; i++) {
			this.clock.advance(Duration.ofSeconds(1));
			behind.advance(Duration.ofSeconds(1));
			engine.runUntilIdle();
			late.runUntilIdle();
		}
		assertThat(this.ticks).hasSize(10).doesNotHaveDuplicates();
	}

	@Test
	void missedTicksAreMadeUpForByOneRunByDefault() {
		engine("*/1 * * * * *").runUntilIdle();
		this.clock.advance(Duration.ofMinutes(5));
		engine("*/1 * * * * *").runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(300));
	}

	@Test
	void missedTicksAreForgottenIfTheRuleIsToSkip() {
		engine("*/1 * * * * *", Misfire.skip(), null).runUntilIdle();
		this.clock.advance(Duration.ofMinutes(5).plusMillis(500));
		JobEngine engine = engine("*/1 * * * * *", Misfire.skip(), null);
		engine.runUntilIdle();
		assertThat(this.ticks).isEmpty();
		this.clock.advance(Duration.ofMillis(500));
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(301));
	}

	@Test
	void newestMissedTicksAreFiredInOrderIfTheRuleIsToRunAll() {
		engine("*/1 * * * * *", Misfire.runAll(3), null).runUntilIdle();
		this.clock.advance(Duration.ofMinutes(5).plusMillis(500));
		engine("*/1 * * * * *", Misfire.runAll(3), null).runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(298), tick(299), tick(300));
	}

	@Test
	void missedTicksArePublished() {
		engine("@every 10s", Misfire.skip(), null).runUntilIdle();
		this.clock.advance(Duration.ofSeconds(35));
		engine("@every 10s", Misfire.skip(), null).runUntilIdle();
		assertThat(this.events).filteredOn(JobEvent.TicksMissed.class::isInstance)
			.singleElement()
			.asInstanceOf(InstanceOfAssertFactories.type(JobEvent.TicksMissed.class))
			.satisfies((event) -> {
				assertThat(event.schedule()).isEqualTo("report");
				assertThat(event.name()).isEqualTo("make-report");
				assertThat(event.since()).isEqualTo(START.plusSeconds(10));
				assertThat(event.at()).isEqualTo(START.plusSeconds(35));
			});
	}

	@Test
	void missedTicksArePublishedOnceThoughTheirScheduleIsLockedForAWhile() {
		engine("@every 10s").runUntilIdle();
		this.clock.advance(Duration.ofSeconds(35));
		AtomicBoolean locked = new AtomicBoolean(true);
		JobEngine engine = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<TickReply> fireTicks(List<Tick> ticks, Instant instant) {
				boolean fires = ticks.get(0).job() != null;
				return (fires && locked.get()) ? Collections.nCopies(ticks.size(), TickReply.LOCKED)
						: super.fireTicks(ticks, instant);
			}

		}).clock(this.clock)
			.handler(recording())
			.listeners(List.of(this.events::add))
			.recurringJob(RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report")));
		engine.runUntilIdle();
		engine.runUntilIdle();
		assertThat(this.ticks).isEmpty();
		locked.set(false);
		engine.runUntilIdle();
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(30));
		assertThat(this.events).filteredOn(JobEvent.TicksMissed.class::isInstance).hasSize(1);
		assertThat(this.events).filteredOn(JobEvent.Ticked.class::isInstance).hasSize(1);
	}

	@Test
	void tickOfALaterCallDoesNotPassALockedOneOfItsSchedule() {
		AtomicBoolean locked = new AtomicBoolean(true);
		HandlerDefinition handler = HandlerDefinition.of("make-report", byte[].class, (payload, context) -> {
			this.ticks.add(context.headers().get("jobs.tick"));
			return JobResult.done();
		});
		JobEngine engine = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<TickReply> fireTicks(List<Tick> ticks, Instant instant) {
				return (ticks.get(0).job() != null && locked.getAndSet(false))
						? Collections.nCopies(ticks.size(), TickReply.LOCKED) : super.fireTicks(ticks, instant);
			}

		}).clock(this.clock)
			.handler(handler)
			.recurringJob(RecurringJob.of("report", Schedule.parse("@every 1s"), "make-report")
				.withPayload(new byte[600_000])
				.withMisfire(Misfire.runAll(10))));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(3));
		engine.runUntilIdle();
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(1), tick(2), tick(3));
	}

	@Test
	void newScheduleStartsWithItsNextTick() {
		JobEngine engine = engine("0 0 * * * *");
		engine.runUntilIdle();
		assertThat(this.ticks).isEmpty();
		this.clock.advance(Duration.ofHours(1));
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(3600));
	}

	@Test
	void removedScheduleRunsNoMore() {
		engine("@every 10s").runUntilIdle();
		JobEngine without = build(builder().handler(recording()));
		this.clock.advance(Duration.ofMinutes(1));
		without.runUntilIdle();
		assertThat(this.ticks).isEmpty();
		assertThat(jobs()).isEmpty();
	}

	@Test
	void changedScheduleMakesUpForNothingOfItsFormerSelf() {
		engine("@every 10s").runUntilIdle();
		this.clock.advance(Duration.ofSeconds(65));
		JobEngine changed = engine("@every 30s");
		changed.runUntilIdle();
		assertThat(this.ticks).isEmpty();
		this.clock.advance(Duration.ofSeconds(25));
		changed.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(90));
	}

	@Test
	void schedulesAreListedWithTheirLastAndNextTick() {
		JobEngine engine = engine("@every 10s");
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(12));
		engine.runUntilIdle();
		assertThat(engine.operations().schedules()).singleElement().satisfies((schedule) -> {
			assertThat(schedule.name()).isEqualTo("report");
			assertThat(schedule.jobName()).isEqualTo("make-report");
			assertThat(schedule.definition()).isEqualTo("Z @every 10s");
			assertThat(schedule.expression()).isEqualTo("@every 10s");
			assertThat(schedule.last()).isEqualTo(START.plusSeconds(10));
			assertThat(schedule.next()).isEqualTo(START.plusSeconds(20));
			assertThat(schedule.overdueSince()).isNull();
			assertThat(schedule.paused()).isFalse();
			assertThat(schedule.definedHere()).isTrue();
		});
	}

	@Test
	void zoneOfTheScheduleCounts() {
		JobEngine engine = build(builder().handler(recording())
			.recurringJob(
					RecurringJob.of("report", Schedule.parse("0 0 7 * * *", ZoneId.of("Asia/Tokyo")), "make-report")));
		engine.runUntilIdle();
		this.clock.set(Instant.parse("2030-01-01T21:59:59Z"));
		engine.runUntilIdle();
		assertThat(this.ticks).isEmpty();
		this.clock.set(Instant.parse("2030-01-01T22:00:00Z"));
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly("2030-01-01T22:00:00Z");
	}

	@Test
	void scheduleCarriesItsPayload() {
		List<Object> seen = new ArrayList<>();
		JobEngine engine = build(
				builder().handler(HandlerDefinition.of("make-report", Map.class, (payload, context) -> {
					seen.add(payload);
					return JobResult.done();
				}))
					.recurringJob(RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report")
						.withPayload(Map.of("kind", "daily"))));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		engine.runUntilIdle();
		assertThat(seen).containsExactly(Map.of("kind", "daily"));
	}

	@Test
	void uniqueHandlerIsNotOverrunByItsSchedule() {
		EnqueueOptions noOverlap = EnqueueOptions.of((set) -> set.unique(Unique.byPayload((rule) -> rule.untilDone())));
		JobEngine engine = build(builder().handler(recording().with(noOverlap))
			.recurringJob(RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report")));
		engine.runUntilIdle();
		engine.operations().queue("make-report").pause();
		for (int i = 0; i < 3; i++) {
			this.clock.advance(Duration.ofSeconds(10));
			engine.runUntilIdle();
		}
		assertThat(jobs(JobState.READY)).singleElement()
			.satisfies((job) -> assertThat(job.headers()).containsEntry("jobs.tick", tick(10)));
	}

	@Test
	void lostReplyToATickDoesNotFireItTwice() {
		List<JobEvent> published = new CopyOnWriteArrayList<>();
		FaultyStore faulty = new FaultyStore(this.store);
		JobEngine engine = build(new JobEngineBuilder(faulty).clock(this.clock)
			.handler(recording())
			.listeners(List.of(published::add))
			.recurringJob(RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report")));
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		faulty.loseReplies(FaultyStore.Verb.FIRE_TICKS, 1);
		assertThat(catchThrowable(engine::runUntilIdle)).isNotNull();
		engine.runUntilIdle();
		engine.runUntilIdle();
		assertThat(this.ticks).containsExactly(tick(10));
		assertThat(published.stream().filter(JobEvent.Ticked.class::isInstance)).hasSize(1);
	}

	@Test
	void scheduleThatCannotBeFiredHoldsNoOtherUp() {
		AtomicBoolean broken = new AtomicBoolean();
		Object unwritable = new Object() {

			@SuppressWarnings("unused")
			public String getName() {
				if (broken.get()) {
					throw new IllegalStateException("no name");
				}
				return "name";
			}

		};
		JobEngine engine = build(builder().handler(recording())
			.recurringJob(RecurringJob.of("broken", Schedule.parse("@every 5s"), "make-report").withPayload(unwritable))
			.recurringJob(RecurringJob.of("report", Schedule.parse("@every 10s"), "make-report")));
		engine.runUntilIdle();
		broken.set(true);
		this.clock.advance(Duration.ofSeconds(10));
		assertThat(catchThrowable(engine::runUntilIdle)).hasMessageContaining("'broken'");
		assertThat(jobs(JobState.READY)).singleElement()
			.satisfies((job) -> assertThat(job.headers()).containsEntry("jobs.schedule", "report"));
	}

	@Test
	void engineWhoseClientIsClosedLeavesTicksToOthers() {
		JobEngine engine = engine("@daily");
		engine.runUntilIdle();
		engine.closeClient();
		for (int day = 0; day < 2; day++) {
			this.clock.advance(Duration.ofDays(1));
			engine.runUntilIdle();
		}
		assertThat(this.ticks).isEmpty();
		engine("@daily").runUntilIdle();
		assertThat(this.ticks).hasSize(1);
	}

	@Test
	void scheduleNameMustBeUnique() {
		JobEngineBuilder builder = builder().handler(recording());
		RecurringJob job = RecurringJob.of("report", Schedule.parse("@daily"), "make-report")
			.withMisfire(Misfire.skip());
		builder.recurringJob(job);
		assertThatIllegalArgumentException().isThrownBy(() -> builder.recurringJob(job))
			.withMessageContaining("'report' is defined twice");
	}

}
