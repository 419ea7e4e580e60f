package dev.jobs.store.contract.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.EnqueueOptions;
import dev.jobs.Handler;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.Job.Progress;
import dev.jobs.JobContext;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.NoResultException;
import dev.jobs.OnExpiry;
import dev.jobs.Signal;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Note;
import dev.jobs.store.contract.ForwardingStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promise that a job which waits for another learns of its end, however that ends and
 * whatever became of the one that waits meanwhile. Each test is about one state of those
 * who wait, and has one of them for each {@link Way} in which a job can end.
 */
public abstract class AwaitSuite extends EngineSuite {

	private static final String WAITER = "waiter";

	private static final Duration A_WHILE = Duration.ofMinutes(1);

	private static final Duration HOUR = Duration.ofHours(1);

	private static final int CRASHES = 3;

	/** The ids of the jobs that are waited for. */
	private final Map<Way, String> awaited = new ConcurrentHashMap<>();

	private final Map<String, Way> ways = new ConcurrentHashMap<>();

	/** What those who wait got, by the names of the ways. */
	private final Map<String, List<String>> got = new ConcurrentHashMap<>();

	/** Runs the jobs that are waited for, and none that waits. */
	@SuppressWarnings("NullAway.Init")
	private JobEngine parts;

	// --- the ends

	private JobEngine parts(JobStore store) {
		JobEngineBuilder builder = new JobEngineBuilder(store).clock(this.clock).concurrency(Way.values().length);
		for (Way way : Way.values()) {
			Handler<String> handler = (payload, context) -> way.body.run(context);
			Handler<Integer> numbers = (payload, context) -> JobResult.done();
			HandlerOptions options = HandlerOptions.of((set) -> {
				set.retry((retry) -> retry.maxAttempts(2).maxCrashes(1).backoff(Backoff.fixed(Duration.ZERO)));
				way.options.accept(set);
			});
			builder.handler(((way != Way.UNREADABLE) ? HandlerDefinition.of(way.queue(), String.class, handler)
					: HandlerDefinition.of(way.queue(), Integer.class, numbers))
				.with(options));
		}
		return build(builder);
	}

	/**
	 * Enqueue the jobs that are waited for, which have not ended then.
	 */
	private void enqueueParts(JobStore store) {
		this.parts = parts(store);
		for (Way way : Way.values()) {
			if (way.begins == Begins.PAUSED) {
				this.parts.operations().queue(way.queue()).pause();
			}
			JobRequest request = JobRequest.named(way.queue()).payload("\"x\"".getBytes()).options((set) -> {
				switch (way.begins) {
					case AFTER_HALF_AN_HOUR -> set.delay(HOUR.dividedBy(2));
					case AFTER_AN_HOUR -> set.delay(HOUR);
					default -> {
					}
				}
				way.enqueue.accept(set);
			});
			String id = this.parts.client().enqueue(request).id();
			this.awaited.put(way, id);
			this.ways.put(id, way);
			if (way.begins == Begins.CLAIMED) {
				assertThat(claimAndVanish("long-" + way.queue(), way.queue(), HOUR.multipliedBy(9))).hasSize(1);
			}
		}
		this.parts.runUntilIdle();
		assertThat(jobs()).hasSize(Way.values().length);
	}

