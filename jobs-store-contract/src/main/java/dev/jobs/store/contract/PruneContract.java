package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.DeadReason;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Tick;
import dev.jobs.store.Transition;
import dev.jobs.store.view.ScheduleView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#prune}.
 */
abstract class PruneContract extends ContractPart {

	private static final int MANY = 1000;

	PruneContract(StoreSource source) {
		super(source);
	}

	private List<String> dead(String queue, int count) {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Claim claim = enqueueAndClaim("w", queue);
			kill(claim);
			ids.add(claim.job().id());
			pass(1);
		}
		return ids;
	}

	private List<String> history(String queue, int count) {
		List<String> ids = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Claim claim = enqueueAndClaim("w", queue);
			settle((i % 2 == 0) ? Transition.kept(claim, this.now, claim.job().trail())
					: Transition.cancelled(claim, this.now, claim.job().trail()));
			ids.add(claim.job().id());
			pass(1);
		}
		return ids;
	}

	private Pruned pruneDead(@Nullable Instant before, int kept, int limit) {
		return this.store.prune(new PruneRequest(before, kept, null, 0, null, null, limit, this.now));
	}

	private Pruned pruneHistory(@Nullable Instant before, int kept, int limit) {
		return this.store.prune(new PruneRequest(null, 0, before, kept, null, null, limit, this.now));
	}

	private Pruned pruneStranded(Instant before, int limit) {
		return this.store.prune(new PruneRequest(null, 0, null, 0, before, null, limit, this.now));
	}

	private void assertLeft(List<String> ids, int removed) {
		for (int i = 0; i < ids.size(); i++) {
			assertThat(exists(ids.get(i))).as("job " + i + " exists").isEqualTo(i >= removed);
		}
	}

	@Test
	void withoutBoundsRemovesNothing() {
		List<String> dead = dead("q", 3);
		List<String> history = history("q", 3);
		enqueue("unserved");
		pass(1_000_000_000L);
		assertThat(this.store.prune(new PruneRequest(null, 0, null, 0, null, null, MANY, this.now)))
			.isEqualTo(new Pruned(0, 0, 0, false));
		assertLeft(dead, 0);
		assertLeft(history, 0);
	}

	@Test
	void removesDeadJobsStrictlyOlder() {
		List<String> ids = dead("q", 5);
		assertThat(pruneDead(START.plusMillis(2), 0, MANY)).isEqualTo(new Pruned(2, 0, 0, false));
		assertLeft(ids, 2);
	}

	@Test
	void removesHistoryStrictlyOlder() {
		List<String> ids = history("q", 5);
		assertThat(pruneHistory(START.plusMillis(2), 0, MANY)).isEqualTo(new Pruned(0, 2, 0, false));
		assertLeft(ids, 2);
	}

	@Test
	void agesByTheEndAndNotByTheEnqueue() {
		String id = enqueue("q");
		pass(100);
		kill(claimOne("w", "q"));
		assertThat(pruneDead(after(0), 0, MANY).dead()).isZero();
		assertThat(exists(id)).isTrue();
		assertThat(pruneDead(after(1), 0, MANY).dead()).isEqualTo(1);
	}

	@Test
	void keepsTheNewestDeadOfEachQueue() {
		List<String> a = dead("a", 101);
		List<String> b = dead("b", 2);
		assertThat(pruneDead(null, 100, MANY)).isEqualTo(new Pruned(1, 0, 0, false));
		assertLeft(a, 1);
		assertLeft(b, 0);
		assertThat(pruneDead(null, 100, MANY)).isEqualTo(new Pruned(0, 0, 0, false));
	}

	@Test
	void keepsTheNewestHistoryOfEachQueue() {
		List<String> a = history("a", 6);
		List<String> b = history("b", 3);
		assertThat(pruneHistory(null, 2, MANY)).isEqualTo(new Pruned(0, 5, 0, false));
		assertLeft(a, 4);
		assertLeft(b, 1);
	}

	@Test
	void appliesBothBounds() {
		List<String> ids = dead("q", 6);
		assertThat(pruneDead(START.plusMillis(4), 5, MANY).dead()).isEqualTo(4);
		assertLeft(ids, 4);
		assertThat(pruneDead(START.plusMillis(1), 1, MANY).dead()).isEqualTo(1);
		assertLeft(ids, 5);
	}

	@Test
	void boundsForDeadJobsLeaveHistoryAlone() {
		List<String> history = history("q", 2);
		assertThat(pruneDead(after(100), 1, MANY)).isEqualTo(new Pruned(0, 0, 0, false));
		assertLeft(history, 0);
		List<String> dead = dead("q", 2);
		assertThat(pruneHistory(after(100), 1, MANY).history()).isEqualTo(2);
		assertLeft(dead, 0);
	}

	@Test
	void leavesLiveJobsAlone() {
		String running = enqueueAndClaim("w", "q").job().id();
		String ready = enqueue("q");
		String scheduled = enqueue("q", after(5));
		pass(1000);
		register("w", "q");
		this.store.prune(new PruneRequest(this.now, 1, this.now, 1, this.now, this.now, MANY, this.now));
		assertThat(List.of(running, ready, scheduled)).allMatch(this::exists);
	}

	@Test
	void touchesNoMoreThanTheLimitAndSaysSo() {
		List<String> ids = dead("q", 7);
		assertThat(pruneDead(after(1), 0, 3)).isEqualTo(new Pruned(3, 0, 0, true));
		assertLeft(ids, 3);
		assertThat(pruneDead(after(1), 0, 3)).isEqualTo(new Pruned(3, 0, 0, true));
		assertThat(pruneDead(after(1), 0, 3)).isEqualTo(new Pruned(1, 0, 0, false));
	}

	@Test
	void limitCountsAllKindsTogether() {
		dead("q", 3);
		history("q", 3);
		Pruned first = this.store.prune(new PruneRequest(after(1), 0, after(1), 0, null, null, 4, this.now));
		assertThat(first.dead() + first.history()).isEqualTo(4);
		assertThat(first.more()).isTrue();
		Pruned second = this.store.prune(new PruneRequest(after(1), 0, after(1), 0, null, null, 4, this.now));
		assertThat(second.dead() + second.history()).isEqualTo(2);
		assertThat(second.more()).isFalse();
	}

	@Test
	void strandedJobsDieForWantOfAHandler() {
		String ready = enqueue("q");
		String scheduled = enqueue("q", after(10));
		pass(20);
		assertThat(pruneStranded(this.now, MANY)).isEqualTo(new Pruned(0, 0, 2, false));
		for (String id : List.of(ready, scheduled)) {
			assertThat(state(id)).isEqualTo(JobState.DEAD);
			Trail.End end = find(id).trail().end();
			assertThat(end).isNotNull();
			assertThat(end).extracting(Trail.End::reason).isEqualTo(DeadReason.NO_HANDLER);
			assertThat(end).extracting(Trail.End::at).isEqualTo(this.now);
			assertThat(end).extracting(Trail.End::message).asString().isNotBlank();
		}
		assertThat(pruneStranded(this.now, MANY).stranded()).isZero();
	}

	@Test
	void strandedBoundIsExact() {
		String older = enqueue("q");
		pass(1);
		String younger = enqueue("q");
		String scheduled = enqueue("q", after(1));
		assertThat(pruneStranded(this.now, MANY).stranded()).isEqualTo(1);
		assertThat(state(older)).isEqualTo(JobState.DEAD);
		assertThat(state(younger)).isEqualTo(JobState.READY);
		assertThat(state(scheduled)).isEqualTo(JobState.SCHEDULED);
	}

	@Test
	void servedQueuesAreNotStranded() {
		enqueue("q");
		register("w", "other", "q");
		pass(10);
		assertThat(pruneStranded(this.now, MANY).stranded()).isZero();
		leave("w");
		assertThat(pruneStranded(this.now, MANY).stranded()).isEqualTo(1);
	}

	@Test
	void expiredWorkersDoNotServe() {
		enqueue("q");
		beat("w", java.time.Duration.ofMillis(10), "q");
		pass(10);
		assertThat(pruneStranded(this.now, MANY).stranded()).isZero();
		pass(1);
		assertThat(pruneStranded(this.now, MANY).stranded()).isEqualTo(1);
	}

	@Test
	void strandedJobsCountTowardsTheLimit() {
		enqueue(jobs("q", 5));
		pass(1);
		assertThat(pruneStranded(this.now, 2)).isEqualTo(new Pruned(0, 0, 2, true));
		assertThat(queue("q").dead()).isEqualTo(2);
		assertThat(queue("q").ready()).isEqualTo(3);
	}

	@Test
	void strandedJobMayBeRetried() {
		String id = enqueue("q");
		pass(1);
		pruneStranded(this.now, MANY);
		change(new dev.jobs.store.Change.Retry(id));
		assertThat(claimOne("w", "q").job().trail()).isEqualTo(Trail.EMPTY);
	}

	@Test
	void forgetsSchedulesThatNobodyTouched() {
		fire("old", this.now, null);
		fire("registered", this.now, null);
		fire("fired", this.now, null);
		pass(10);
		fire("registered", this.now, null);
		fire("fired", this.now, job("q"));
		this.store.prune(new PruneRequest(null, 0, null, 0, null, START, MANY, this.now));
		assertThat(this.store.inspector().schedules()).hasSize(3);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, this.now, MANY, this.now));
		assertThat(this.store.inspector().schedules()).extracting(ScheduleView::name)
			.containsExactly("fired", "registered");
	}

	@Test
	void forgetsThoseOfManySchedulesThatNobodyTouched() {
		int many = 1200;
		List<Tick> ticks = IntStream.range(0, many)
			.mapToObj((i) -> Tick.of(new NewSchedule("s" + i, "def", "q"), this.now, null))
			.toList();
		this.store.fireTicks(ticks, this.now);
		pass(10);
		this.store.fireTicks(ticks.subList(0, 5), this.now);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, this.now, MANY, this.now));
		assertThat(this.store.inspector().schedules()).extracting(ScheduleView::name)
			.containsExactly("s0", "s1", "s2", "s3", "s4");
	}

	@Test
	void pauseOfAForgottenScheduleStays() {
		fire("s", this.now, job("q"));
		change(new Change.PauseSchedule("s"));
		this.store.prune(new PruneRequest(null, 0, null, 0, null, after(1), MANY, this.now));
		assertThat(this.store.inspector().schedules()).isEmpty();
		fire("s", after(1), job("q"));
		assertThat(this.store.inspector().schedules())
			.containsExactly(new ScheduleView("s", "def", "q", after(1), true, List.of(), null));
	}

	private void fire(String schedule, Instant instant, @Nullable NewJob job) {
		this.store.fireTicks(List.of(Tick.of(new NewSchedule(schedule, "def", "q"), instant, job)), this.now);
	}

}
