package dev.jobs.engine.lease;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.Job;
import dev.jobs.JobEvent;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.Trail;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.EventBus;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.Tallies;
import dev.jobs.engine.context.TestPoints;
import dev.jobs.engine.context.TimeKeeper;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.enqueue.CallersStore;
import dev.jobs.engine.enqueue.EnqueueChain;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.engine.enqueue.EnqueueWriter;
import dev.jobs.engine.enqueue.NewJobs;
import dev.jobs.engine.enqueue.TickWriter;
import dev.jobs.engine.result.Waits;
import dev.jobs.engine.schedule.CronTicker;
import dev.jobs.engine.settings.EngineSettings;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.engine.settings.EnqueueRules;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settle.EndingWriter;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.engine.settle.Settler;
import dev.jobs.engine.upkeep.Rescuer;
import dev.jobs.serialization.JacksonPayloadSerializer;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.Settled;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat.Note;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.store.view.WorkerView;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Heartbeat} and what goes by it, with clocks that are wrong and jump.
 */
class HeartbeatTests {

	private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

	private static final EngineSettings SETTINGS = EngineSettings.defaults();

	private static final Duration LEASE = SETTINGS.lease();

	private static final Duration JUMP = Duration.ofHours(1);

	/** The shortest jump that makes the lease of a worker seem over that is alive. */
	private static final Duration JUST_SEEN = LEASE.dividedBy(5).plusMillis(1);

	/** More than a lease, as after a virtual machine slept. */
	private static final Duration RESUMED = Duration.ofSeconds(20);

	private final InMemoryJobStore memory = new InMemoryJobStore();

	private Instant machine = START;

	private long nanos;

	/** The time of the store's server, if it has one. */
	private @Nullable Instant server;

	private boolean down;

	private @Nullable Runnable onBeat;

	/** What happens while a tick is offered to the store. */
	private @Nullable Runnable onTick;

	/** What the store answers to ends without writing them. */
	private @Nullable Settled answer;

	private final List<JobEvent> events = new ArrayList<>();

	/** How many beats were sent. */
	private int beats;

	/** Called whenever the counter or the store is asked. */
	private Runnable onAsked = () -> {
	};

	private final JobStore store = (JobStore) Proxy.newProxyInstance(JobStore.class.getClassLoader(),
			new Class<?>[] { JobStore.class }, (proxy, method, values) -> {
				if (method.getName().equals("beat")) {
					this.beats++;
				}
				if (method.getName().equals("as")) {
					return Optional.empty();
				}
				this.onAsked.run();
				if (this.down) {
					throw JobStoreException.refused("The server is down", null, true);
				}
				if (method.getName().equals("time")) {
					return Optional.ofNullable(this.server);
				}
				if (method.getName().equals("settle") && this.answer != null) {
					return Collections.nCopies(((List<?>) values[0]).size(), this.answer);
				}
				if (method.getName().equals("fireTicks") && this.onTick != null) {
					Runnable onTick = this.onTick;
					this.onTick = null;
					onTick.run();
				}
				try {
					Object reply = method.invoke(this.memory, values);
					this.onBeat = method.getName().equals("beat") ? during(this.onBeat) : this.onBeat;
					return (reply instanceof BeatReply beat) ? new BeatReply(beat.held(), beat.cancelled(), this.server)
							: reply;
				}
				catch (InvocationTargetException ex) {
					throw ex.getTargetException();
				}
			});

	/**
	 * Do once what happens while a beat is under way.
	 */
	private static @Nullable Runnable during(@Nullable Runnable onBeat) {
		if (onBeat != null) {
			onBeat.run();
		}
		return null;
	}

	private void pass(Duration time) {
		this.nanos += time.toNanos();
		this.machine = this.machine.plus(time);
		this.server = (this.server != null) ? this.server.plus(time) : null;
	}

	private WorkerView worker(String id) {
		return this.memory.inspector()
			.workers(Instant.EPOCH)
			.stream()
			.filter((worker) -> worker.id().equals(id))
			.findFirst()
			.orElseThrow(() -> new AssertionError("The worker " + id + " is gone"));
	}

