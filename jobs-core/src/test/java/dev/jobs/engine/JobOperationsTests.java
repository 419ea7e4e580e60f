package dev.jobs.engine;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.PoolStatus;
import dev.jobs.QueueSettings;
import dev.jobs.QueueSettings.Setting;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.UnknownNameException;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.PoolOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.operations.WorkerOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link DefaultJobOperations}: which names are known, which bulk acts are
 * refused, and how little is read.
 */
class JobOperationsTests {

	private final JobStore store = new InMemoryJobStore();

	private final JobEngine worker = new JobEngineBuilder(this.store)
		.handler(HandlerDefinition.of("greet", Object.class, (payload, context) -> JobResult.discard().message("dies")))
		.recurringJob(RecurringJob.of("report", Schedule.parse("@every 1h"), "greet"))
		.build();

	private final JobEngine onlooker = new JobEngineBuilder(this.store).build();

	private final JobOperations operations = this.onlooker.operations();

	private static List<Runnable> acts(QueueOperations queue) {
		return List.of(queue::pause, queue::resume, () -> queue.limit(1), queue::removeLimit, () -> queue.weight(1),
				queue::removeWeight, () -> queue.attempts(1), queue::removeAttempts);
	}

	@Test
	void actOnAQueueThatNobodyEverServedIsRefused() {
		for (Runnable act : acts(this.operations.queue("gret"))) {
			assertThatExceptionOfType(UnknownNameException.class).isThrownBy(act::run)
				.withMessageContaining("no queue 'gret'");
		}
		assertThat(this.operations.queue("gret").status()).isEmpty();
		assertThat(this.operations.queues()).isEmpty();
	}

	@Test
	void nearestNamesAreInTheRefusal() {
		IntStream.range(0, 20).forEach((i) -> this.onlooker.client().enqueue("work-" + (10 + i)));
		assertThatExceptionOfType(UnknownNameException.class).isThrownBy(this.operations.queue("work-20a")::pause)
			.withMessageEndingWith("; the nearest known are [work-16, work-17, work-18, work-19, work-20, work-21, "
					+ "work-22, work-23, work-24, work-25]");
		this.worker.runUntilIdle();
		assertThatExceptionOfType(UnknownNameException.class).isThrownBy(this.operations.schedule("reprot")::pause)
			.withMessageEndingWith("; the nearest known are [report]");
	}

	@Test
	void queueIsKnownByAHandlerHere() {
		acts(this.worker.operations().queue("greet")).forEach(Runnable::run);
		assertThat(this.store.inspector().queues(this.worker.now())).extracting(QueueStatus::name)
			.containsExactly("greet");
	}

	@Test
	void queueIsKnownByALiveWorkerElsewhere() {
		this.worker.runUntilIdle();
		assertThat(this.operations.queue("greet").status()).get()
			.isEqualTo(this.operations.queues().get(0))
			.returns(true, QueueStatus::served);
		acts(this.operations.queue("greet")).forEach(Runnable::run);
		assertThat(this.operations.worker(this.operations.workers().get(0).id()).status()).map(WorkerStatus::running)
			.contains(0L);
	}

	@Test
	void queueIsKnownByItsJobs() {
		this.onlooker.client().enqueue("later");
		this.operations.queue("later").limit(3);
		assertThat(this.operations.queue("later").status()).get().returns(3, QueueStatus::limit);
		assertThatIllegalArgumentException().isThrownBy(() -> this.operations.queue("later").limit(0))
			.withMessageContaining("pause the queue");
	}

	// --- settings for workers

