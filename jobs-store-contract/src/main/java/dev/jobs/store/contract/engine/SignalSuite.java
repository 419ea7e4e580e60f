package dev.jobs.store.contract.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.NoResultException;
import dev.jobs.NotInTimeException;
import dev.jobs.Signal;
import dev.jobs.Signal.Sent;
import dev.jobs.Trail;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.End;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.contract.ForwardingStore;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The promises about jobs that wait for signals and for the ends of other jobs.
 */
public abstract class SignalSuite extends EngineSuite {

	private static final Signal<Shipped> SHIPPED = Signal.of("shipped", Shipped.class);

	private static final Duration TWO_WEEKS = Duration.ofDays(14);

	private final List<String> done = new ArrayList<>();

	private final List<@Nullable Object> got = new ArrayList<>();

	/** What the handler does in its next runs. */
	private volatile Body body = (context) -> JobResult.done();

	final JobEngineBuilder parts() {
		return with(builder());
	}

	private JobEngineBuilder with(JobEngineBuilder builder) {
		return builder.handler("work", String.class, (payload, context) -> this.body.run(context))
			.handler(HandlerDefinition
				.of("part", String.class, (payload, context) -> JobResult.done(new Shipped(payload)))
				.with(HandlerOptions.of((set) -> set.keepResult(Duration.ofHours(1)))))
			.handler("quiet", String.class, (payload, context) -> JobResult.done("dropped"));
	}

	final String enqueue(JobEngine engine) {
		return engine.client().enqueue("work", "x").id();
	}

	final void waitingFor(Object subject) {
		this.body = (context) -> {
			context.step("order the parcel", () -> this.done.add("ordered"));
			this.got.add(context.await(SHIPPED, subject, TWO_WEEKS));
			context.step("mail", () -> this.done.add("mailed"));
			return JobResult.done();
		};
	}

	private static Sent send(JobEngine engine, Object subject, String parcel) {
		return engine.client().send(SHIPPED, subject, new Shipped(parcel));
	}

	@Test
	void jobWaitsForASignalWithoutAThreadAndGoesOnWithItsValue() {
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		Job job = job(id);
		assertThat(job.state()).isEqualTo(JobState.WAITING);
		assertThat(job.attempt()).isEqualTo(1);
		assertThat(Objects.requireNonNull(job.trail().waitsFor()).thing()).isEqualTo("signal:shipped/7");
		assertThat(send(engine, 7, "JD7")).isEqualTo(Sent.SENT);
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("JD7"));
		assertThat(this.done).containsExactly("ordered", "mailed");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void startedEngineGoesOnAtOnce() {
		JobEngine engine = start(parts());
		waitingFor("a");
		String id = enqueue(engine);
		await("it waits", () -> job(id).state() == JobState.WAITING);
		send(engine, "a", "JD1");
		await("it is done", () -> jobs().isEmpty());
		assertThat(this.got).containsExactly(new Shipped("JD1"));
	}

