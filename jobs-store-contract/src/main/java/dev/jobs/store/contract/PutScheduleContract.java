package dev.jobs.store.contract;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.view.DueSchedules;
import dev.jobs.store.view.DueSchedules.Place;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.ScheduleView.Fired;
import dev.jobs.store.view.ScheduleView.Put;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link Change.PutSchedule} and {@link Change.DropSchedule}, and of
 * {@link dev.jobs.store.JobStore#fireTicks} for schedules that were put.
 */
abstract class PutScheduleContract extends ContractPart {

	PutScheduleContract(StoreSource source) {
		super(source);
	}

	private static NewSchedule schedule(@Nullable String version) {
		return schedule("s", version);
	}

	private static NewSchedule schedule(String name, @Nullable String version) {
		return new NewSchedule(name, "def", "q", version);
	}

	private Changed put(NewSchedule schedule, @Nullable Instant next) {
		return change(new Change.PutSchedule(schedule, "spec of " + schedule.version(), next, Duration.ZERO));
	}

	private Changed drop() {
		return change(new Change.DropSchedule("s"));
	}

	private TickReply fire(@Nullable String version, Instant instant, @Nullable NewJob job, @Nullable Instant next) {
		return fire(Tick.of(schedule(version), instant, job).withNext(next));
	}

	private TickReply fire(Tick tick) {
		return this.store.fireTicks(List.of(tick), this.now).get(0);
	}

	private TickReply register(String definition, String queue) {
		return fire(Tick.of(new NewSchedule("s", definition, queue), this.now, null));
	}

	private ScheduleView view() {
		return this.store.inspector().schedule("s").orElseThrow();
	}

	private Put put() {
		return Objects.requireNonNull(view().put());
	}

	private DueSchedules due() {
		return due(null, 100);
	}

	private DueSchedules due(@Nullable Place after, int limit) {
		return this.store.inspector().dueSchedules(this.now, after, limit);
	}

	private List<String> dueNames() {
		return names(due());
	}

	private static List<String> names(DueSchedules due) {
		return due.due().stream().map(ScheduleView::name).toList();
	}

	private static TickReply asIfAnotherHad(Instant instant) {
		return new TickReply(null, instant);
	}

	@Test
	void putScheduleIsStored() {
		assertThat(put(schedule("1"), after(10))).isEqualTo(Changed.NEW);
		assertThat(view()).isEqualTo(new ScheduleView("s", "def", "q", this.now, false, List.of(),
				new Put("1", "spec of 1", after(10), null)));
		assertThat(this.store.inspector().schedules()).containsExactly(
				new ScheduleView("s", "def", "q", this.now, false, List.of(), new Put("1", "", after(10), null)));
		assertThat(queueExists("q")).isFalse();
	}

	@Test
	void sameVersionAgainChangesNothing() {
		put(schedule("1"), after(10));
		NewJob job = job("q");
		fire("1", after(10), job, after(20));
		ScheduleView before = view();
		pass(30);
		assertThat(put(schedule("1"), after(5))).isEqualTo(Changed.UNCHANGED);
		assertThat(view()).isEqualTo(before);
	}

	@Test
	void anotherVersionReplacesTheScheduleAndMakesUpForNothing() {
		put(schedule("1"), after(10));
		fire("1", after(10), job("q"), after(20));
		pass(100);
		assertThat(put(new NewSchedule("s", "other", "q", "2"), after(7))).isEqualTo(Changed.DONE);
		assertThat(view()).isEqualTo(new ScheduleView("s", "other", "q", this.now, false, List.of(),
				new Put("2", "spec of 2", after(7), null)));
		assertThat(put(schedule("1"), null)).isEqualTo(Changed.DONE);
		assertThat(put().next()).isNull();
	}

	@Test
	void anotherPayloadKeepsTheTicksThatWereFired() {
		put(schedule("1"), after(10));
		NewJob job = job("q");
		fire("1", after(10), job, after(20));
		put(schedule("2"), after(20));
		assertThat(view().fired()).containsExactly(new Fired(after(10), this.now, Outcome.NEW, job.id()));
		assertThat(view().latest()).isEqualTo(after(10));
	}

	@Test
	void ticksCountThatFireAfterThePutOrTheResumption() {
		Duration offset = Duration.ofMillis(5);
		change(new Change.PutSchedule(schedule("1"), "spec", after(7), offset));
		assertThat(view().latest()).isEqualTo(after(-5));
		assertThat(fire("1", after(-2), job("q"), after(20)).enqueued()).isNotNull();
		change(new Change.PutSchedule(schedule("2"), "spec", after(7), offset));
		assertThat(view().latest()).isEqualTo(after(-2));
		pass(10);
		change(new Change.PutSchedule(new NewSchedule("s", "other", "q", "3"), "spec", after(7), offset));
		assertThat(view().latest()).isEqualTo(after(-5));
		pass(10);
		change(new Change.PauseSchedule("s"));
		change(new Change.ResumeSchedule("s", offset));
		assertThat(view().latest()).isEqualTo(after(-5));
		change(new Change.PauseSchedule("s"));
		change(new Change.ResumeSchedule("s", offset.multipliedBy(2)));
		assertThat(view().latest()).isEqualTo(after(-5));
	}

	@Test
	void anotherQueueIsRefused() {
		put(schedule("1"), after(10));
		ScheduleView before = view();
		for (String queue : List.of("r", "another", "third", "fourth")) {
			assertThat(put(new NewSchedule("s", "def", queue, "2"), after(10))).isEqualTo(Changed.REFUSED);
		}
		assertThat(view()).isEqualTo(before);
	}

	@Test
	void tickOfTheVersionIsFired() {
		put(schedule("1"), after(10));
		NewJob job = job("q");
		Enqueued enqueued = Enqueued.of(job.id(), Outcome.NEW, job.dueAt());
		assertThat(fire("1", after(10), job, after(20))).isEqualTo(new TickReply(enqueued, after(10)));
		assertThat(find(job.id()).payload()).isEqualTo(job.payload());
		assertThat(put().next()).isEqualTo(after(20));
		assertThat(fire("1", after(10), job, after(20))).isEqualTo(new TickReply(enqueued, after(10), true));
		assertThat(fire("1", after(10), job("q"), after(20))).isEqualTo(asIfAnotherHad(after(10)));
		assertThat(fire("1", after(20), job("q"), null).enqueued()).isNotNull();
		assertThat(put().next()).isNull();
		assertThat(queue("q").ready()).isEqualTo(2);
	}

	@Test
	void tickOfAnotherVersionChangesNothing() {
		put(schedule("1"), after(10));
		put(schedule("2"), after(15));
		ScheduleView before = view();
		assertThat(fire("1", after(10), job("q"), after(20))).isEqualTo(asIfAnotherHad(after(10)));
		assertThat(fire("1", after(10), null, after(20))).isEqualTo(asIfAnotherHad(after(10)));
		assertThat(fire(null, after(10), job("q"), null)).isEqualTo(asIfAnotherHad(after(10)));
		assertThat(view()).isEqualTo(before);
		drop();
		assertThat(fire("2", after(15), job("q"), after(20))).isEqualTo(asIfAnotherHad(after(15)));
		assertThat(fire("2", after(15), null, after(20))).isEqualTo(asIfAnotherHad(after(15)));
		assertThat(this.store.inspector().schedules()).isEmpty();
		assertThat(queueExists("q")).isFalse();
	}

	@Test
	void tickWithoutAJobIsPassedOver() {
		put(schedule("1"), after(10));
		assertThat(fire("1", after(12), null, after(20))).isEqualTo(asIfAnotherHad(after(12)));
		assertThat(view().latest()).isEqualTo(after(12));
		assertThat(put().next()).isEqualTo(after(20));
		assertThat(fire("1", after(12), null, after(30))).isEqualTo(asIfAnotherHad(after(12)));
		assertThat(put().next()).isEqualTo(after(30));
		assertThat(fire("1", after(11), null, after(40))).isEqualTo(asIfAnotherHad(after(12)));
		assertThat(put().next()).isEqualTo(after(30));
		assertThat(fire("1", after(12), job("q"), after(40)).enqueued()).isNull();
	}

	@Test
	void pausedScheduleIsPassedOver() {
		put(schedule("1"), after(10));
		change(new Change.PauseSchedule("s"));
		assertThat(fire("1", after(10), job("q"), after(20))).isEqualTo(asIfAnotherHad(after(10)));
		assertThat(put().next()).isEqualTo(after(20));
		assertThat(view().paused()).isTrue();
		change(new Change.ResumeSchedule("s", Duration.ZERO));
		assertThat(fire("1", after(20), job("q"), after(30)).enqueued()).isNotNull();
	}

	@Test
	void schedulesAreDueInTheOrderOfTheirTimes() {
		put(schedule("c", "1"), after(10));
		put(schedule("b", "1"), after(10));
		put(schedule("a", "1"), after(20));
		put(schedule("later", "1"), after(21));
		put(schedule("never", "1"), null);
		register("def", "q");
		assertThat(due()).isEqualTo(new DueSchedules(List.of(), false, after(10)));
		pass(20);
		assertThat(dueNames()).containsExactly("b", "c", "a");
		assertThat(due().next()).isEqualTo(after(1));
		assertThat(due().due().get(0)).isEqualTo(this.store.inspector().schedule("b").orElseThrow());
		assertThat(due().more()).isFalse();
		assertThat(names(due(null, 2))).containsExactly("b", "c");
		assertThat(due(null, 2).more()).isTrue();
		Place b = Place.of(due().due().get(0));
		assertThat(names(due(b, 2))).containsExactly("c", "a");
		assertThat(due(b, 2).more()).isFalse();
		assertThat(names(due(new Place(after(0), "a"), 2))).isEmpty();
		fire(Tick.of(schedule("b", "1"), this.now, job("q")).withNext(after(30)));
		assertThat(dueNames()).containsExactly("c", "a");
		assertThat(names(due(b, 2))).containsExactly("c", "a");
		pass(10);
		assertThat(due().next()).isEqualTo(after(20));
	}

	@Test
	void schedulesThatAreDueAreReturnedByParts() {
		List<String> names = IntStream.range(0, 9).mapToObj((i) -> "s" + i).toList();
		String spec = "x".repeat(DueSchedules.MOST_CHARACTERS / 3);
		names.forEach((name) -> change(new Change.PutSchedule(schedule(name, "1"),
				name.equals("s8") ? spec.repeat(4) : spec, this.now, Duration.ZERO)));
		List<String> found = new ArrayList<>();
		DueSchedules due = due();
		while (due.more()) {
			assertThat(due.due()).hasSizeBetween(1, 3);
			found.addAll(names(due));
			due = due(Place.of(due.due().get(due.due().size() - 1)), 100);
		}
		found.addAll(names(due));
		assertThat(found).containsExactlyElementsOf(names);
	}

	@Test
	void beatTellsWhenTheFirstIsDue() {
		assertThat(beat("w", LEASE, "q").firstTick()).isNull();
		assertThat(beat("w").firstTick()).isNull();
		put(schedule("a", "1"), after(20));
		put(schedule("b", "1"), after(10));
		assertThat(beat("w").firstTick()).isEqualTo(after(10));
		pass(15);
		assertThat(beat("w").firstTick()).isEqualTo(after(-5));
		enqueueAndClaim("w", "q");
		change(new Change.DropSchedule("b"));
		assertThat(beat("w").firstTick()).isEqualTo(after(5));
	}

	@Test
	void droppedScheduleIsForgottenWithItsTicksAndItsPause() {
		assertThat(drop()).isEqualTo(Changed.NOT_FOUND);
		put(schedule("1"), after(10));
		fire("1", after(10), job("q"), after(20));
		change(new Change.PauseSchedule("s"));
		assertThat(drop()).isEqualTo(Changed.DONE);
		assertThat(drop()).isEqualTo(Changed.NOT_FOUND);
		assertThat(this.store.inspector().schedule("s")).isEmpty();
		assertThat(due()).isEqualTo(new DueSchedules(List.of(), false, null));
		pass(5);
		assertThat(put(schedule("1"), after(5))).isEqualTo(Changed.NEW);
		assertThat(view()).isEqualTo(new ScheduleView("s", "def", "q", this.now, false, List.of(),
				new Put("1", "spec of 1", after(5), null)));
		assertThat(fire("1", this.now, job("q"), after(20)).enqueued()).isNull();
		assertThat(fire("1", after(5), job("q"), after(20)).enqueued()).isNotNull();
	}

	@Test
	void scheduleOfTheApplicationIsOverriddenUntilItIsDropped() {
		register("of code", "q");
		assertThat(drop()).isEqualTo(Changed.REFUSED);
		pass(5);
		assertThat(put(schedule("1"), after(10))).isEqualTo(Changed.DONE);
		assertThat(view().definition()).isEqualTo("def");
		assertThat(put().replaces()).isEqualTo("of code");
		assertThat(fire(null, after(2), job("q"), null)).isEqualTo(asIfAnotherHad(after(2)));
		assertThat(put(schedule("2"), after(10))).isEqualTo(Changed.DONE);
		assertThat(put().replaces()).isEqualTo("of code");
		pass(5);
		assertThat(register("of code", "q")).isEqualTo(asIfAnotherHad(this.now));
		assertThat(put().version()).isEqualTo("2");
		assertThat(drop()).isEqualTo(Changed.DONE);
		assertThat(view()).isEqualTo(new ScheduleView("s", "of code", "q", this.now, false, List.of(), null));
		assertThat(due().next()).isNull();
		assertThat(fire(null, this.now, job("q"), null).enqueued()).isNull();
		assertThat(fire(null, after(1), job("q"), null).enqueued()).isNotNull();
	}

	@Test
	void overrideEndsWhenTheApplicationChangesTheSchedule() {
		register("of code", "q");
		put(schedule("1"), after(10));
		pass(5);
		assertThat(register("changed", "q")).isEqualTo(asIfAnotherHad(this.now));
		assertThat(view()).isEqualTo(new ScheduleView("s", "changed", "q", this.now, false, List.of(), null));
		assertThat(due().next()).isNull();
		assertThat(fire("1", after(10), job("q"), null)).isEqualTo(asIfAnotherHad(after(10)));
		assertThat(fire(null, after(1), job("q"), null).enqueued()).isNotNull();
	}

	@Test
	void scheduleThatWasPutIsAnOverrideOnceTheApplicationDeclaresIt() {
		put(schedule("1"), after(10));
		assertThat(register("of code", "q")).isEqualTo(asIfAnotherHad(this.now));
		assertThat(put()).isEqualTo(new Put("1", "spec of 1", after(10), "of code"));
	}

	@Test
	void scheduleIsForgottenInTimeOnlyIfTheApplicationDeclaredIt() {
		put(schedule("1"), after(10));
		register("of code", "q");
		put(schedule("kept", "1"), after(10));
		fire(Tick.of(new NewSchedule("declared", "def", "q"), this.now, null));
		pass(100);
		this.store.prune(new PruneRequest(null, 0, null, 0, null, this.now, 100, this.now));
		assertThat(this.store.inspector().schedules()).extracting(ScheduleView::name).containsExactly("kept");
		assertThat(dueNames()).containsExactly("kept");
	}

	@Test
	void purgeForgetsSchedulesThatWerePut() {
		put(schedule("1"), after(10));
		change(new Change.Purge());
		assertThat(due()).isEqualTo(new DueSchedules(List.of(), false, null));
		assertThat(put(schedule("1"), after(10))).isEqualTo(Changed.NEW);
	}

	@Test
	void oneOfManyPutsIsNew() {
		for (int round = 0; round < 3; round++) {
			String name = "raced-" + round;
			List<Changed> changed = Race.run(8, (number) -> put(schedule(name, "1"), after(10)));
			assertThat(changed).containsOnlyOnce(Changed.NEW).containsOnly(Changed.NEW, Changed.UNCHANGED);
			assertThat(this.store.inspector().schedule(name).orElseThrow().latest()).isEqualTo(this.now);
		}
	}

	@Test
	void oneOfManyWorkersFiresEachTickWhileTheScheduleIsPutAndDropped() {
		for (int round = 1; round <= 5; round++) {
			put(schedule("1"), after(round));
			Instant tick = after(round);
			List<Object> replies = Race.run(8, (number) -> switch (number) {
				case 0 -> drop();
				case 1 -> put(schedule("2"), after(100));
				default -> fire("1", tick, job("q"), after(100));
			});
			long fired = replies.stream()
				.filter((reply) -> reply instanceof TickReply given && given.enqueued() != null)
				.count();
			assertThat(fired).isLessThanOrEqualTo(1);
			drop();
			assertThat(this.store.inspector().schedules()).isEmpty();
			this.store.inspector().queues(this.now).forEach((queue) -> change(new Change.Purge()));
		}
	}

	@Test
	void hundredsAreFiredInOneCall() {
		int many = 300;
		for (int i = 0; i < many; i++) {
			put(schedule("s" + i, "1"), after(10));
		}
		pass(10);
		List<ScheduleView> due = due(null, 1000).due();
		assertThat(due).hasSize(many);
		List<Tick> ticks = IntStream.range(0, many)
			.mapToObj((i) -> Tick.of(schedule(due.get(i).name(), "1"), this.now, job("q")).withNext(after(10)))
			.toList();
		assertThat(this.store.fireTicks(ticks, this.now)).allMatch((reply) -> reply.enqueued() != null);
		assertThat(queue("q").ready()).isEqualTo(many);
		assertThat(due()).isEqualTo(new DueSchedules(List.of(), false, after(10)));
	}

}