	@Test
	void settingOfAQueueIsShownWithWhoWhenAndWhatItOverrides() {
		this.onlooker.client().enqueue("greet");
		Instant before = this.worker.now();
		this.operations.by("ada").queue("greet").weight(5);
		this.operations.by("bob").queue("greet").attempts(3);
		QueueSettings settings = this.worker.operations().queue("greet").status().orElseThrow().settings();
		assertThat(settings.weight()).returns(5, Setting::value)
			.returns("ada", Setting::by)
			.returns(1, Setting::configured);
		assertThat(settings.weight().at()).isBetween(before.minusMillis(1), this.worker.now());
		assertThat(settings.attempts()).returns(3, Setting::value)
			.returns("bob", Setting::by)
			.returns(12, Setting::configured);
		assertThat(this.worker.operations().queues().get(0).settings()).isEqualTo(settings);
		// It has no handler and so does not know what is overridden.
		assertThat(this.operations.queues().get(0).settings().weight()).returns(5, Setting::value)
			.returns(null, Setting::configured);
		this.operations.queue("greet").removeWeight();
		this.operations.queue("greet").removeAttempts();
		settings = this.operations.queue("greet").status().orElseThrow().settings();
		assertThat(settings.weight()).isNull();
		assertThat(settings.attempts()).isNull();
	}

	@Test
	void settingOfAPoolIsShownWithWhoWhenAndWhatItOverrides() {
		this.worker.runUntilIdle();
		assertThat(this.operations.pool("default").status()).get().satisfies((pool) -> {
			assertThat(pool).returns(1, PoolStatus::workers).returns(20, PoolStatus::concurrency);
			assertThat(pool.settings().concurrency()).isNull();
			assertThat(pool.settings().paused()).isNull();
		});
		this.operations.by("ada").pool("default").concurrency(8);
		this.operations.by("bob").pool("default").pause();
		assertThat(this.worker.operations().pools()).singleElement().satisfies((pool) -> {
			assertThat(pool.settings().concurrency()).returns(8, Setting::value)
				.returns("ada", Setting::by)
				.returns(20, Setting::configured);
			assertThat(pool.settings().paused()).returns(true, Setting::value).returns("bob", Setting::by);
		});
		this.worker.runUntilIdle();
		this.worker.runUntilIdle();
		assertThat(this.operations.pools().get(0).concurrency()).isZero();
		this.operations.pool("default").resume();
		this.operations.pool("default").removeConcurrency();
		this.worker.runUntilIdle();
		this.worker.runUntilIdle();
		assertThat(this.operations.pools().get(0)).returns(20, PoolStatus::concurrency);
	}

	@Test
	void numbersOutOfRangeAreRefused() {
		this.worker.runUntilIdle();
		for (int number : List.of(0, -1, 100_001)) {
			for (Runnable act : List.<Runnable>of(() -> this.operations.queue("greet").weight(number),
					() -> this.operations.queue("greet").attempts(number),
					() -> this.operations.pool("default").concurrency(number))) {
				assertThatIllegalArgumentException().isThrownBy(act::run).withMessageContaining("1 to 100000");
			}
		}
		assertThat(this.store.inspector().operatorSettings()).isEmpty();
	}

	@Test
	void actOnAPoolOrAWorkerThatNobodyKnowsIsRefused() {
		this.worker.runUntilIdle();
		PoolOperations pool = this.operations.pool("defualt");
		for (Runnable act : List.<Runnable>of(pool::pause, pool::resume, () -> pool.concurrency(1),
				pool::removeConcurrency)) {
			assertThatExceptionOfType(UnknownNameException.class).isThrownBy(act::run)
				.withMessageContaining("no pool 'defualt'")
				.withMessageEndingWith("; the nearest known are [default]");
		}
		assertThat(pool.status()).isEmpty();
		WorkerOperations gone = this.operations.worker("gone");
		for (Runnable act : List.<Runnable>of(gone::quiet, gone::resume)) {
			assertThatExceptionOfType(UnknownNameException.class).isThrownBy(act::run)
				.withMessageContaining("no live worker 'gone'")
				.withMessageEndingWith("; the nearest known are [" + this.operations.workers().get(0).id() + "]");
		}
		assertThat(this.store.inspector().operatorSettings()).isEmpty();
	}