	@Test
	void jumpOfTheMachineRobsNoLiveWorker() {
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		other.beat();
		one.claim();
		for (Duration jump : List.of(JUMP, JUMP.negated(), JUMP, JUST_SEEN, JUST_SEEN.negated(), RESUMED)) {
			pass(LEASE.multipliedBy(2));
			one.beat();
			other.beat();
			pass(LEASE);
			one.beat();
			other.beat();
			this.machine = this.machine.plus(jump);
			other.rescue();
			assertThat(worker("one").running()).isEqualTo(1);
			other.beat();
			other.rescue();
			assertThat(worker("one").running()).isEqualTo(1);
			pass(SETTINGS.beat());
			one.beat();
			assertThat(one.lease.holds(1)).isTrue();
			pass(LEASE.minus(SETTINGS.beat()));
			assertThat(other.lease.isSteady()).isFalse();
			other.beat();
			assertThat(other.lease.isSteady()).isTrue();
			one.beat();
			other.rescue();
			assertThat(worker("one").running()).isEqualTo(1);
		}
	}

	/** Whenever it comes, for a worker asks for the time more than once. */
	@Test
	void jumpWhileAWorkerLooksForOthersToRescueRobsNoLiveWorker() {
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		other.beat();
		one.claim();
		AtomicInteger asked = new AtomicInteger();
		int moments = 0;
		do {
			int moment = ++moments;
			for (int i = 0; i < 3; i++) {
				pass(LEASE);
				one.beat();
				other.beat();
			}
			assertThat(other.lease.isSteady()).isTrue();
			asked.set(0);
			this.onAsked = () -> {
				if (asked.incrementAndGet() == moment) {
					this.machine = this.machine.plus(RESUMED);
				}
			};
			other.rescue();
			this.onAsked = () -> {
			};
			assertThat(worker("one").running()).as("after a jump at moment %d", moment).isEqualTo(1);
		}
		while (asked.get() >= moments);
		assertThat(moments).isGreaterThan(3);
	}

	@Test
	void jumpOfTheMachineChangesNothingWhereTheStoreHasATime() {
		this.server = START.plus(Duration.ofDays(1));
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		other.beat();
		one.claim();
		for (Duration jump : List.of(JUMP, JUMP.negated(), Duration.ofSeconds(4), Duration.ofSeconds(-4))) {
			this.machine = this.machine.plus(jump);
			assertThat(other.lease.isSteady()).isTrue();
			other.rescue();
			other.beat();
			assertThat(worker("other").leaseUntil()).isEqualTo(this.server.plus(LEASE));
			assertThat(other.lease.isSteady()).isTrue();
			other.rescue();
			assertThat(worker("one").running()).isEqualTo(1);
			pass(SETTINGS.beat());
			one.beat();
		}
	}

	@Test
	void workerThatWaitedLongForAReplyTakesNothingOverForALease() {
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		other.beat();
		one.claim();
		this.onBeat = () -> pass(LEASE);
		other.beat();
		for (int beats = 0; beats < 3; beats++) {
			other.beat();
			assertThat(other.lease.isSteady()).isFalse();
			other.rescue();
			assertThat(worker("one").running()).isEqualTo(1);
			pass(SETTINGS.beat());
		}
		pass(LEASE);
		other.beat();
		assertThat(other.lease.isSteady()).isTrue();
	}

	@Test
	void jumpOfTheServerRobsNoLiveWorker() {
		this.server = START.plus(Duration.ofDays(1));
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		other.beat();
		one.claim();
		for (Duration jump : List.of(JUMP, JUST_SEEN, RESUMED)) {
			this.server = this.server.plus(jump);
			other.beat();
			assertThat(other.heartbeat.poll()).as("a beat by the new time").isEqualTo(SETTINGS.beat());
			assertThat(worker("other").leaseUntil()).isEqualTo(this.server.plus(LEASE));
			assertThat(other.lease.isSteady()).isFalse();
			other.rescue();
			assertThat(worker("one").running()).isEqualTo(1);
			one.beat();
			one.heartbeat.poll();
			assertThat(worker("one").leaseUntil()).isEqualTo(this.server.plus(LEASE));
			pass(LEASE);
			assertThat(other.lease.isSteady()).isFalse();
			other.beat();
			assertThat(other.lease.isSteady()).isTrue();
			assertThat(one.lease.holds(1)).isTrue();
			one.beat();
		}
	}

