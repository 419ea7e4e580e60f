package dev.jobs.store.contract.engine;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobCalendar;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleRequest.Overlap;
import dev.jobs.ScheduleStatus;
import dev.jobs.Unique;
import dev.jobs.UnknownNameException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.ScheduleOperations.Put;
import dev.jobs.store.Change;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.SettableClock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The promises of an engine about schedules that are put at run time.
 */
public abstract class PutScheduleSuite extends EngineSuite {

	private final List<Job> ran = new CopyOnWriteArrayList<>();

	private JobEngineBuilder recording() {
		return recording(builder());
	}

	private JobEngineBuilder recording(JobEngineBuilder builder) {
		return builder.handler(HandlerDefinition.of("make-report", String.class, (payload, context) -> {
			this.ran.add(context.job());
			return JobResult.done();
		}));
	}

	private JobEngine engine() {
		return build(recording());
	}

	private JobEngine declaring() {
		return build(recording().recurringJob(declared("@every 10s")));
	}

	private static RecurringJob declared(String cron) {
		return RecurringJob.of("report", Schedule.parse(cron), "make-report").withPayload("of code");
	}

	private static Put put(JobEngine engine, String name, Consumer<? super ScheduleRequest.Builder> more) {
		return engine.operations().schedule(name).put((schedule) -> {
			schedule.cron("@every 10s").job("make-report", "forty-two");
			more.accept(schedule);
		});
	}

	private static Put put(JobEngine engine) {
		return put(engine, "report:42", (schedule) -> {
		});
	}

	private void pass(JobEngine engine, int seconds) {
		this.clock.advance(Duration.ofSeconds(seconds));
		engine.runUntilIdle();
	}

	private List<Integer> ticks() {
		return this.ran.stream()
			.map((job) -> Instant.parse(Objects.requireNonNull(job.headers().get("jobs.tick"))))
			.map((tick) -> (int) Duration.between(START, tick).toSeconds())
			.toList();
	}

	private List<String> payloads() {
		return this.ran.stream().map((job) -> new String(job.payload(), StandardCharsets.UTF_8)).toList();
	}

	private static ScheduleStatus status(JobEngine engine, String name) {
		return engine.operations().schedule(name).status().orElseThrow();
	}

	@Test
	void putScheduleTicks() {
		JobEngine engine = engine();
		assertThat(put(engine)).isEqualTo(Put.NEW);
		pass(engine, 9);
		assertThat(this.ran).isEmpty();
		pass(engine, 1);
		pass(engine, 10);
		assertThat(ticks()).containsExactly(10, 20);
		assertThat(payloads()).containsOnly("\"forty-two\"");
		assertThat(this.ran).allSatisfy((job) -> assertThat(job.headers()).containsEntry("jobs.schedule", "report:42"));
	}

	@Test
	void statusShowsAScheduleThatWasPut() {
		JobEngine engine = engine();
		put(engine, "report:42", (schedule) -> schedule.zone("Europe/Berlin"));
		pass(engine, 10);
		ScheduleStatus status = status(engine, "report:42");
		assertThat(status.put()).isTrue();
		assertThat(status.overrides()).isNull();
		assertThat(status.expression()).isEqualTo("@every 10s");
		assertThat(status.zone()).hasToString("Europe/Berlin");
		assertThat(status.jobName()).isEqualTo("make-report");
		assertThat(status.last()).isEqualTo(START.plusSeconds(10));
		assertThat(status.next()).isEqualTo(START.plusSeconds(20));
		assertThat(engine.operations().schedules()).hasSize(1);
		assertThat(engine.operations().schedule("report:42").runs()).hasSize(1);
	}

	@Test
	void sameScheduleAgainIsUnchangedAndDoesNotMoveItsNextTick() {
		JobEngine engine = engine();
		put(engine);
		pass(engine, 5);
		assertThat(put(engine)).isEqualTo(Put.UNCHANGED);
		pass(engine, 5);
		assertThat(put(engine())).isEqualTo(Put.UNCHANGED);
		assertThat(ticks()).containsExactly(10);
	}

