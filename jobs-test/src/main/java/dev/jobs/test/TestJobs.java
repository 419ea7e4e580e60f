package dev.jobs.test;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.LaneStatus;
import dev.jobs.PageRequest;
import dev.jobs.ScheduleStatus;
import dev.jobs.Signal;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.LaneOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.serialization.PayloadReader;
import dev.jobs.serialization.PayloadSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs an application's jobs in its tests: on the calling thread, when the test says so,
 * on a clock that the test moves. Nothing sleeps and nothing runs by itself.
 */
public final class TestJobs {

	private static final int MOST_INSTANTS = 100_000;

	private static final Logger logger = LoggerFactory.getLogger(TestJobs.class);

	/** The names without a handler for which a warning was logged. */
	private final Set<String> warned = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean warnedOfHeld = new AtomicBoolean();

	private final JobEngine engine;

	private final SettableClock clock;

	private final PayloadSerializer serializer;

	/**
	 * Run the jobs of an engine whose payloads are written by the default serializer.
	 * @param engine the engine, built with the clock and not started
	 * @param clock the clock
	 * @throws IllegalStateException if the engine goes by another clock
	 */
	public TestJobs(JobEngine engine, SettableClock clock) {
		this(engine, clock, new JacksonPayloadSerializer());
	}

	/**
	 * Run the jobs of an engine.
	 * @param engine the engine, built with the clock and not started
	 * @param clock the clock
	 * @param serializer reads payloads for {@link #payloads}
	 * @throws IllegalStateException if the engine goes by another clock
	 */
	public TestJobs(JobEngine engine, SettableClock clock, PayloadSerializer serializer) {
		this.engine = engine;
		this.clock = clock;
		this.serializer = serializer;
		requireClock();
		engine.workByHand();
	}

	private void requireClock() {
		if (!this.engine.clock().instant().equals(now().truncatedTo(ChronoUnit.MILLIS))) {
			throw new IllegalStateException(
					"The engine goes by another clock, which shows " + this.engine.clock().instant() + " and not "
							+ now() + "; build it with this one, by JobEngineBuilder.clock(clock)");
		}
	}

	/**
	 * Return the client of the engine.
	 * @return the client
	 */
	public JobClient client() {
		return this.engine.client();
	}

	/**
	 * Return the operations of the engine.
	 * @return the operations
	 */
	public JobOperations operations() {
		return this.engine.operations();
	}

	/**
	 * Run all jobs that are due, and the due jobs that they enqueue, until none is left.
	 * @return how many runs there were
	 */
	public int runUntilIdle() {
		requireClock();
		warnOfHeld();
		int runs = this.engine.runUntilIdle();
		warnOfUnhandled();
		return runs;
	}

	private void warnOfHeld() {
		if (HeldEnqueues.any() && this.warnedOfHeld.compareAndSet(false, true)) {
			logger.warn(
					"Jobs that the current transaction enqueued wait for its commit and do not run. In a test that is "
							+ "rolled back, as @Transactional makes it, set jobs.transactions=ignore");
		}
	}

	private void warnOfUnhandled() {
		operations().queues()
			.stream()
			.filter((queue) -> queue.ready() > 0 && this.engine.maxAttempts(queue.name()).isEmpty())
			.filter((queue) -> this.warned.add(queue.name()))
			.forEach((queue) -> logger.warn("No handler runs jobs '{}', of which {} wait. Add the class that has it to "
					+ "the context of the test", queue.name(), queue.ready()));
	}