	@Test
	void firstLeaseEndsByTheTimeOfTheServer() {
		this.server = START.plus(JUMP);
		new Parts("one").beat();
		assertThat(worker("one").leaseUntil()).isEqualTo(START.plus(JUMP).plus(LEASE));
	}

	@Test
	void workerThatFindsNoServerSendsNoBeatByItsOwnTime() {
		this.server = START.plus(JUMP);
		this.down = true;
		Parts one = new Parts("one");
		assertThatExceptionOfType(JobStoreException.class).isThrownBy(one::beat);
		this.down = false;
		one.beat();
		assertThat(worker("one").leaseUntil()).isEqualTo(START.plus(JUMP).plus(LEASE));
		assertThat(one.lease.isSteady()).isFalse();
	}

	/** So a lease that is over is seen at most 1.3 leases after the last beat. */
	@Test
	void rescuerLooksAgainBeforeAThirdOfALeaseHasPassed() {
		Parts one = new Parts("one");
		one.beat();
		for (int i = 0; i < 1000; i++) {
			assertThat(one.rescue()).isBetween(LEASE.dividedBy(5), LEASE.multipliedBy(3).dividedBy(10));
		}
	}

	@Test
	void deathUnderTheDefaultLeaseIsSeenWithinTwentySeconds() {
		Duration lease = EngineSettings.defaults().lease();
		assertThat(lease.multipliedBy(13).dividedBy(10)).isLessThan(Duration.ofSeconds(20));
	}

	@Test
	void claimWhoseReplyComesTooLateIsNotRun() {
		Parts one = new Parts("one");
		one.beat();
		long asked = this.nanos;
		Claim claim = one.claimWithoutAReply();
		one.beat();
		pass(LEASE.dividedBy(2).plusNanos(1));
		one.beat();
		assertThat(one.lease.opened(List.of(claim), asked)).isEmpty();
		assertThat(one.lease.holds(claim.token())).isFalse();
		one.claim();
	}

	@Test
	void claimWhoseReplyNeverComesIsGivenBackEvenIfNobodyElseIsRescued() {
		Parts one = new Parts("one", SETTINGS.withRescue(false));
		one.beat();
		Claim claim = one.claimWithoutAReply();
		one.beat();
		one.rescue();
		assertThat(one.settler.pending()).isZero();
		pass(LEASE.dividedBy(2).plusNanos(1));
		one.beat();
		one.rescue();
		assertThat(one.settler.pending()).isOne();
		assertThat(one.lease.holds(claim.token())).isFalse();
		one.rescue();
		assertThat(one.settler.pending()).as("given back once").isOne();
		one.endings.pollAll();
		expectAsBeforeItsClaim(claim);
	}

	/**
	 * Expect that nothing tells that a job was claimed: it has lost no attempt, and
	 * nobody hears that its worker vanished.
	 */
	private void expectAsBeforeItsClaim(Claim claim) {
		Job job = this.memory.inspector().job(claim.job().id(), this.machine).orElseThrow();
		assertThat(job.state()).isEqualTo(JobState.READY);
		assertThat(job.trail()).isEqualTo(claim.job().trail()).isEqualTo(Trail.EMPTY);
		assertThat(this.events).noneMatch((event) -> event instanceof JobEvent.Rescued
				|| event instanceof JobEvent.OfFailure || event instanceof JobEvent.LeaseLost);
	}

	@Test
	void beatThatShowsALostClaimReportsItAtOnce() {
		Parts one = new Parts("one");
		AtomicInteger reported = new AtomicInteger();
		one.lease.onStrays(reported::incrementAndGet);
		one.beat();
		one.claimWithoutAReply();
		one.beat();
		assertThat(reported).as("while the reply may still come").hasValue(0);
		pass(LEASE.dividedBy(2).plusNanos(1));
		one.beat();
		assertThat(reported).hasValue(1);
		one.rescue();
		assertThat(one.settler.pending()).isOne();
	}

	@Test
	void jobWhoseEndTheStoreLostIsGivenBack() {
		Parts one = new Parts("one");
		one.beat();
		Claim claim = one.claim();
		one.beat();
		one.endInVain(claim);
		one.beat();
		pass(LEASE.dividedBy(2));
		one.beat();
		one.rescue();
		assertThat(one.settler.pending()).as("while a call may still be under way").isZero();
		pass(Duration.ofNanos(1));
		one.beat();
		one.rescue();
		assertThat(one.settler.pending()).isOne();
		one.endings.pollAll();
		assertThat(worker("one").running()).isZero();
		assertThat(queued("work")).isOne();
		expectAsBeforeItsClaim(claim);
	}