	@Test
	void signalThatWasSentBeforeIsFound() {
		JobEngine engine = build(parts());
		waitingFor(7);
		assertThat(send(engine, 7, "early")).isEqualTo(Sent.SENT);
		enqueue(engine);
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("early"));
	}

	@Test
	void firstSignalCounts() {
		JobEngine engine = build(parts());
		waitingFor(7);
		enqueue(engine);
		engine.runUntilIdle();
		assertThat(send(engine, 7, "first")).isEqualTo(Sent.SENT);
		assertThat(send(engine, 7, "second")).isEqualTo(Sent.ALREADY);
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("first"));
	}

	@Test
	void signalThatIsForgottenCountsNoLonger() {
		JobEngine engine = build(parts());
		send(engine, 7, "wrong");
		send(engine, 8, "other");
		assertThat(engine.operations().forgetSignal("shipped", 7)).isTrue();
		assertThat(engine.operations().forgetSignal("shipped", 7)).isFalse();
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		assertThat(send(engine, 8, "other")).isEqualTo(Sent.ALREADY);
		assertThat(send(engine, 7, "right")).isEqualTo(Sent.SENT);
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("right"));
	}

	@Test
	void signalsAreAboutTheirSubjects() {
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		send(engine, 8, "other");
		engine.client().send(Signal.of("paid", Shipped.class), 7, new Shipped("other"));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		assertThat(this.got).isEmpty();
	}

	@Test
	void signalReachesAllWhoWait() {
		JobEngine engine = build(parts());
		waitingFor("release 2");
		IntStream.range(0, 30).forEach((i) -> enqueue(engine));
		engine.runUntilIdle();
		assertThat(queue("work").parked()).isEqualTo(30);
		send(engine, "release 2", "all");
		engine.runUntilIdle();
		assertThat(this.got).hasSize(30).containsOnly(new Shipped("all"));
	}

	@Test
	void signalMayBeAboutTheJobItself() {
		JobEngine engine = build(parts());
		this.body = (context) -> {
			this.got.add(context.await(SHIPPED, TWO_WEEKS));
			return JobResult.done();
		};
		String id = enqueue(engine);
		engine.runUntilIdle();
		send(engine, id, "mine");
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("mine"));
	}

	@Test
	void waitEndsWhenItsTimeIsOver() {
		JobEngine engine = build(parts());
		this.body = (context) -> {
			try {
				context.await(SHIPPED, 7, TWO_WEEKS);
			}
			catch (NotInTimeException ex) {
				this.got.add(ex.getMessage());
			}
			return JobResult.done();
		};
		enqueue(engine);
		engine.runUntilIdle();
		this.clock.advance(TWO_WEEKS.minusSeconds(1));
		engine.runUntilIdle();
		assertThat(this.got).isEmpty();
		this.clock.advance(Duration.ofSeconds(1));
		engine.runUntilIdle();
		assertThat(this.got).singleElement().asString().contains("shipped/7 has not come in time");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void timeThatIsOverAndASignalDoNotBothWin() {
		JobEngine engine = build(parts());
		this.body = (context) -> {
			try {
				this.got.add(context.await(SHIPPED, 7, TWO_WEEKS));
			}
			catch (NotInTimeException ex) {
				this.got.add("too late");
			}
			return (context.attempt() == 1) ? JobResult.retryIn(Duration.ofMinutes(1)) : JobResult.done();
		};
		enqueue(engine);
		engine.runUntilIdle();
		this.clock.advance(TWO_WEEKS);
		engine.runUntilIdle();
		send(engine, 7, "late");
		this.clock.advance(Duration.ofMinutes(1));
		engine.runUntilIdle();
		assertThat(this.got).containsExactly("too late", "too late");
	}

	@Test
	void changedTimeDoesNotBeginAgain() {
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofDays(13));
		engine.operations().job(id).retry();
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		assertThat(job(id).dueAt()).isEqualTo(this.clock.instant().plus(Duration.ofDays(1)));
	}

	@Test
	void valueOfASignalStaysThroughRetries() {
		JobEngine engine = build(parts());
		this.body = (context) -> {
			this.got.add(context.await(SHIPPED, 7, TWO_WEEKS));
			return (context.attempt() == 1) ? JobResult.retryIn(Duration.ofDays(30)) : JobResult.done();
		};
		enqueue(engine);
		send(engine, 7, "JD7");
		engine.runUntilIdle();
		this.clock.advance(Duration.ofDays(30));
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("JD7"), new Shipped("JD7"));
	}

	@Test
	void signalThatComesWhileTheJobIsPutAwayIsFound() {
		ForwardingStore sending = new ForwardingStore(this.store) {

			private boolean sent;

			@Override
			public List<Settled> settle(List<Transition> transitions, Instant now) {
				if (!this.sent && transitions.get(0).to() == Transition.To.WAITING) {
					this.sent = true;
					keep("JD7");
					super.change(List.of(new Change.Release("signal:shipped/7")), now);
				}
				return super.settle(transitions, now);
			}

		};
		JobEngine engine = build(with(new JobEngineBuilder(sending).clock(this.clock)));
		waitingFor(7);
		enqueue(engine);
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("JD7"));
	}

	@Test
	void callThatKeepsASignalReleasesTheJobThatWaitsForIt() {
		List<Class<?>> calls = new ArrayList<>();
		JobEngine sender = new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				calls.add(changes.get(0).getClass());
				return (calls.size() == 1) ? super.change(changes, now) : List.of(Changed.NOT_FOUND);
			}

		}).clock(this.clock).build();
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		send(sender, 7, "JD7");
		assertThat(job(id).state()).isEqualTo(JobState.READY);
		assertThat(calls).containsExactly(Change.KeepEnd.class, Change.Release.class);
	}

	@Test
	void signalWhoseSenderDiedBeforeItReleasedAnyoneIsFound() {
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		keep("JD7");
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("JD7"));
	}

	final void keep(String parcel) {
		End end = new End(JobState.SUCCEEDED, Trail.EMPTY, ("{\"parcel\":\"" + parcel + "\"}").getBytes(),
				this.clock.instant().plus(TWO_WEEKS));
		assertThat(this.store.change(List.of(new Change.KeepEnd("signal:shipped/7", end)), this.clock.instant()))
			.containsExactly(Changed.DONE);
	}

	@Test
	void signalsAndWaitsThatRaceNeverMissEachOther() {
		JobEngine engine = start(parts().concurrency(8));
		Queue<String> got = new ConcurrentLinkedQueue<>();
		this.body = (context) -> {
			got.add(context.await(SHIPPED, TWO_WEEKS).parcel());
			return JobResult.done();
		};
		List<String> ids = IntStream.range(0, 300).mapToObj((i) -> {
			String id = enqueue(engine);
			send(engine, id, id);
			return id;
		}).toList();
		await("all are done", () -> jobs().isEmpty());
		assertThat(got).containsExactlyInAnyOrderElementsOf(ids);
	}

	@Test
	void twoProcessesThatHaveAJobSeeOneSignal() {
		JobEngine successor = build(parts());
		JobEngine stale = build(with(new JobEngineBuilder(new ForwardingStore(this.store) {

			private boolean frozen;

			@Override
			public List<Settled> save(List<Save> saves, Instant now) {
				if (!this.frozen && saves.get(0).name().equals("shipped/7")) {
					this.frozen = true;
					SignalSuite.this.clock.advance(Duration.ofMinutes(1));
					successor.runUntilIdle();
				}
				return super.save(saves, now);
			}

		}).clock(this.clock)));
		waitingFor(7);
		enqueue(stale);
		assertThat(send(stale, 7, "first")).isEqualTo(Sent.SENT);
		stale.runUntilIdle();
		assertThat(send(stale, 7, "second")).isEqualTo(Sent.ALREADY);
		assertThat(this.got).containsExactly(new Shipped("first"));
		assertThat(this.done).containsExactly("ordered", "mailed");
		assertThat(jobs()).isEmpty();
	}

	@Test
	void workerReadsNoListWhileNoJobWaits() {
		List<String> read = new ArrayList<>();
		JobEngine engine = build(with(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public JobInspector inspector() {
				JobInspector inspector = super.inspector();
				return (JobInspector) Proxy.newProxyInstance(JobInspector.class.getClassLoader(),
						new Class<?>[] { JobInspector.class }, (proxy, method, arguments) -> {
							read.add(method.getName());
							return method.invoke(inspector, arguments);
						});
			}

		}).clock(this.clock)));
		enqueue(engine);
		engine.runUntilIdle();
		assertThat(read).contains("count").doesNotContain("page");
	}

	@Test
	void jobThatWaitsCanBeCancelled() {
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = enqueue(engine);
		engine.runUntilIdle();
		assertThat(engine.client().cancel(id)).isTrue();
		assertThat(jobs()).isEmpty();
		assertThat(send(engine, 7, "JD7")).isEqualTo(Sent.SENT);
	}

	@Test
	void textsOfSignalsAreChecked() {
		JobEngine engine = build(parts());
		assertThatIllegalArgumentException().isThrownBy(() -> Signal.of("a/b", String.class));
		assertThatIllegalArgumentException().isThrownBy(() -> send(engine, "", "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> send(engine, "x".repeat(101), "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> send(engine, "a\nb", "x"));
		assertThat(send(engine, "Zürich € / 7", "x")).isEqualTo(Sent.SENT);
	}

	// --- other jobs

	private void waitingForJob(String job) {
		this.body = (context) -> {
			try {
				this.got.add(context.await(job, Shipped.class));
			}
			catch (NoResultException ex) {
				this.got.add(ex.getState().map(Enum::name).orElse("gone"));
			}
			return JobResult.done();
		};
	}

	@Test
	void jobWaitsForTheEndOfAnother() {
		JobEngine engine = build(parts());
		String part = engine.client().enqueue("part", "JD1", (options) -> options.delay(Duration.ofHours(1))).id();
		waitingForJob(part);
		String id = enqueue(engine);
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		this.clock.advance(Duration.ofHours(1));
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("JD1"));
	}

	@Test
	void jobThatEndedBeforeIsFound() {
		JobEngine engine = build(parts());
		String part = engine.client().enqueue("part", "JD1").id();
		engine.runUntilIdle();
		waitingForJob(part);
		enqueue(engine);
		engine.runUntilIdle();
		assertThat(this.got).containsExactly(new Shipped("JD1"));
	}

	@Test
	void waitForAJobThatIsDeletedEnds() {
		JobEngine engine = build(parts());
		String part = engine.client().enqueue("part", "JD1", (options) -> options.delay(Duration.ofHours(1))).id();
		waitingForJob(part);
		String id = enqueue(engine);
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		engine.operations().job(part).delete();
		// The round takes it for one on its way for a while, and so does the run then.
		for (int i = 0; i < 2; i++) {
			this.clock.advance(Duration.ofSeconds(10));
			engine.runUntilIdle();
		}
		assertThat(jobs()).isEmpty();
		assertThat(this.got).containsExactly("gone");
	}

	@Test
	void jobThatWaitsForACalledOneIsReleasedByTheEndOfThat() throws InterruptedException {
		List<String> released = new ArrayList<>();
		JobEngine engine = build(with(new JobEngineBuilder(new ForwardingStore(this.store) {

			@Override
			public List<Changed> change(List<Change> changes, Instant now) {
				changes.stream()
					.filter(Change.Release.class::isInstance)
					.forEach((change) -> released.add(((Change.Release) change).thing()));
				return super.change(changes, now);
			}

		}).clock(this.clock)));
		engine.workByHand();
		this.body = (context) -> {
			this.done.add(context.id());
			return JobResult.done(new Shipped("JD1"));
		};
		JobRequest work = JobRequest.named("work").payload("x");
		assertThat(engine.client().call(work, Shipped.class, Duration.ofMinutes(1))).isEqualTo(new Shipped("JD1"));
		engine.runUntilIdle();
		assertThat(released).isEqualTo(this.done);
	}

	@Test
	void jobThatIsNotStoredYetIsWaitedForAWhile() {
		JobEngine engine = build(parts());
		waitingForJob("not-yet-there");
		String id = enqueue(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(9));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.WAITING);
		this.clock.advance(Duration.ofSeconds(1));
		engine.runUntilIdle();
		assertThat(this.got).containsExactly("gone");
	}

	@Test
	void jobThatMissesItsDeadlineWhileItWaitsIsDeadAndNotForgotten() {
		JobEngine engine = build(parts());
		waitingFor(7);
		String id = engine.client().enqueue("work", "x", (options) -> options.deadlineIn(Duration.ofDays(1))).id();
		engine.runUntilIdle();
		assertThat(this.done).containsExactly("ordered");
		this.clock.advance(Duration.ofDays(1));
		engine.runUntilIdle();
		assertThat(job(id).state()).isEqualTo(JobState.DEAD);
	}

	@Test
	void waitForAJobWhoseResultIsNotKeptEnds() {
		JobEngine engine = build(parts());
		String part = engine.client().enqueue("quiet", "x").id();
		engine.runUntilIdle();
		waitingForJob(part);
		enqueue(engine);
		engine.runUntilIdle();
		this.clock.advance(Duration.ofSeconds(10));
		engine.runUntilIdle();
		assertThat(this.got).containsExactly("gone");
	}

	/**
	 * What a handler does.
	 */
	@FunctionalInterface
	interface Body {

		JobResult run(JobContext context) throws Exception;

	}

	/**
	 * A value.
	 */
	record Shipped(String parcel) {

	}

}