	@Test
	void poolOfThisApplicationIsKnownWithoutAWorker() {
		this.operations.pool("default").pause();
		assertThat(this.operations.pools()).singleElement().returns(0, PoolStatus::workers);
	}

	// --- schedules

	@Test
	void actOnAScheduleThatNobodyKnowsIsRefused() {
		for (String name : List.of("report", "my report")) {
			ScheduleOperations unknown = this.operations.schedule(name);
			for (Runnable act : List.<Runnable>of(unknown::pause, unknown::resume, unknown::runNow)) {
				assertThatExceptionOfType(UnknownNameException.class).isThrownBy(act::run)
					.withMessageContaining("no schedule '" + name + "'");
			}
		}
		ScheduleOperations schedule = this.operations.schedule("report");
		assertThat(schedule.status()).isEmpty();
		assertThat(schedule.runs()).isEmpty();
	}

	@Test
	void scheduleOfAnotherApplicationIsPausedAndNotRun() {
		this.worker.runUntilIdle();
		ScheduleOperations schedule = this.operations.schedule("report");
		schedule.pause();
		assertThat(schedule.status()).get()
			.returns(true, ScheduleStatus::paused)
			.returns(false, ScheduleStatus::definedHere);
		schedule.resume();
		assertThat(schedule.status()).get().returns(false, ScheduleStatus::paused);
		assertThatIllegalStateException().isThrownBy(schedule::runNow).withMessageContaining("'report'");
		assertThat(this.worker.operations().schedule("report").runNow().isNew()).isTrue();
	}

	@Test
	void bulkActWithoutASelectiveFilterOrOnJobsThatItCannotChangeIsRefused() {
		this.worker.client().enqueue("greet");
		this.worker.runUntilIdle();
		this.worker.client().enqueue("greet", (options) -> options.delay(Duration.ofHours(1)));
		SelectionOperations all = this.operations.jobs(JobFilter.all());
		SelectionOperations named = this.operations.jobs(JobFilter.of((only) -> only.name("greet")));
		for (Runnable act : List.<Runnable>of(all::retry, all::cancel, all::delete, named::delete,
				in(JobState.SCHEDULED)::retry, in(JobState.DEAD)::cancel, in(JobState.RUNNING)::delete)) {
			assertThatIllegalArgumentException().isThrownBy(act::run);
		}
		assertThat(in(JobState.DEAD, JobState.SCHEDULED).count(10).number()).isEqualTo(2);
		assertThat(named.cancel()).isOne();
		assertThat(named.retry()).isOne();
		assertThat(in(JobState.READY).delete()).isOne();
	}

	@Test
	void filterThatExcludesNothingIsThatOfAllJobs() {
		this.worker.client().enqueue("greet");
		for (Consumer<JobFilter.Builder> wide : List.<Consumer<JobFilter.Builder>>of(
				(only) -> only.states(JobState.values()), (only) -> only.before(Instant.MAX),
				(only) -> only.since(Instant.MIN).retrying(false),
				(only) -> only.states(JobState.values()).before(Instant.parse("2999-12-31T00:00:00Z")))) {
			SelectionOperations jobs = this.operations.jobs(JobFilter.of(wide));
			for (Runnable act : List.<Runnable>of(jobs::cancel, jobs::delete)) {
				assertThatIllegalArgumentException().isThrownBy(act::run).withMessageContaining("states(JobState.");
			}
			assertThatIllegalArgumentException().isThrownBy(jobs::retry)
				.withMessageEndingWith("add states(JobState.DEAD) to the filter");
		}
		this.worker.runUntilIdle();
		assertThat(in(JobState.DEAD).retry()).isOne();
		assertThat(this.operations.jobs(JobFilter.of((only) -> only.states(JobState.values()).name("greet"))).cancel())
			.isOne();
	}