	@Test
	void jobsThatAreHeldAreNoStraysHoweverTheirEndsFallAroundBeats() {
		Parts one = new Parts("one");
		AtomicInteger strays = new AtomicInteger();
		one.lease.onStrays(strays::incrementAndGet);
		one.beat();
		for (int i = 0; i < 50; i++) {
			List<Claim> claims = one.claim(3);
			one.beat();
			one.end(claims.get(0));
			this.onBeat = () -> one.end(claims.get(1));
			pass(LEASE.multipliedBy(3).dividedBy(5));
			one.beat();
			pass(LEASE.multipliedBy(3).dividedBy(5));
			one.beat();
			this.onBeat = () -> one.claim(2).forEach(one::end);
			one.beat();
			one.end(claims.get(2));
			assertThat(one.lease.holds(claims.get(2).token())).isFalse();
		}
		assertThat(strays).hasValue(0);
	}

	@Test
	void jobWhoseEndIsCommittedWithItsRunIsHeldUntilThen() {
		Parts one = new Parts("one");
		one.beat();
		Claim claim = one.claim();
		JobEvent event = one.settler.settleJoined(claim, new Outcome.Returned(JobResult.done()), Duration.ZERO, null,
				this.store);
		assertThat(event).isNotNull();
		assertThat(one.lease.holds(claim.token())).isTrue();
		one.settler.committed(claim, event);
		assertThat(one.lease.holds(claim.token())).isFalse();
	}

	@Test
	void jobThatTurnsOutToBeGoneAtTheEndOfItsTransactionIsNotHeld() {
		Parts one = new Parts("one");
		one.beat();
		Claim claim = one.claim();
		this.memory.settle(List.of(Transition.removed(claim, START)), START);
		assertThat(one.settler.settleJoined(claim, new Outcome.Returned(JobResult.done()), Duration.ZERO, null,
				this.store))
			.isNull();
		assertThat(one.lease.holds(claim.token())).isFalse();
	}

	@Test
	void strayThatIsToBeCancelledDoesNotRunAgain() {
		Parts one = new Parts("one");
		one.beat();
		Claim claim = one.claim();
		one.endInVain(claim);
		one.beat();
		this.memory.change(List.of(new Change.Cancel(claim.job().id())), START);
		pass(LEASE.dividedBy(2).plusNanos(1));
		one.beat();
		one.rescue();
		one.endings.pollAll();
		assertThat(worker("one").running()).isZero();
		assertThat(queued("work")).isZero();
	}

	@Test
	void tokenWithoutAJobInTheStoreHasNoStrays() {
		Parts one = new Parts("one");
		one.beat();
		for (int i = 0; i < 4; i++) {
			pass(LEASE.dividedBy(2).plusNanos(1));
			one.beat();
			one.lease.findStrays(Map.of(4711L, 0), Map.of());
			assertThat(one.lease.strays()).isEmpty();
		}
		one.lease.findStrays(Map.of(4711L, 1), Map.of());
		pass(LEASE.dividedBy(2).plusNanos(1));
		one.lease.findStrays(Map.of(4711L, 1), Map.of());
		assertThat(one.lease.strays()).containsOnlyKeys(4711L);
	}

	@Test
	void jobWhoseEndIsUndecidedIsHeld() {
		Parts one = new Parts("one");
		one.beat();
		Claim claim = one.claim();
		this.answer = Settled.UNDECIDED;
		one.settler.settle(claim, new Outcome.Returned(JobResult.done()));
		for (int i = 0; i < 4; i++) {
			one.endings.poll();
			pass(LEASE.dividedBy(2).plusNanos(1));
			one.beat();
			assertThat(one.lease.holds(claim.token())).isTrue();
			assertThat(one.lease.strays()).isEmpty();
		}
	}