	/**
	 * Let time pass: run everything that is due now, then move the clock to each instant
	 * at which a job or a retry becomes due, the time of a job that waits for a signal is
	 * over, a rate has a permit, a hold ends or a schedule ticks, and run what may run
	 * there.
	 * @param duration the total time to move the clock by
	 * @return how many runs there were
	 * @throws IllegalStateException if there are more than {@value #MOST_INSTANTS} such
	 * instants
	 */
	public int advance(Duration duration) {
		Instant end = now().plus(duration);
		int runs = runUntilIdle();
		int instants = 0;
		for (Instant next = nextDue(); next != null && next.isBefore(end); next = nextDue()) {
			if (++instants > MOST_INSTANTS) {
				throw new IllegalStateException(
						"Jobs become due at more than " + MOST_INSTANTS + " instants within " + duration
								+ "; it is now " + now() + ". Advance by less, or pause a schedule that ticks often");
			}
			this.clock.set(next);
			runs += runUntilIdle();
		}
		this.clock.set(end);
		return runs + runUntilIdle();
	}

	/**
	 * Return the next instant at which something may run. A job that waits because of a
	 * pause or a missing handler does not wait for time.
	 */
	private @Nullable Instant nextDue() {
		Instant now = now();
		Stream<Instant> jobs = find(JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.WAITING))).stream()
			.map(Job::dueAt);
		Stream<Instant> ticks = operations().schedules()
			.stream()
			.filter((schedule) -> !schedule.paused())
			.map(ScheduleStatus::next)
			.filter(Objects::nonNull);
		return Stream.of(jobs, permits(), ticks)
			.flatMap(Function.identity())
			.filter(now::isBefore)
			.min(Comparator.naturalOrder())
			.orElse(null);
	}

	/**
	 * Return until when a rate or a hold keeps jobs that are due from running. The first
	 * job of a lane has the reason of all.
	 */
	private Stream<Instant> permits() {
		Map<List<@Nullable String>, Job> first = new HashMap<>();
		find(JobFilter.of((only) -> only.states(JobState.READY)))
			.forEach((job) -> first.putIfAbsent(Arrays.asList(job.name(), job.lane()), job));
		return first.values().stream().map((job) -> operations().waitReason(job).until()).filter(Objects::nonNull);
	}

	/**
	 * Lose the next run that does a step, as if its process had been killed right after
	 * the value of the step was saved. The job is taken over then and runs again, behind
	 * the step.
	 * @param step the name of the step
	 */
	public void killAfterStep(String step) {
		this.engine.testPoints().add(step, true);
	}

	/**
	 * Lose the next run that does a step, as if its process had been killed right before
	 * the value of the step was saved. The job is taken over then and runs again, and
	 * does the step a second time.
	 * @param step the name of the step
	 */
	public void killBeforeSave(String step) {
		this.engine.testPoints().add(step, false);
	}

	/**
	 * Start a job at a step, as if it had done those before in an earlier run, and run
	 * what is due. If it does another step first, the attempt fails.
	 * @param id the id of a job that waits
	 * @param step the name of the first step that it does
	 * @param values what it has saved, by name: the values of steps and signals and the
	 * positions of cursors; for a sleep the time at which it ends
	 * @return how many runs there were
	 * @throws IllegalStateException if no such job waits
	 */
	public int startAt(String id, String step, Map<String, ? extends @Nullable Object> values) {
		if (waiting().stream().noneMatch((job) -> job.id().equals(id))) {
			throw new IllegalStateException("No job '" + id + "' waits");
		}
		this.engine.testPoints().start(id, step, values);
		return runUntilIdle();
	}

	/**
	 * Return the time that the clock shows.
	 * @return the current time
	 */
	public Instant now() {
		return this.clock.instant();
	}

	/**
	 * Return what a job waits for.
	 * @param id the id of the job
	 * @return the signal and its subject, such as {@code shipped/7}, or the id of another
	 * job; empty if it waits for neither
	 */
	public List<String> waitingFor(String id) {
		return client().find(id)
			.filter((job) -> job.state() == JobState.WAITING)
			.map((job) -> job.trail().waitsFor())
			.map((wait) -> Objects.requireNonNullElse(wait.signal(), wait.thing()))
			.stream()
			.toList();
	}

	/**
	 * Send a signal, as {@link JobClient#send} does.
	 * @param <T> the type of its value
	 * @param signal the signal
	 * @param subject what it is about
	 * @param value its value
	 * @return what became of it
	 */
	public <T> Signal.Sent send(Signal<T> signal, Object subject, T value) {
		return client().send(signal, subject, value);
	}

	/**
	 * Return all jobs that wait for their time or a worker, due or not.
	 * @return the jobs, the first due one first
	 */
	public List<Job> waiting() {
		return find(JobFilter.of((only) -> only.states(JobState.READY, JobState.SCHEDULED)));
	}

	/**
	 * Return the jobs of a name that wait, due or not.
	 * @param name the name
	 * @return the jobs, the first due one first
	 */
	public List<Job> waiting(String name) {
		return find(JobFilter.of((only) -> only.states(JobState.READY, JobState.SCHEDULED).name(name)));
	}

	/**
	 * Return the payloads of the jobs of a name that wait.
	 * @param <T> the payload type
	 * @param name the name
	 * @param type the payload type
	 * @return the payloads, in the order of due times
	 */
	public <T> List<T> payloads(String name, Class<T> type) {
		PayloadReader reader = this.serializer.reader(type);
		return waiting(name).stream()
			.map((job) -> type.cast(reader.read(job.payload())))
			.filter(Objects::nonNull)
			.toList();
	}

	/**
	 * Return what the handler of a job returned, as {@link JobClient#result} does.
	 * @param <T> the type of the value
	 * @param id the id of the job
	 * @param type the type of the value
	 * @return the value, or empty if the job has not ended or returned nothing
	 */
	public <T> Optional<T> result(String id, Class<T> type) {
		return client().result(id, type);
	}

	/**
	 * Return all dead jobs.
	 * @return the jobs
	 */
	public List<Job> dead() {
		return find(JobFilter.of((only) -> only.states(JobState.DEAD)));
	}

	/**
	 * Remove all jobs, what operators have set, such as pauses, and what is kept for a
	 * time, such as signals, results and the windows of throttles, so that the next test
	 * begins without any. Schedules stay and continue from the time of the clock.
	 */
	public void clear() {
		this.engine.testPoints().clear();
		JobOperations operations = operations();
		find(JobFilter.all()).forEach((job) -> operations.job(job.id()).delete());
		this.engine.forgetKept();
		operations.queues().forEach((status) -> {
			QueueOperations queue = operations.queue(status.name());
			queue.resume();
			queue.removeLimit();
			if (status.settings().weight() != null) {
				queue.removeWeight();
			}
			if (status.settings().attempts() != null) {
				queue.removeAttempts();
			}
			if (status.settings().rate() != null) {
				queue.removeRate();
			}
			if (status.settings().rateOfLanes() != null) {
				queue.removeRateOfLanes();
			}
			queue.lanesWithSettings(null, PageRequest.LARGEST).forEach((lane) -> clear(lane, queue.lane(lane.name())));
		});
		operations.pools().forEach((pool) -> {
			operations.pool(pool.name()).resume();
			operations.pool(pool.name()).removeConcurrency();
		});
		operations.schedules()
			.stream()
			.filter(ScheduleStatus::paused)
			.forEach((schedule) -> operations.schedule(schedule.name()).resume());
	}

	private static void clear(LaneStatus status, LaneOperations lane) {
		lane.resume();
		lane.removeLimit();
		if (status.settings().weight() != null) {
			lane.removeWeight();
		}
	}

	private List<Job> find(JobFilter filter) {
		JobOperations operations = operations();
		PageRequest request = PageRequest.oldestFirst(PageRequest.LARGEST);
		JobPage page = operations.jobs(filter).page(request);
		List<Job> jobs = new ArrayList<>(page.jobs());
		while (page.next() != null) {
			page = operations.jobs(filter).page(request.after(page.next()));
			jobs.addAll(page.jobs());
		}
		return jobs.stream().flatMap((listed) -> operations.job(listed.id()).find().stream()).toList();
	}

}