	@Test
	void refusalNamesOnlyStatesThatAJobCanBeIn() {
		assertThatIllegalArgumentException().isThrownBy(in(JobState.DEAD)::cancel)
			.withMessageContaining("[WAITING, SCHEDULED, READY, RUNNING] can be cancelled");
		assertThatIllegalArgumentException().isThrownBy(in(JobState.RUNNING)::delete)
			.withMessageContaining("[WAITING, SCHEDULED, READY, SUCCEEDED, DEAD, CANCELLED] can be deleted");
		assertThatIllegalArgumentException().isThrownBy(in(JobState.WAITING)::retry)
			.withMessageContaining("selects only [WAITING]");
	}

	@Test
	void noteIsBoundedInOneLine() {
		this.operations.store().note("\ud83d\ude00".repeat(Note.LONGEST));
		this.operations.store().note("line\u2028next \u202e" + "a".repeat(Note.LONGEST));
		this.operations.store().note("b".repeat(Note.LONGEST));
		assertThat(this.store.inspector().notes()).extracting(Note::text)
			.allMatch((text) -> text.length() <= Note.LONGEST)
			.noneMatch((text) -> text.contains("\u2028") || text.contains("\u202e"))
			.anyMatch((text) -> text.startsWith("line next  aaa") && text.endsWith("a…"))
			.contains("b".repeat(Note.LONGEST));
	}

	@Test
	void nameOfAnOperatorIsBoundedInOneLine() {
		this.onlooker.client().enqueue("later");
		for (String name : List.of("ada\u2028\u202elovelace\n", "a".repeat(98) + "\ud83d\ude00b", "a".repeat(200))) {
			this.operations.by(name).queue("later").pause();
			assertThat(this.operations.queue("later").status().orElseThrow().settings().paused().by())
				.hasSizeBetween(14, 100)
				.matches("[a-z ]++…?");
		}
	}

	private SelectionOperations in(JobState... states) {
		return this.operations.jobs(JobFilter.of((only) -> only.states(states)));
	}

	@Test
	void reasonOfAWaitIsFoundByTheQueueOfTheJobAndByWorkersOnlyIfTheyMatter() {
		List<String> read = new ArrayList<>();
		JobOperations watched = new JobEngineBuilder(recording(read)).build().operations();
		String id = this.onlooker.client().enqueue("later").id();
		Job job = this.operations.job(id).find().orElseThrow();
		assertThat(watched.waitReason(job).kind()).isEqualTo(WaitReason.Kind.NO_WORKER);
		assertThat(read).containsExactly("queue", "workers");
		this.operations.queue("later").pause();
		read.clear();
		assertThat(watched.waitReason(job).kind()).isEqualTo(WaitReason.Kind.PAUSED);
		assertThat(read).containsExactly("queue");
	}

	@Test
	void runsOfAScheduleAreFoundWithoutReadingAll() {
		this.worker.runUntilIdle();
		List<String> read = new ArrayList<>();
		JobOperations watched = new JobEngineBuilder(recording(read)).build().operations();
		assertThat(watched.schedule("report").runs()).isEmpty();
		assertThat(watched.schedule("report").status()).isPresent();
		assertThat(read).containsOnly("schedule");
	}

	/**
	 * Return the store as one that notes what is read of it.
	 */
	private JobStore recording(List<String> read) {
		JobInspector inspector = proxy(JobInspector.class, (method, arguments) -> {
			read.add(method.getName());
			return method.invoke(this.store.inspector(), arguments);
		});
		return proxy(JobStore.class, (method, arguments) -> method.getName().equals("inspector") ? inspector
				: method.invoke(this.store, arguments));
	}

	private static <T> T proxy(Class<T> type, Call call) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
				(proxy, method, arguments) -> call.make(method, arguments)));
	}

	@FunctionalInterface
	private interface Call {

		@Nullable Object make(Method method, Object[] arguments) throws ReflectiveOperationException;

	}

}