	@Test
	void straysOfAnyNumberGoBackAndNoLateReplyIsTakenForOneOfThem() {
		Parts one = new Parts("one");
		one.beat();
		long asked = this.nanos;
		List<Claim> claims = new ArrayList<>();
		for (int i = 0; i < 1200; i++) {
			claims.add(one.claimWithoutAReply());
		}
		one.beat();
		for (int i = 0; i < 3; i++) {
			pass(LEASE.dividedBy(3));
			one.beat();
		}
		for (Claim claim : claims) {
			assertThat(one.lease.opened(List.of(claim), asked)).isEmpty();
		}
		int polls = 0;
		while (!one.lease.strays().isEmpty()) {
			assertThat(one.rescue()).isZero();
			assertThat(++polls).isLessThan(50);
		}
		one.endings.pollAll();
		assertThat(queued("work")).isEqualTo(1200);
	}

	@Test
	void jobsBesideAStrayStayWhereTheyAre() {
		Parts one = new Parts("one");
		one.beat();
		List<Claim> claims = one.claim(3);
		one.endInVain(claims.get(1));
		one.beat();
		pass(LEASE.dividedBy(2).plusNanos(1));
		one.beat();
		assertThat(one.lease.strays())
			.containsOnly(Map.entry(claims.get(0).token(), Set.of(claims.get(0).job().id(), claims.get(2).job().id())));
		one.rescue();
		assertThat(one.lease.strays()).isEmpty();
		one.endings.pollAll();
		assertThat(queued("work")).isOne();
		one.beat();
		assertThat(one.lease.holds(claims.get(0).token())).isTrue();
		assertThat(worker("one").running()).isEqualTo(2);
	}

	@Test
	void claimWhoseReplyIsReadAfterTheProcessWasFrozenIsNotRun() {
		Parts one = new Parts("one");
		one.beat();
		long asked = this.nanos;
		Claim claim = one.claimWithoutAReply();
		pass(LEASE.minus(LEASE.dividedBy(5)));
		assertThat(one.lease.opened(List.of(claim), asked)).as("before the next beat").isEmpty();
		one.beat();
		assertThat(one.lease.isSafe()).isTrue();
		assertThat(one.lease.opened(List.of(claim), asked)).as("after it").isEmpty();
		assertThat(one.lease.holds(claim.token())).isFalse();
		one.claim();
	}

	@Test
	void claimWhoseReplyIsReadWhileABeatIsUnderWayIsForgottenIfTheLeaseWasLost() {
		Parts one = new Parts("one");
		one.beat();
		long asked = this.nanos;
		Claim claim = new Claim(one.claimWithoutAReply().job(), 4711);
		pass(LEASE.minus(LEASE.dividedBy(5)).minusNanos(1));
		this.onBeat = () -> {
			assertThat(one.lease.opened(List.of(claim), asked)).containsExactly(4711L);
			pass(Duration.ofNanos(1));
		};
		one.beat();
		assertThat(one.lease.isSafe()).isTrue();
		assertThat(one.lease.holds(4711)).isFalse();
	}

	@Test
	void requestAtAnyMomentOfABeatLeadsToABeatAndALookAfterIt() {
		Parts one = new Parts("one");
		one.beat();
		AtomicInteger asked = new AtomicInteger();
		AtomicInteger looks = new AtomicInteger();
		one.heartbeat.onRenewed(looks::incrementAndGet);
		int moments = 0;
		do {
			int moment = ++moments;
			asked.set(0);
			int looksBefore = looks.get();
			AtomicInteger beatsBefore = new AtomicInteger();
			this.onAsked = () -> {
				if (asked.incrementAndGet() == moment) {
					beatsBefore.set(this.beats);
					one.heartbeat.requestBeat();
				}
			};
			pass(SETTINGS.beat());
			one.heartbeat.poll();
			this.onAsked = () -> {
			};
			one.heartbeat.poll();
			if (asked.get() >= moment) {
				assertThat(this.beats).as("beats after a request at moment %d", moment)
					.isGreaterThan(beatsBefore.get());
				assertThat(looks).as("looks after a request at moment %d", moment).hasValueGreaterThan(looksBefore);
			}
		}
		while (asked.get() >= moments);
		assertThat(moments).isGreaterThan(5);
	}

	@Test
	void leaseIsSureAgainOnlyOnceItIsKnownWhatWasLost() {
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		one.claim();
		for (int i = 0; i < 3; i++) {
			pass(LEASE);
			other.beat();
		}
		other.rescue();
		assertThat(one.lease.isSafe()).isFalse();
		one.safeWhenAsked.clear();
		one.beat();
		assertThat(one.lease.holds(1)).isFalse();
		assertThat(one.safeWhenAsked).as("before the beat and when what was lost is forgotten")
			.containsExactly(false, false);
		assertThat(one.lease.isSafe()).isTrue();
	}