	@Test
	void sameScheduleIsUnchangedWhateverTheOrderOfTheKeysOfItsPayload() {
		JobEngine engine = build(builder());
		Map<String, Object> one = new LinkedHashMap<>(Map.of("a", 1));
		one.put("b", Map.of("c", 2));
		Map<String, Object> other = new LinkedHashMap<>(Map.of("b", Map.of("c", 2)));
		other.put("a", 1);
		assertThat(put(engine, "report:42", (schedule) -> schedule.job("make-report", one))).isEqualTo(Put.NEW);
		assertThat(put(engine, "report:42", (schedule) -> schedule.job("make-report", other))).isEqualTo(Put.UNCHANGED);
	}

	@Test
	void sameScheduleIsUnchangedAfterItHasEnded() {
		JobEngine engine = engine();
		Consumer<ScheduleRequest.Builder> ending = (schedule) -> schedule.until(START.plusSeconds(10));
		put(engine, "report:42", ending);
		pass(engine, 10);
		pass(engine, 10);
		assertThat(put(engine, "report:42", ending)).isEqualTo(Put.UNCHANGED);
		assertThat(ticks()).containsExactly(10);
	}

	@Test
	void eachPartOfAScheduleIsAChange() {
		JobEngine engine = engine();
		put(engine);
		List<Consumer<ScheduleRequest.Builder>> changes = List.of((schedule) -> schedule.cron("@every 20s"),
				(schedule) -> schedule.zone("Asia/Tokyo"), (schedule) -> schedule.job("make-report", "other"),
				(schedule) -> schedule.job(JobRequest.named("make-report").payload("forty-two").tags("a")),
				(schedule) -> schedule
					.job(JobRequest.named("make-report").payload("forty-two").options((set) -> set.unique("b"))),
				(schedule) -> schedule.misfire("skip"), (schedule) -> schedule.until(START.plusSeconds(1000)),
				(schedule) -> schedule.jitter(Duration.ofSeconds(4)), (schedule) -> schedule.calendar("c"),
				(schedule) -> schedule.overlap(Overlap.SKIP));
		for (Consumer<ScheduleRequest.Builder> change : changes) {
			assertThat(put(engine, "report:42", change)).isEqualTo(Put.CHANGED);
			assertThat(put(engine, "report:42", change)).isEqualTo(Put.UNCHANGED);
		}
	}

	@Test
	void whatWasPutIsReadAndPutAgainWithChanges() {
		JobEngine engine = engine();
		put(engine, "report:42",
				(schedule) -> schedule.zone("Asia/Tokyo")
					.job(JobRequest.named("make-report").payload("forty-two").tags("a"))
					.misfire("skip")
					.until(START.plusSeconds(1000))
					.jitter(Duration.ofSeconds(4))
					.calendar("c")
					.overlap(Overlap.KEEP_LAST));
		ScheduleRequest request = engine.operations().schedule("report:42").request().orElseThrow();
		assertThat(engine.operations().schedule("report:42").put(request)).isEqualTo(Put.UNCHANGED);
		assertThat(
				engine.operations().schedule("report:42").put(request.with((schedule) -> schedule.cron("@every 20s"))))
			.isEqualTo(Put.CHANGED);
		assertThat(engine.operations().schedule("report:42").put(request)).isEqualTo(Put.CHANGED);
		assertThat(request.getOverlap()).isEqualTo(Overlap.KEEP_LAST);
		assertThat(engine.operations().schedule("unknown").request()).isEmpty();
	}

	@Test
	void changedScheduleTicksFromNowOnAndMakesUpForNothing() {
		JobEngine engine = engine();
		put(engine, "report:42", (schedule) -> schedule.misfire("run-all:100"));
		this.clock.advance(Duration.ofSeconds(35));
		assertThat(put(engine, "report:42", (schedule) -> schedule.misfire("run-all:100").cron("@every 20s")))
			.isEqualTo(Put.CHANGED);
		engine.runUntilIdle();
		pass(engine, 5);
		assertThat(ticks()).containsExactly(40);
	}

