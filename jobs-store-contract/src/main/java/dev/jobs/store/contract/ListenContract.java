package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.End;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.StoreListener;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The promises of {@link dev.jobs.store.JobStore#listen}. Signals may get lost, so a
 * store must only pass this while its server is well.
 */
abstract class ListenContract extends ContractPart {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final AtomicInteger lastProbe = new AtomicInteger();

	ListenContract(StoreSource source) {
		super(source);
	}

	/**
	 * Subscribe, and wait until signals come through.
	 */
	private Heard listen() {
		Heard heard = new Heard();
		heard.subscription = this.store.listen(heard);
		await().atMost(PATIENCE).until(() -> {
			String probe = "probe-" + this.lastProbe.incrementAndGet();
			change(new Change.Pause(probe));
			return heard.signals.stream().anyMatch((signal) -> signal.startsWith("restricted"));
		});
		heard.signals.clear();
		return heard;
	}

	@Test
	void tellsOfAJobInAnEmptyQueue() {
		try (Heard heard = listen()) {
			enqueue("q");
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAnEarlierDueTime() {
		enqueue("q", after(10_000));
		try (Heard heard = listen()) {
			enqueue("q", after(5_000));
			heard.awaitReady("q", after(5_000));
		}
	}

	@Test
	void tellsOfAReleaseToTheFront() {
		Claim claim = enqueueAndClaim("w", "q");
		try (Heard heard = listen()) {
			settle(Transition.released(claim, this.now, claim.job().trail()));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfARetryInTheFuture() {
		Claim claim = enqueueAndClaim("w", "q");
		try (Heard heard = listen()) {
			settle(Transition.scheduled(claim, after(7), failed(claim)));
			heard.awaitReady("q", after(7));
		}
	}

	private void enqueueInLane(String lane) {
		enqueue(job("q").withHeaders(Map.of(Job.LANE_HEADER, lane)));
	}

	@Test
	void tellsOfAJobInAnEmptyLane() {
		enqueueInLane("a");
		try (Heard heard = listen()) {
			enqueueInLane("b");
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAnEndThatOpensALane() {
		enqueueInLane("a");
		enqueueInLane("a");
		register("w", "q");
		Claim claim = claim("w", 5, Quota.of("q", 5).withLanes(1, "")).claims().get(0);
		try (Heard heard = listen()) {
			settle(Transition.removed(claim, this.now));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAJobThatIsDeletedAndHeldItsLane() {
		enqueueInLane("a");
		enqueueInLane("a");
		register("w", "q");
		Claim claim = claim("w", 5, Quota.of("q", 5).withLanes(1, "")).claims().get(0);
		settle(Transition.dead(claim, this.now, failed(claim)).keepingLane());
		claim("w", 5, Quota.of("q", 5).withLanes(1, ""));
		try (Heard heard = listen()) {
			change(new Change.Delete(claim.job().id()));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfRoomInALaneThatWasFull() {
		enqueueInLane("a");
		NewJob refused = job("q").withHeaders(Map.of(Job.LANE_HEADER, "a")).withMaxInLane(1);
		assertThat(enqueue(refused).outcome()).isEqualTo(Outcome.FULL);
		register("w", "q");
		try (Heard heard = listen()) {
			claim("w", 5, Quota.of("q", 5));
			heard.await("room q");
		}
	}

	@Test
	void tellsOfAPausedLane() {
		try (Heard heard = listen()) {
			change(new Change.SetLane("q", "a", LaneSettingsView.Rule.PAUSED, 1, null));
			heard.await("restricted q");
		}
	}

	@Test
	void tellsOfAResumedLane() {
		enqueueInLane("a");
		change(new Change.SetLane("q", "a", LaneSettingsView.Rule.PAUSED, 1, null));
		try (Heard heard = listen()) {
			change(new Change.SetLane("q", "a", LaneSettingsView.Rule.PAUSED, null, null));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAReleaseOfJobsThatWaitForAThing() {
		Claim claim = enqueueAndClaim("w", "q");
		Trail trail = TrailRules.parked(claim.job().trail(), Trail.Wait.of("signal:a", this.now));
		settle(Transition.waiting(claim, after(1000), trail));
		try (Heard heard = listen()) {
			change(new Change.KeepEnd("signal:a", new End(JobState.SUCCEEDED, Trail.EMPTY, new byte[0], after(10))));
			heard.await("ended signal:a");
			change(new Change.Release("signal:a"));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAnEarlierTimeUntilWhichAJobWaits() {
		Claim claim = enqueueAndClaim("w", "q");
		try (Heard heard = listen()) {
			settle(Transition.waiting(claim, after(7),
					TrailRules.parked(claim.job().trail(), Trail.Wait.of("signal:a", this.now))));
			heard.awaitReady("q", after(7));
		}
	}

	@Test
	void tellsOfEndsThatAreKept() {
		enqueue(jobs("q", 3));
		register("w", "q");
		List<Claim> claims = claim("w", "q", 3);
		Claim first = claims.get(0);
		Claim second = claims.get(1);
		try (Heard heard = listen()) {
			Transition succeeded = Transition.removed(first, this.now)
				.keeping(new End(JobState.SUCCEEDED, first.job().trail(), new byte[5], after(10)));
			Transition died = Transition.dead(second, this.now, failed(second))
				.keeping(new End(JobState.DEAD, failed(second), null, after(10)));
			this.store.settle(List.of(succeeded, Transition.removed(claims.get(2), this.now), died), this.now);
			heard.await("ended " + first.job().id());
			heard.await("ended " + second.job().id());
			assertThat(heard.signals).doesNotContain("ended " + claims.get(2).job().id());
		}
	}

	@Test
	void tellsOfARetryByAPerson() {
		Claim claim = enqueueAndClaim("w", "q");
		kill(claim);
		try (Heard heard = listen()) {
			change(new Change.Retry(claim.job().id()));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfARescheduleToAnEarlierTime() {
		String id = enqueue("q", after(10_000));
		try (Heard heard = listen()) {
			change(new Change.Reschedule(id, after(1_000)));
			heard.awaitReady("q", after(1_000));
		}
	}

	@Test
	void tellsOfAPauseAndAResume() {
		enqueue("q");
		try (Heard heard = listen()) {
			change(new Change.Pause("q"));
			heard.await("restricted q");
			change(new Change.Resume("q"));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAChangedLimit() {
		enqueue("q");
		try (Heard heard = listen()) {
			change(new Change.Limit("q", 5));
			heard.await("restricted q");
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfAChangedSetting() {
		try (Heard heard = listen()) {
			change(new Change.Set("pool", "default", "text", null));
			heard.await("set");
		}
	}

	@Test
	void tellsOfAReplacedSettingIfItIsAnnounced() {
		change(new Change.Set("pool", "default", "1", null));
		try (Heard heard = listen()) {
			change(new Change.Swap("pool", "default", "1", "2", true));
			heard.await("set");
		}
	}

	@Test
	void tellsOfRoomUnderARunningLimit() {
		enqueue(jobs("q", 2));
		register("w", "q");
		Claim claim = claim("w", 2, Quota.of("q", 2).withMaxRunning(1)).claims().get(0);
		try (Heard heard = listen()) {
			settle(Transition.removed(claim, this.now));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfRoomInAFullQueue() {
		enqueue("q");
		register("w", "q");
		try (Heard heard = listen()) {
			assertThat(enqueue(with(job("q"), 1)).outcome()).isEqualTo(Outcome.FULL);
			claim("w", "q", 1);
			heard.await("room q");
		}
	}

	@Test
	void tellsOfRoomByADeletion() {
		String id = enqueue("q");
		try (Heard heard = listen()) {
			assertThat(enqueue(with(job("q"), 1)).outcome()).isEqualTo(Outcome.FULL);
			change(new Change.Delete(id));
			heard.await("room q");
		}
	}

	@Test
	void tellsOfALaneThatAJobFreesAsItMovesToAnother() {
		String id = enqueue(job("q").withHeaders(Map.of(Job.LANE_HEADER, "a"))).id();
		register("w", "q");
		Claim claim = claim("w", 1, Quota.of("q", 1).withLanes(1, "")).claims().get(0);
		settle(Transition.scheduled(claim, after(50), claim.job().trail()).keepingLane());
		enqueue(job("q").withHeaders(Map.of(Job.LANE_HEADER, "a")));
		assertThat(claim("w", 1, Quota.of("q", 1).withLanes(1, "")).claims()).isEmpty();
		try (Heard heard = listen()) {
			change(Change.SetStanding.lane(id, "b"));
			heard.awaitReady("q", this.now);
		}
	}

	@Test
	void tellsOfACancelledJob() {
		Claim claim = enqueueAndClaim("w", "q");
		try (Heard heard = listen()) {
			change(new Change.Cancel(claim.job().id()));
			heard.await("cancelled w");
		}
	}

	@Test
	void tellsEachListener() {
		try (Heard one = listen(); Heard other = listen()) {
			enqueue("q");
			one.awaitReady("q", this.now);
			other.awaitReady("q", this.now);
		}
	}

	@Test
	void closedSubscriptionGetsNoSignals() {
		Heard closed = listen();
		closed.close();
		closed.close();
		try (Heard heard = listen()) {
			closed.signals.clear();
			enqueue("q");
			heard.awaitReady("q", this.now);
			assertThat(closed.signals).isEmpty();
		}
	}

	@Test
	@ExpectsFaults("A listener of the store failed")
	void failingListenerHarmsNobody() {
		try (Subscription failing = this.store.listen(new Failing()); Heard heard = listen()) {
			assertThat(failing).isNotNull();
			enqueue("q");
			heard.awaitReady("q", this.now);
			change(new Change.Pause("q"));
			heard.await("restricted q");
		}
	}

	@Test
	void tellsOfAScheduleThatIsPut() {
		NewSchedule schedule = new NewSchedule("s", "def", "q", "1");
		try (Heard heard = listen()) {
			change(new Change.PutSchedule(schedule, "spec", after(10_000), Duration.ZERO));
			heard.await("ticks " + after(10_000));
		}
	}

	@Test
	void listenerMayCallTheStore() {
		StoreListener caller = new StoreListener() {

			@Override
			public void restricted(String queue) {
				ListenContract.this.store.inspector().queues(START);
			}

		};
		try (Subscription calling = this.store.listen(caller); Heard heard = listen()) {
			assertThat(calling).isNotNull();
			change(new Change.Pause("q"));
			heard.await("restricted q");
		}
	}

	private static final class Failing implements StoreListener {

		@Override
		public void ready(String queue, Instant at) {
			throw new IllegalStateException("A listener fails on purpose");
		}

		@Override
		public void restricted(String queue) {
			throw new IllegalStateException("A listener fails on purpose");
		}

	}

	private static final class Heard implements StoreListener, AutoCloseable {

		private final List<String> signals = new CopyOnWriteArrayList<>();

		private Subscription subscription = () -> {
		};

		@Override
		public void ready(String queue, Instant at) {
			this.signals.add("ready " + queue + " " + at);
		}

		@Override
		public void room(String queue) {
			this.signals.add("room " + queue);
		}

		@Override
		public void restricted(String queue) {
			this.signals.add("restricted " + queue);
		}

		@Override
		public void ticks(Instant at) {
			this.signals.add("ticks " + at);
		}

		@Override
		public void settingsChanged() {
			this.signals.add("set");
		}

		@Override
		public void cancelled(String worker) {
			this.signals.add("cancelled " + worker);
		}

		@Override
		public void ended(Set<String> jobs) {
			jobs.forEach((job) -> this.signals.add("ended " + job));
		}

		void awaitReady(String queue, Instant at) {
			await("ready " + queue + " " + at);
		}

		void await(String signal) {
			org.awaitility.Awaitility.await()
				.atMost(PATIENCE)
				.untilAsserted(() -> assertThat(this.signals).contains(signal));
		}

		@Override
		public void close() {
			this.subscription.close();
		}

	}

}