	@Test
	void tickerFiresNothingBeforeTheTimeIsKnownAndRestsUntilTheNextTick() {
		this.server = START.minus(JUMP).plusMillis(400);
		Parts one = new Parts("one");
		assertThat(one.ticker.poll()).isEqualTo(SETTINGS.beat());
		assertThat(this.memory.inspector().schedules()).isEmpty();
		one.beat();
		assertThat(one.ticker.poll()).isEqualTo(Duration.ofMillis(600));
		assertThat(this.memory.inspector().schedules()).singleElement()
			.satisfies((schedule) -> assertThat(schedule.latest()).isEqualTo(this.server));
		pass(Duration.ofMillis(599));
		assertThat(one.ticker.poll()).isEqualTo(Duration.ofMillis(1));
		assertThat(queued("tick")).isZero();
		pass(Duration.ofMillis(1));
		assertThat(one.ticker.poll()).isEqualTo(Duration.ofSeconds(1));
		assertThat(queued("tick")).isEqualTo(1);
		pass(Duration.ofMillis(2300));
		assertThat(one.ticker.poll()).isEqualTo(Duration.ofMillis(700));
		assertThat(queued("tick")).isEqualTo(3);
	}

	@Test
	void ticksThatOthersFiredDuringASlowPollAreNoReasonForAWarning() {
		Parts one = new Parts("one");
		Parts other = new Parts("other");
		one.beat();
		one.ticker.poll();
		pass(Duration.ofSeconds(1));
		this.onTick = () -> {
			pass(RESUMED);
			other.beat();
			other.ticker.poll();
		};
		assertThat(warnings(one.ticker::poll)).isEmpty();
		assertThat(this.onTick).isNull();
	}

	@Test
	void scheduleThatCountsAsFiredIntoTheFutureIsLoggedOnceForEachInstant() {
		this.server = START;
		Parts one = new Parts("one");
		one.beat();
		one.ticker.poll();
		fireAt(START.plusSeconds(20));
		pass(Duration.ofSeconds(1));
		assertThat(warnings(() -> {
			one.ticker.poll();
			one.ticker.poll();
		})).singleElement(InstanceOfAssertFactories.STRING)
			.contains("'each' is taken as fired until 2030-01-01T00:00:20Z, which is in the future")
			.contains("Its next tick is 2030-01-01T00:00:21Z");
		fireAt(START.plus(JUMP));
		pass(Duration.ofSeconds(21));
		one.beat();
		assertThat(warnings(() -> {
			one.ticker.poll();
			one.ticker.poll();
		})).singleElement(InstanceOfAssertFactories.STRING)
			.contains("until 2030-01-01T01:00:00Z")
			.contains("Its next tick is 2030-01-01T01:00:01Z");
	}

	/**
	 * Have another worker fire what is due at a time to which the clock of the server
	 * jumps for a moment.
	 */
	private void fireAt(Instant time) {
		Instant before = this.server;
		this.server = time;
		Parts ahead = new Parts("ahead");
		ahead.beat();
		ahead.ticker.poll();
		this.server = before;
	}

	private static List<String> warnings(Runnable action) {
		Logger logger = (Logger) LoggerFactory.getLogger(CronTicker.class);
		ListAppender<ILoggingEvent> appender = new ListAppender<>();
		appender.start();
		logger.addAppender(appender);
		try {
			action.run();
		}
		finally {
			logger.detachAppender(appender);
		}
		return appender.list.stream()
			.filter((line) -> line.getLevel() == Level.WARN && line.getMessage().contains("in the future"))
			.map(ILoggingEvent::getFormattedMessage)
			.toList();
	}

	private long queued(String name) {
		return this.memory.inspector()
			.queues(this.machine.plus(JUMP))
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.mapToLong((queue) -> queue.ready())
			.sum();
	}

	/**
	 * The parts of a worker that go by its heartbeat.
	 */
	private final class Parts implements HeldJobs {

		private final String id;

		private final Lease lease;

		private final Heartbeat heartbeat;

		private final EndingWriter endings;

		private final Settler settler;

		private final Rescuer rescuer;