	/**
	 * Let each of the jobs end in its way.
	 */
	private void end() {
		JobOperations operations = this.parts.operations();
		Stream.of(Way.values())
			.filter((way) -> way.act != null && way.begins != Begins.AFTER_HALF_AN_HOUR)
			.forEach(this::act);
		this.clock.advance(HOUR.dividedBy(2));
		this.parts.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(1));
		assertThat(jobs(JobState.DEAD)).hasSize(2);
		act(Way.DELETED_WHILE_DEAD);
		Instant now = this.clock.instant();
		assertThat(this.store.prune(new PruneRequest(now, 0, null, 0, null, null, 10, now)).dead()).isOne();
		this.clock.advance(HOUR);
		operations.queue(Way.EXPIRED.queue()).resume();
		operations.queue(Way.EXPIRED_AND_KEPT.queue()).resume();
		for (int crash = 1; crash <= CRASHES; crash++) {
			operations.queue(Way.CRASHED.queue()).resume();
			assertThat(claimAndVanish("crash-" + crash, Way.CRASHED.queue(), A_WHILE)).hasSize(1);
			operations.queue(Way.CRASHED.queue()).pause();
			this.clock.advance(HOUR);
			this.parts.runUntilIdle();
		}
		this.clock.advance(HOUR.multipliedBy(9));
		this.parts.runUntilIdle();
		assertThat(jobs()).filteredOn((job) -> !job.name().equals(WAITER))
			.allSatisfy((job) -> assertThat(job.state()).isIn(JobState.DEAD, JobState.SUCCEEDED));
	}

	private void act(Way way) {
		Act act = way.act;
		if (act != null) {
			assertThat(act.on(this.parts.operations(), String.valueOf(this.awaited.get(way)), way)).isTrue();
		}
	}

	// --- those who wait

	private JobEngine waiters(JobStore store) {
		return build(new JobEngineBuilder(store).clock(this.clock)
			.concurrency(Way.values().length)
			.handler(WAITER, String.class, this::learn));
	}

	private JobResult learn(String job, JobContext context) {
		String end;
		try {
			end = String.valueOf(context.await(job, String.class));
		}
		catch (NoResultException ex) {
			Trail.End death = ex.getTrail().map(Trail::end).orElse(null);
			end = ex.getState().map(Enum::name).orElse("gone") + ((death != null) ? " " + death.reason() : "");
		}
		this.got.computeIfAbsent(String.valueOf(this.ways.get(job)), (way) -> new CopyOnWriteArrayList<>()).add(end);
		return JobResult.done();
	}

	private List<String> enqueueWaiters() {
		List<JobRequest> requests = this.awaited.values()
			.stream()
			.map((id) -> JobRequest.named(WAITER).payload(id))
			.toList();
		return this.parts.client().enqueueAll(requests).stream().map((enqueued) -> enqueued.id()).toList();
	}

	private List<Job> waiting() {
		return jobs().stream().filter((job) -> job.name().equals(WAITER)).toList();
	}

	/**
	 * Enqueue those who wait, and let them.
	 */
	private List<String> park(JobEngine waiters) {
		List<String> ids = enqueueWaiters();
		waiters.runUntilIdle();
		assertThat(waiting()).hasSize(Way.values().length)
			.allSatisfy((job) -> assertThat(job.state()).isEqualTo(JobState.WAITING));
		assertThat(this.got).isEmpty();
		return ids;
	}

	/**
	 * Have a worker claim and start all ready jobs of a queue and fall silent.
	 */
	private List<Claim> claimAndVanish(String worker, String queue, Duration lease) {
		int all = Way.values().length;
		this.store.beat(new WorkerBeat(worker, lease, null, List.of(), false, this.clock.instant()));
		List<Claim> claims = this.store
			.claim(new ClaimRequest(worker, List.of(Quota.of(queue, all)), all, this.clock.instant()))
			.claims();
		List<Note> notes = claims.stream()
			.map((claim) -> new Note(claim.job().id(), claim.job().name(), claim.token(),
					Progress.of(null, 0, 0, this.clock.instant())))
			.toList();
		this.store.beat(new WorkerBeat(worker, lease, null, notes, false, this.clock.instant()));
		return claims;
	}

	/**
	 * Everybody gets the end within a minute, and nobody is left.
	 */
	private void assertThatAllLearn(JobEngine waiters) {
		for (int i = 0; i < 3; i++) {
			waiters.runUntilIdle();
			this.clock.advance(Duration.ofSeconds(20));
		}
		SortedMap<String, List<String>> expected = new TreeMap<>();
		Stream.of(Way.values()).forEach((way) -> expected.put(way.name(), List.of(way.end)));
		assertThat(new TreeMap<>(this.got)).isEqualTo(expected);
		assertThat(waiting()).isEmpty();
	}

	// --- the states of those who wait

	@Test
	void jobThatIsParkedOrWaitsLaterLearnsOfTheEndAndOneThatIsCancelledDoesNot() {
		enqueueParts(this.store);
		JobEngine waiters = waiters(this.store);
		List<String> cancelled = park(waiters);
		cancelled.forEach((id) -> assertThat(waiters.operations().job(id).cancel()).isTrue());
		park(waiters);
		end();
		assertThat(waiting()).allSatisfy((job) -> assertThat(job.state()).isEqualTo(JobState.READY));
		assertThatAllLearn(waiters);
		this.got.clear();
		enqueueWaiters();
		assertThatAllLearn(waiters);
	}

	@Test
	void jobThatAnOperatorRetriedAndWhoseWorkerIsKilledLearnsOfTheEnd() {
		enqueueParts(this.store);
		JobEngine waiters = waiters(this.store);
		List<String> ids = park(waiters);
		ids.forEach((id) -> assertThat(waiters.operations().job(id).retry()).isTrue());
		waiters.runUntilIdle();
		assertThat(waiting()).allSatisfy((job) -> assertThat(job.state()).isEqualTo(JobState.WAITING));
		ids.forEach((id) -> assertThat(waiters.operations().job(id).retry()).isTrue());
		end();
		assertThat(claimAndVanish("killed", WAITER, A_WHILE)).hasSize(Way.values().length);
		this.clock.advance(A_WHILE.multipliedBy(2));
		assertThatAllLearn(waiters);
	}

	@Test
	void jobThatIsParkedLearnsOfTheEndThoughNobodyWasTold() {
		enqueueParts(new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				boolean tells = changes.get(0) instanceof Change.Release;
				return tells ? changes.stream().map((change) -> Changed.NOT_FOUND).toList()
						: super.change(changes, now);
			}

		});
		JobEngine waiters = waiters(this.store);
		park(waiters);
		end();
		assertThat(waiting()).allSatisfy((job) -> assertThat(job.state()).isEqualTo(JobState.WAITING));
		assertThatAllLearn(waiters);
	}

	@Test
	void jobThatHasLookedAndIsNotParkedYetLearnsOfTheEnd() {
		enqueueParts(this.store);
		JobEngine waiters = waiters(new BeforeParking(this.store, this::end));
		enqueueWaiters();
		assertThatAllLearn(waiters);
	}

	@Test
	void staleRunThatParksHidesNoEnd() {
		enqueueParts(this.store);
		JobEngine successor = waiters(this.store);
		JobEngine stale = waiters(new BeforeParking(this.store, () -> {
			this.clock.advance(A_WHILE);
			successor.runUntilIdle();
			assertThat(waiting()).allSatisfy((job) -> assertThat(job.state()).isEqualTo(JobState.WAITING));
			end();
		}));
		enqueueWaiters();
		stale.runUntilIdle();
		assertThatAllLearn(successor);
	}

	@Test
	void jobThatWaitsForOneOfAPurgedStoreLearnsThatItIsGone() {
		enqueueParts(this.store);
		JobEngine waiters = waiters(this.store);
		park(waiters);
		this.parts.operations().store().purge();
		enqueueWaiters();
		waiters.runUntilIdle();
		this.clock.advance(A_WHILE);
		waiters.runUntilIdle();
		assertThat(this.got.values().stream().flatMap(List::stream).collect(Collectors.toSet()))
			.containsExactly("gone");
		assertThat(this.got).hasSize(Way.values().length);
		assertThat(waiting()).isEmpty();
	}

	/**
	 * When a job begins that is waited for.
	 */
	private enum Begins {

		AT_ONCE, AFTER_HALF_AN_HOUR, AFTER_AN_HOUR, PAUSED, CLAIMED

	}

	/**
	 * The ways in which a job can end.
	 */
	private enum Way {

		SUCCEEDED("value", kept(), (context) -> JobResult.done("value")),

		SUCCEEDED_WITH_NOTHING("null", kept(), (context) -> JobResult.done()),

		SUCCEEDED_IN_A_SECOND_ATTEMPT("value", kept(),
				(context) -> (context.attempt() > 1) ? JobResult.done("value") : JobResult.retry()),

		SUCCEEDED_WITHOUT_A_RESULT("gone", nothing(), (context) -> JobResult.done("value")),

		SUCCEEDED_WITH_HISTORY_ONLY("SUCCEEDED", (set) -> set.keepHistory(true), (context) -> JobResult.done("value")),

		SUCCEEDED_LONG_AGO("gone", (set) -> set.keepResult(A_WHILE), (context) -> JobResult.done("value")),

		LARGE_RESULT("DEAD DISCARDED", kept(), (context) -> JobResult.done("x".repeat(2 << 20))),

		EXHAUSTED("DEAD EXHAUSTED", nothing(), (context) -> JobResult.retry()),

		EXHAUSTED_AND_KEPT("DEAD EXHAUSTED", kept(), (context) -> JobResult.retry()),

		EXHAUSTED_AND_DROPPED("gone", dropped(), (context) -> JobResult.retry()),

		EXHAUSTED_AND_DROPPED_BUT_KEPT("DEAD EXHAUSTED", dropped().andThen(kept()), (context) -> JobResult.retry()),

		DISCARDED("DEAD DISCARDED", nothing(), (context) -> JobResult.discard()),

		CRASHED("DEAD CRASH_LOOP", Begins.PAUSED, (set) -> {
		}),

		UNREADABLE("DEAD UNREADABLE", nothing(), (context) -> JobResult.done()),

		MISSED_ITS_DEADLINE("DEAD EXPIRED", nothing(), (context) -> JobResult.retryIn(HOUR.multipliedBy(9)),
				(set) -> set.deadlineIn(HOUR.multipliedBy(5))),

		EXPIRED("gone", Begins.PAUSED, (set) -> set.expiresIn(HOUR)),

		EXPIRED_AND_KEPT("DEAD EXPIRED", Begins.PAUSED, (set) -> set.expiresIn(HOUR).onExpiry(OnExpiry.DEAD)),

		EXPIRED_WHILE_PAUSED("gone", Begins.PAUSED, (set) -> set.expiresIn(HOUR)),

		CANCELLED_WHILE_READY("gone", Begins.PAUSED, kept(), Way::cancel),

		CANCELLED_WHILE_SCHEDULED("gone", Begins.AFTER_AN_HOUR, kept(), Way::cancel),

		CANCELLED_WHILE_PARKED("gone", Begins.AT_ONCE, kept(), Way::cancel),

		CANCELLED_WHILE_IT_RAN("CANCELLED", Begins.CLAIMED, kept(), Way::cancel),

		CANCELLED_WHILE_IT_RAN_AND_FORGOTTEN("gone", Begins.CLAIMED, nothing(), Way::cancel),

		DELETED("gone", Begins.AFTER_AN_HOUR, kept(), (operations, id, way) -> operations.job(id).delete()),

		DELETED_AMONG_MANY("gone", Begins.AFTER_AN_HOUR, kept(),
				(operations, id, way) -> operations.jobs(way.jobs()).delete((deleted) -> {
				}) == 1),

		DELETED_IN_BULK("gone", Begins.AFTER_AN_HOUR, kept(),
				(operations, id, way) -> operations.jobs(way.jobs()).startDelete().total().number() == 1),

		DELETED_WHILE_DEAD("gone", Begins.AFTER_HALF_AN_HOUR, nothing(),
				(operations, id, way) -> operations.job(id).delete()),

		PRUNED("gone", Begins.AFTER_HALF_AN_HOUR, nothing(), null);

		private static final Signal<String> NEVER = Signal.of("never", String.class);

		private final String end;

		private final Begins begins;

		private final Consumer<HandlerOptions.Builder> options;

		private final Consumer<EnqueueOptions.Builder> enqueue;

		private final Body body;

		private final @Nullable Act act;

		Way(String end, Consumer<HandlerOptions.Builder> options, Body body) {
			this(end, options, body, (set) -> {
			});
		}

		Way(String end, Consumer<HandlerOptions.Builder> options, Body body, Consumer<EnqueueOptions.Builder> enqueue) {
			this(end, Begins.AFTER_AN_HOUR, options, enqueue, body, null);
		}

		Way(String end, Begins begins, Consumer<EnqueueOptions.Builder> enqueue) {
			this(end, begins, nothing(), enqueue, (context) -> JobResult.done(), null);
		}

		Way(String end, Begins begins, Consumer<HandlerOptions.Builder> options, @Nullable Act act) {
			this(end, begins, options, (set) -> {
			}, (begins == Begins.AT_ONCE) ? Way::park : (context) -> JobResult.discard(), act);
		}

		Way(String end, Begins begins, Consumer<HandlerOptions.Builder> options,
				Consumer<EnqueueOptions.Builder> enqueue, Body body, @Nullable Act act) {
			this.end = end;
			this.begins = begins;
			this.options = options;
			this.enqueue = enqueue;
			this.body = body;
			this.act = act;
		}

		private String queue() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

		private JobFilter jobs() {
			return JobFilter.of((only) -> only.name(queue()).states(JobState.SCHEDULED));
		}

		private static Consumer<HandlerOptions.Builder> kept() {
			return (set) -> set.keepResult(HOUR.multipliedBy(48));
		}

		private static Consumer<HandlerOptions.Builder> nothing() {
			return (set) -> {
			};
		}

		private static Consumer<HandlerOptions.Builder> dropped() {
			return (set) -> set.retry((retry) -> retry.keepDead(false));
		}

		private static JobResult park(JobContext context) {
			return JobResult.done(context.await(NEVER, HOUR.multipliedBy(99)));
		}

		private static boolean cancel(JobOperations operations, String id, Way way) {
			return operations.job(id).cancel();
		}

	}

	/**
	 * What a job does that is waited for.
	 */
	@FunctionalInterface
	private interface Body {

		JobResult run(JobContext context) throws Exception;

	}

	/**
	 * What an operator does to it.
	 */
	@FunctionalInterface
	private interface Act {

		boolean on(JobOperations operations, String id, Way way);

	}

	/**
	 * Something happens when the first run ends because its job waits, before the store
	 * has it.
	 */
	private static final class BeforeParking extends ForwardingStore {

		private @Nullable Runnable event;

		BeforeParking(JobStore target, Runnable event) {
			super(target);
			this.event = event;
		}

		@Override
		public List<Settled> settle(List<Transition> transitions, Instant now) {
			Runnable event = this.event;
			if (event != null && transitions.get(0).to() == Transition.To.WAITING) {
				this.event = null;
				event.run();
			}
			return super.settle(transitions, now);
		}

	}

}