	@Test
	void droppedScheduleTicksNoMoreAndIsNewAfterwards() {
		JobEngine engine = engine();
		put(engine, "report:42", (schedule) -> schedule.misfire("run-all:100"));
		pass(engine, 10);
		engine.operations().schedule("report:42").drop();
		pass(engine, 25);
		assertThat(engine.operations().schedule("report:42").status()).isEmpty();
		assertThat(put(engine, "report:42", (schedule) -> schedule.misfire("run-all:100"))).isEqualTo(Put.NEW);
		engine.runUntilIdle();
		assertThat(ticks()).containsExactly(10);
		pass(engine, 5);
		assertThat(ticks()).containsExactly(10, 40);
		assertThatExceptionOfType(UnknownNameException.class)
			.isThrownBy(() -> engine.operations().schedule("unknown").drop());
	}

	@Test
	void putAndDropInAnyOrderLeaveOneNextTick() {
		JobEngine engine = engine();
		for (int i = 0; i < 5; i++) {
			put(engine);
			engine.runUntilIdle();
			engine.operations().schedule("report:42").drop();
			put(engine);
		}
		pass(engine, 10);
		pass(engine, 10);
		assertThat(ticks()).containsExactly(10, 20);
	}

	@Test
	void everyTickFiresOnceHoweverManyEnginesThereAre() {
		List<JobEngine> engines = IntStream.range(0, 4).mapToObj((i) -> engine()).toList();
		engines.forEach(PutScheduleSuite::put);
		for (int i = 0; i < 10; i++) {
			this.clock.advance(Duration.ofSeconds(5));
			engines.forEach(JobEngine::runUntilIdle);
		}
		assertThat(ticks()).containsExactly(10, 20, 30, 40, 50);
	}

	@Test
	void tickIsPublishedByTheEngineThatFiredItAlone() {
		List<JobEvent> published = new CopyOnWriteArrayList<>();
		List<JobEngine> engines = IntStream.range(0, 3)
			.mapToObj((i) -> build(recording().listeners(List.of(published::add))))
			.toList();
		put(engines.get(0));
		this.clock.advance(Duration.ofSeconds(10));
		engines.forEach(JobEngine::runUntilIdle);
		assertThat(published.stream().filter(JobEvent.Ticked.class::isInstance)).hasSize(1);
		assertThat(published.stream().filter(JobEvent.Accepted.class::isInstance)).isEmpty();
	}

	@Test
	void ticksDoNotDependOnWhenWorkersLook() {
		List<JobEngine> engines = List.of(engine(), engine());
		put(engines.get(0), "report:42", (schedule) -> schedule.misfire("run-all:100"));
		int[] seconds = { 7, 2, 1, 9, 11, 25, 4, 1 };
		for (int i = 0; i < seconds.length; i++) {
			pass(engines.get(i % 2), seconds[i]);
		}
		assertThat(ticks()).containsExactly(10, 20, 30, 40, 50, 60);
	}

	@Test
	void firstTickIsMadeUpForThoughTheScheduleNeverTickedBefore() {
		put(engine());
		this.clock.advance(Duration.ofSeconds(15));
		engine().runUntilIdle();
		assertThat(ticks()).containsExactly(10);
	}

	@Test
	void putAndDropInterruptNoOtherSchedule() {
		JobEngine engine = engine();
		put(engine);
		for (int i = 0; i < 3; i++) {
			this.clock.advance(Duration.ofSeconds(10));
			put(engine, "other:" + i, (schedule) -> schedule.cron("@every 7s"));
			engine.runUntilIdle();
			engine.operations().schedule("other:" + i).drop();
		}
		assertThat(ticks()).containsExactly(10, 20, 30);
	}