		private final CronTicker ticker;

		private final EnqueuePipe pipe;

		/** Whether the lease was sure each time when the jobs were asked for. */
		private final List<Boolean> safeWhenAsked = new ArrayList<>();

		Parts(String id) {
			this(id, SETTINGS);
		}

		Parts(String id, EngineSettings settings) {
			this.id = id;
			StoreClock clock = new StoreClock(() -> HeartbeatTests.this.machine, true, () -> {
				HeartbeatTests.this.onAsked.run();
				return HeartbeatTests.this.nanos;
			});
			JobStore store = HeartbeatTests.this.store;
			JacksonPayloadSerializer serializer = new JacksonPayloadSerializer();
			EnqueueRules rules = new EnqueueRules(Map.of());
			HandlerRegistry registry = new HandlerRegistry(
					List.of(HandlerDefinition.of("work", Object.class, (payload, context) -> JobResult.done())),
					serializer, rules);
			EventBus events = new EventBus(List.of(HeartbeatTests.this.events::add));
			Tallies tallies = new Tallies();
			WorkerContext shared = new WorkerContext(id, store, registry, settings, clock, events, tallies,
					new Refusals(clock::nanos), new TestPoints(), () -> false, WorkerContext.RANDOM);
			this.lease = new Lease(clock, LEASE);
			this.endings = new EndingWriter(shared, this.lease, new Waits(shared));
			this.settler = new Settler(shared, this.lease, this.endings);
			WorkerInfo info = new WorkerInfo("host", 1, "", START, List.of(), List.of());
			this.heartbeat = new Heartbeat(shared, this.lease, () -> info, this);
			this.rescuer = new Rescuer(shared, this.lease, this.settler);
			NewJobs newJobs = new NewJobs(registry, serializer, rules, 1000, clock);
			EnqueueEvents enqueueEvents = new EnqueueEvents(events, tallies);
			EnqueueChain chain = new EnqueueChain(List.of());
			EnqueueWriter writer = new EnqueueWriter(store, enqueueEvents, clock);
			this.pipe = new EnqueuePipe(
					new CallersStore(store, EnqueueGate.NO_TRANSACTION, clock, new TimeKeeper(clock)), newJobs, chain,
					EnqueueGate.NO_TRANSACTION, writer, enqueueEvents, clock, null);
			this.ticker = new CronTicker(shared,
					List.of(RecurringJob.of("each", Schedule.parse("*/1 * * * * *"), "tick")), this.lease,
					new TickWriter(store, newJobs, chain, writer, enqueueEvents));
		}

		@Override
		public void drainPendingProgress(Consumer<Note> notes) {
			this.safeWhenAsked.add(this.lease.isSafe());
		}

		@Override
		public void lost(Set<Long> tokens) {
			this.safeWhenAsked.add(this.lease.isSafe());
		}

		@Override
		public void cancel(Set<String> ids) {
		}

		void beat() {
			this.heartbeat.requestBeat();
			this.heartbeat.poll();
		}

		Duration rescue() {
			return this.rescuer.poll();
		}

		Claim claim() {
			return claim(1).get(0);
		}

		List<Claim> claim(int jobs) {
			List<Claim> claims = claimWithoutAReply(jobs);
			assertThat(this.lease.opened(claims, HeartbeatTests.this.nanos)).containsExactly(claims.get(0).token());
			return claims;
		}

		void end(Claim claim) {
			this.settler.settle(claim, new Outcome.Returned(JobResult.done()));
			this.endings.pollAll();
		}

		/**
		 * End a job; the store accepts its end and loses it.
		 */
		void endInVain(Claim claim) {
			HeartbeatTests.this.answer = Settled.APPLIED;
			end(claim);
			HeartbeatTests.this.answer = null;
		}

		Claim claimWithoutAReply() {
			return claimWithoutAReply(1).get(0);
		}

		private List<Claim> claimWithoutAReply(int jobs) {
			this.pipe.enqueue(Collections.nCopies(jobs, JobRequest.named("work")), null);
			ClaimReply reply = HeartbeatTests.this.memory.claim(new ClaimRequest(this.id,
					List.of(ClaimRequest.Quota.of("work", jobs)), jobs, worker(this.id).lastBeat()));
			assertThat(reply.claims()).hasSize(jobs);
			return reply.claims();
		}

	}

}