	@Test
	void putWakesWorkersOnlyIfTheyWouldBeLate() {
		AtomicInteger looks = new AtomicInteger();
		AtomicReference<@Nullable Thread> looking = new AtomicReference<>();
		JobEngine engine = start(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				if (Thread.currentThread().getName().equals("jobs-schedules")) {
					looking.set(Thread.currentThread());
					looks.incrementAndGet();
				}
				return super.inspector();
			}

		}).clock(this.clock));
		put(engine, "first", (schedule) -> schedule.cron("@every 20s"));
		await("a look", () -> looks.get() > 0);
		await("its end", () -> Objects.requireNonNull(looking.get()).getState() == Thread.State.TIMED_WAITING);
		for (int i = 0; i < 50; i++) {
			put(engine, "later:" + i, (schedule) -> schedule.cron("@every 30s"));
		}
		int before = looks.get();
		put(engine, "earlier", (schedule) -> schedule.cron("@every 10s"));
		await("another look", () -> looks.get() > before);
		assertThat(looks).hasValueLessThan(10);
	}

	@Test
	void racingEnginesFireEachTickOnceAndSeeAPutAtOnce() {
		List<JobEngine> engines = IntStream.range(0, 3).mapToObj((i) -> start(recording())).toList();
		List<String> names = IntStream.range(0, 50).mapToObj((i) -> "report:" + i).toList();
		names.forEach((name) -> put(engines.get(0), name, (schedule) -> {
		}));
		for (int tick = 1; tick <= 3; tick++) {
			this.clock.advance(Duration.ofSeconds(10));
			int expected = names.size() * tick;
			await("all ticks", () -> this.ran.size() >= expected);
		}
		List<String> fired = this.ran.stream()
			.map((job) -> job.headers().get("jobs.schedule") + " " + job.headers().get("jobs.tick"))
			.toList();
		assertThat(fired).doesNotHaveDuplicates().hasSize(150);
	}

	@Test
	void scheduleOfALostSignalIsSeenByTheNextBeat() {
		JobEngine deaf = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public Subscription listen(StoreListener listener) {
				return () -> {
				};
			}

		}).clock(this.clock)
			.settings(EngineSettings.defaults().withLease(Duration.ofSeconds(15), Duration.ofMillis(100)))
			.build();
		deaf.start();
		try {
			await("the first look", () -> deaf.status().loops().stream().allMatch((loop) -> loop.faults() == 0)
					&& !this.store.inspector().workers(START).isEmpty());
			JobEngine putting = build(new JobEngineBuilder(this.store).clock(SettableClock.at(START)));
			this.clock.advance(Duration.ofSeconds(10));
			put(putting);
			await("the tick", () -> !jobs(JobState.READY).isEmpty());
		}
		finally {
			deaf.stopNow();
		}
	}

	@Test
	void pausedScheduleMakesUpForNothing() {
		JobEngine engine = engine();
		put(engine, "report:42", (schedule) -> schedule.misfire("run-all:100"));
		engine.operations().schedule("report:42").pause();
		pass(engine, 10);
		pass(engine, 15);
		engine.operations().schedule("report:42").resume();
		pass(engine, 5);
		assertThat(ticks()).containsExactly(30);
	}

	@Test
	void missedTicksAreMadeUpForByTheRule() {
		JobEngine engine = engine();
		put(engine, "skip", (schedule) -> schedule.misfire("skip"));
		put(engine, "once", (schedule) -> schedule.misfire("run-once"));
		put(engine, "all", (schedule) -> schedule.misfire("run-all:2"));
		pass(engine, 37);
		assertThat(this.ran).extracting((job) -> job.headers().get("jobs.schedule"))
			.containsExactlyInAnyOrder("once", "all", "all");
		pass(engine, 3);
		assertThat(ticks()).containsExactlyInAnyOrder(20, 30, 30, 40, 40, 40);
	}

	@Test
	void scheduleEndsAfterItsLastInstant() {
		JobEngine engine = engine();
		put(engine, "report:42", (schedule) -> schedule.until(START.plusSeconds(20)));
		IntStream.range(0, 5).forEach((i) -> pass(engine, 10));
		assertThat(ticks()).containsExactly(10, 20);
		assertThat(status(engine, "report:42").next()).isNull();
		assertThat(status(engine, "report:42").overdueSince()).isNull();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(engine, "late", (schedule) -> schedule.until(START.plusSeconds(20))))
			.withMessageContaining("never ticks");
	}

	@Test
	void jitterSpreadsSchedulesByTheirNamesAndLeavesTheTickAsItIs() {
		JobEngine engine = engine();
		List<String> names = IntStream.range(0, 20).mapToObj((i) -> "report:" + i).toList();
		names.forEach((name) -> put(engine, name, (schedule) -> schedule.jitter(Duration.ofHours(1))));
		for (int i = 0; i < 15; i++) {
			pass(engine, 1);
			assertThat(this.ran).hasSizeLessThanOrEqualTo(20);
		}
		assertThat(ticks()).hasSize(20).containsOnly(10);
		TreeSet<Instant> starts = new TreeSet<>(this.ran.stream().map(Job::createdAt).toList());
		assertThat(starts).hasSizeGreaterThan(2);
		assertThat(starts.last()).isBefore(START.plusSeconds(16));
	}

	@Test
	void putOrResumeBetweenATickAndItsJitterNeitherLosesNorDoublesTheTick() {
		JobEngine engine = engine();
		Consumer<ScheduleRequest.Builder> spread = (schedule) -> schedule.cron("@every 100s")
			.jitter(Duration.ofSeconds(40));
		put(engine, "report:3", spread);
		Instant first = Objects.requireNonNull(status(engine, "report:3").next());
		int offset = (int) Duration.between(START.plusSeconds(100), first).toSeconds() + 1;
		assertThat(offset).isGreaterThan(2);
		pass(engine, 101);
		put(engine, "report:3", spread.andThen((schedule) -> schedule.job("make-report", "other")));
		pass(engine, offset);
		assertThat(ticks()).containsExactly(100);
		put(engine, "report:3", spread);
		pass(engine, 100 - offset);
		engine.operations().schedule("report:3").pause();
		this.clock.advance(Duration.ofSeconds(1));
		engine.operations().schedule("report:3").resume();
		pass(engine, offset);
		assertThat(ticks()).containsExactly(100, 200);
		pass(engine, 100 - offset);
		put(engine, "report:3", (schedule) -> schedule.cron("@every 100s"));
		engine.runUntilIdle();
		pass(engine, 100);
		assertThat(ticks()).containsExactly(100, 200, 300, 400);
	}

	@Test
	void unknownTimeZoneIsRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(build(recording()), "report:42", (schedule) -> schedule.zone("Europe/Atlantis")))
			.withMessageContaining("no time zone 'Europe/Atlantis'");
	}

	@Test
	void calendarOfTheEngineIsAskedForTheDay() {
		JobCalendar weekdays = (day) -> day.getDayOfWeek() != DayOfWeek.SATURDAY
				&& day.getDayOfWeek() != DayOfWeek.SUNDAY;
		JobEngine with = build(recording().calendars(Map.of("weekdays", weekdays)));
		JobEngine without = engine();
		put(without, "report:42", (schedule) -> schedule.cron("@daily").calendar("weekdays"));
		// 2030-01-01 is a Tuesday.
		for (int day = 0; day < 9; day++) {
			this.clock.advance(Duration.ofDays(1));
			without.runUntilIdle();
			with.runUntilIdle();
		}
		assertThat(ticks().stream().map((seconds) -> seconds / 86400)).containsExactly(1, 2, 3, 6, 7, 8, 9);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(build(recording().calendars(Map.of("never", (day) -> false))), "never",
					(schedule) -> schedule.calendar("never")))
			.withMessageContaining("never ticks");
	}

	@Test
	void overlapIsDecidedByTheSchedule() {
		JobEngine engine = build(builder());
		for (Overlap overlap : Overlap.values()) {
			put(engine, overlap.name(), (schedule) -> schedule.overlap(overlap));
		}
		for (int i = 0; i < 3; i++) {
			pass(engine, 10);
		}
		List<String> stored = jobs(JobState.READY).stream()
			.map((job) -> Objects.requireNonNull(job.headers().get("jobs.schedule")))
			.toList();
		assertThat(Collections.frequency(stored, "ALLOW")).isEqualTo(3);
		assertThat(Collections.frequency(stored, "SKIP")).isEqualTo(1);
		assertThat(Collections.frequency(stored, "KEEP_LAST")).isEqualTo(1);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(engine, "both", (schedule) -> schedule.overlap(Overlap.SKIP)
				.job(JobRequest.named("make-report").options((set) -> set.unique("key")))));
	}

	@Test
	void runsInALaneOfOneWaitForEachOtherAndAllComeToTheirTurn() throws InterruptedException {
		CountDownLatch mayEnd = new CountDownLatch(1);
		JobEngine engine = start(builder().concurrency(4)
			.handler(HandlerDefinition.of("make-report", String.class, (payload, context) -> {
				this.ran.add(context.job());
				mayEnd.await();
				return JobResult.done();
			}).with(HandlerOptions.of((set) -> set.laneConcurrency(1)))));
		for (String name : List.of("report:42", "report:43")) {
			put(engine, name, (schedule) -> schedule
				.job(JobRequest.named("make-report").payload("x").options((set) -> set.lane(name))));
		}
		for (int i = 1; i <= 3; i++) {
			this.clock.advance(Duration.ofSeconds(10));
			int seconds = 10 * i;
			await("ticks", () -> Stream.of("report:42", "report:43")
				.allMatch((name) -> START.plusSeconds(seconds).equals(status(engine, name).last())));
		}
		await(() -> assertThat(ticks()).containsExactly(10, 10));
		mayEnd.countDown();
		await("all runs", () -> this.ran.size() == 6);
		for (String name : List.of("report:42", "report:43")) {
			assertThat(this.ran.stream().filter((job) -> name.equals(job.lane())).map(Job::headers))
				.extracting((headers) -> headers.get("jobs.tick"))
				.isSorted();
		}
	}

	@Test
	void optionsOfTheJobAreThoseOfEachTick() {
		JobEngine engine = build(builder());
		put(engine, "report:42",
				(schedule) -> schedule.job(JobRequest.named("make-report")
					.payload(Map.of("b", 1, "a", 2))
					.tags("customer:42")
					.header("by", "ada")
					.options((set) -> set.unique(Unique.byPayload()).delay(Duration.ofSeconds(3)))));
		pass(engine, 10);
		pass(engine, 10);
		assertThat(engine.client()
			.tryEnqueue(JobRequest.named("make-report")
				.payload(Map.of("a", 2, "b", 1))
				.options((set) -> set.unique(Unique.byPayload())))
			.isNew()).isFalse();
		assertThat(jobs()).singleElement().satisfies((job) -> {
			assertThat(job.tags()).containsExactly("customer:42");
			assertThat(job.headers()).containsEntry("by", "ada").containsEntry("jobs.tick", START.plusSeconds(10) + "");
			assertThat(job.dueAt()).isEqualTo(START.plusSeconds(13));
		});
	}

	@Test
	void invalidScheduleIsRefusedWhenItIsPut() {
		JobEngine engine = engine();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(engine, "report:42", (schedule) -> schedule.cron("at noon")));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(engine, "report:42", (schedule) -> schedule.cron("0 0 0 30 2 *")));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(engine, "report:42", (schedule) -> schedule.misfire("sometimes")));
		assertThatIllegalArgumentException().isThrownBy(() -> put(engine, "no blanks", (schedule) -> {
		}));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> put(engine, "report:42", (schedule) -> schedule.job("no blanks", null)));
		assertThatIllegalArgumentException().isThrownBy(() -> put(engine, "report:42",
				(schedule) -> schedule.job(JobRequest.named("make-report").options((set) -> set.at(START)))));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> engine.operations().schedule("report:42").put((schedule) -> schedule.cron("@daily")));
		assertThat(engine.operations().schedules()).isEmpty();
	}

	@Test
	void scheduleKeepsTheNameOfItsJobs() {
		JobEngine engine = engine();
		put(engine);
		assertThatIllegalStateException()
			.isThrownBy(() -> put(engine, "report:42", (schedule) -> schedule.job("other-job", null)))
			.withMessageContaining("make-report");
		engine.operations().schedule("report:42").drop();
		assertThat(put(engine, "report:42", (schedule) -> schedule.job("other-job", null))).isEqualTo(Put.NEW);
	}

	@Test
	void scheduleThatCannotBeReadStopsItselfOnly() {
		JobEngine engine = engine();
		put(engine);
		this.store.change(List.of(new Change.PutSchedule(new NewSchedule("broken", "what?", "make-report", "1"), "{",
				START.plusSeconds(5), Duration.ZERO)), START);
		for (int i = 0; i < 3; i++) {
			pass(engine, 10);
		}
		assertThat(ticks()).containsExactly(10, 20, 30);
		assertThat(status(engine, "broken").expression()).isNull();
		assertThat(status(engine, "broken").overdueSince()).isEqualTo(START.plusSeconds(5));
		assertThat(status(engine, "broken").fault()).contains("not JSON", "drop it");
		assertThat(engine.scheduleFaults()).containsOnlyKeys("broken");
		engine.operations().schedule("broken").drop();
	}

	@Test
	void scheduleOfWhichTheStoreHasLostWhatWasPutIsAFaultUntilItIsPutAgain() {
		JobEngine engine = engine();
		put(engine, "report:1", (schedule) -> {
		});
		this.store.change(List.of(new Change.PutSchedule(new NewSchedule("lost", "Z @every 10s", "make-report", "1"),
				"", START.plusSeconds(10), Duration.ZERO)), START);
		pass(engine, 10);
		assertThat(ticks()).containsExactly(10);
		assertThat(status(engine, "lost").fault()).contains("lost", "put it again");
		assertThat(engine.scheduleFaults()).containsOnlyKeys("lost");
		put(engine, "lost", (schedule) -> {
		});
		pass(engine, 10);
		assertThat(ticks()).containsExactly(10, 20, 20);
		assertThat(engine.scheduleFaults()).isEmpty();
		assertThat(status(engine, "lost").fault()).isNull();
	}

	@Test
	void calendarThatIsMissingOrFailsOrAllowsNothingIsAFaultOfItsSchedule() {
		AtomicBoolean fails = new AtomicBoolean();
		JobEngine engine = build(recording().calendars(Map.of("failing", (day) -> {
			if (fails.get()) {
				throw new IllegalStateException("no such table");
			}
			return true;
		}, "ending", (day) -> !fails.get())));
		put(engine, "other", (schedule) -> {
		});
		put(engine, "missing", (schedule) -> schedule.calendar("unknown"));
		put(engine, "failing", (schedule) -> schedule.calendar("failing"));
		put(engine, "ending", (schedule) -> schedule.calendar("ending"));
		fails.set(true);
		pass(engine, 10);
		assertThat(ticks()).containsExactly(10);
		assertThat(status(engine, "missing").fault()).contains("'unknown'");
		assertThat(status(engine, "failing").fault()).contains("'failing'", "no such table");
		assertThat(status(engine, "ending").fault()).contains("'ending' allows none");
		assertThatIllegalStateException()
			.isThrownBy(() -> put(engine, "new", (schedule) -> schedule.calendar("failing")))
			.withMessageContaining("no such table");
		fails.set(false);
		pass(engine, 3600 + 60);
		assertThat(engine.scheduleFaults()).containsOnlyKeys("missing");
	}

	private static JobInspector counting(JobInspector inspector, AtomicInteger read) {
		return (JobInspector) Proxy.newProxyInstance(JobInspector.class.getClassLoader(),
				new Class<?>[] { JobInspector.class }, (proxy, method, arguments) -> {
					Object reply = method.invoke(inspector, arguments);
					read.addAndGet((reply instanceof DueSchedules due) ? due.due().size() : 0);
					return reply;
				});
	}

	@Test
	void schedulesThatCannotBeFiredHereAreNotReadAgainAndAgainAndHideNoOther() {
		AtomicInteger read = new AtomicInteger();
		JobEngine engine = build(recording(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				return counting(super.inspector(), read);
			}

		}).clock(this.clock)));
		int many = 2500;
		for (int from = 0; from < many; from += 500) {
			this.store.change(IntStream.range(from, from + 500)
				.<Change>mapToObj(
						(i) -> new Change.PutSchedule(new NewSchedule("broken" + i, "what?", "make-report", "1"), "{",
								START.plusSeconds(5), Duration.ZERO))
				.toList(), START);
		}
		put(engine);
		pass(engine, 10);
		assertThat(ticks()).containsExactly(10);
		assertThat(read.getAndSet(0)).isGreaterThanOrEqualTo(many);
		for (int i = 0; i < 4; i++) {
			pass(engine, 5);
		}
		assertThat(ticks()).containsExactly(10, 20, 30);
		assertThat(read.get()).isLessThan(10);
	}

	@Test
	void scheduleOfTheCodeIsOverriddenUntilItIsDropped() {
		JobEngine engine = declaring();
		engine.runUntilIdle();
		assertThat(put(engine, "report", (schedule) -> schedule.cron("@every 25s"))).isEqualTo(Put.CHANGED);
		assertThat(status(engine, "report").overrides()).isEqualTo("Z @every 10s");
		assertThat(status(engine, "report").put()).isTrue();
		JobEngine restarted = declaring();
		for (int i = 0; i < 5; i++) {
			this.clock.advance(Duration.ofSeconds(5));
			engine.runUntilIdle();
			restarted.runUntilIdle();
		}
		assertThat(ticks()).containsExactly(25);
		assertThat(payloads()).containsExactly("\"forty-two\"");
		restarted.operations().schedule("report").drop();
		assertThat(status(engine, "report").overrides()).isNull();
		pass(engine, 5);
		pass(engine, 10);
		assertThat(ticks()).containsExactly(25, 30, 40);
		assertThat(payloads()).last().isEqualTo("\"of code\"");
		assertThatIllegalStateException().isThrownBy(() -> engine.operations().schedule("report").drop())
			.withMessageContaining("declares");
	}

	@Test
	void overrideEndsWhenTheCodeChanges() {
		JobEngine engine = declaring();
		engine.runUntilIdle();
		put(engine, "report", (schedule) -> schedule.cron("@every 25s"));
		JobEngine next = build(recording().recurringJob(declared("@every 15s")));
		next.runUntilIdle();
		assertThat(status(next, "report").put()).isFalse();
		IntStream.range(0, 6).forEach((i) -> pass(next, 5));
		assertThat(ticks()).containsExactly(15, 30);
	}

	@Test
	void overrideIsFiredByApplicationsThatDeclareTheScheduleOnly() {
		JobEngine engine = declaring();
		engine.runUntilIdle();
		put(engine, "report", (schedule) -> schedule.cron("@every 25s"));
		JobEngine other = engine();
		pass(other, 25);
		assertThat(this.ran).isEmpty();
		pass(engine, 0);
		assertThat(ticks()).containsExactly(25);
	}

	@Test
	void tickIsPassedOverIfAnInterceptorStopsItsJob() {
		JobEngine engine = build(recording().enqueueInterceptors(List.of((requests, next) -> requests.stream()
			.map((request) -> Enqueued.of("none", Enqueued.Outcome.STOPPED, START))
			.toList())));
		put(engine);
		pass(engine, 10);
		assertThat(status(engine, "report:42").next()).isEqualTo(START.plusSeconds(20));
		assertThat(jobs()).isEmpty();
	}

	@Test
	void runNowHasThePayloadThatWasPut() {
		JobEngine engine = engine();
		put(engine);
		assertThat(engine.operations().schedule("report:42").runNow().isNew()).isTrue();
		engine.runUntilIdle();
		assertThat(payloads()).containsExactly("\"forty-two\"");
	}

	@Test
	void idleSchedulesCostNoCallAndHundredsThatAreDueCostFew() {
		List<Integer> calls = new ArrayList<>();
		JobEngine engine = build(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<TickReply> fireTicks(List<Tick> ticks, Instant instant) {
				calls.add(ticks.size());
				return super.fireTicks(ticks, instant);
			}

		}).clock(this.clock));
		for (int i = 0; i < 250; i++) {
			put(engine, "report:" + i, (schedule) -> schedule.cron("@hourly"));
		}
		for (int i = 0; i < 59; i++) {
			pass(engine, 60);
		}
		assertThat(calls).isEmpty();
		pass(engine, 60);
		assertThat(calls).containsExactly(250);
		assertThat(jobs(JobState.READY)).hasSize(250);
	}

}
