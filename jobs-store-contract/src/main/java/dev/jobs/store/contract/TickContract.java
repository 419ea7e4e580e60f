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
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.ScheduleView.Fired;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

/**
 * The promises of {@link dev.jobs.store.JobStore#fireTicks}.
 */
abstract class TickContract extends ContractPart {

	TickContract(StoreSource source) {
		super(source);
	}

	private TickReply fire(Instant instant, @Nullable NewJob job) {
		return fire("def", instant, job);
	}

	private TickReply fire(String definition, Instant instant, @Nullable NewJob job) {
		return fire(new NewSchedule("s", definition, "q"), instant, job);
	}

	private TickReply fire(NewSchedule schedule, Instant instant, @Nullable NewJob job) {
		return this.store.fireTicks(List.of(Tick.of(schedule, instant, job)), this.now).get(0);
	}

	private static Tick tick(String schedule, Instant instant, @Nullable NewJob job) {
		return Tick.of(new NewSchedule(schedule, "def", "q"), instant, job);
	}

	/**
	 * Return the schedules without what they have fired.
	 */
	private List<ScheduleView> schedules() {
		return this.store.inspector()
			.schedules()
			.stream()
			.map((view) -> view(view.name(), view.definition(), view.queue(), view.latest()))
			.toList();
	}

	private static ScheduleView view(String name, String definition, String queue, Instant latest) {
		return new ScheduleView(name, definition, queue, latest, false, List.of(), null);
	}

	private ScheduleView schedule() {
		return this.store.inspector().schedules().get(0);
	}

	private Fired fired(Instant tick, NewJob job) {
		return new Fired(tick, this.now, Outcome.NEW, job.id());
	}

	@Test
	void enqueuesTheJobOfATick() {
		fire(this.now, null);
		NewJob job = job("q");
		assertThat(fire(after(10), job))
			.isEqualTo(new TickReply(Enqueued.of(job.id(), Outcome.NEW, job.dueAt()), after(10)));
		assertThat(find(job.id()).payload()).isEqualTo(job.payload());
		assertThat(schedules()).containsExactly(view("s", "def", "q", after(10)));
	}

	@Test
	void claimsTheTickOfAnUnknownSchedule() {
		assertThat(fire(this.now, job("q")).enqueued()).isNotNull();
		assertThat(schedules()).containsExactly(view("s", "def", "q", this.now));
	}

	@Test
	void refusesATickThatWasClaimed() {
		fire(after(10), job("q"));
		NewJob other = job("q");
		assertThat(fire(after(10), other)).isEqualTo(new TickReply(null, after(10)));
		assertThat(exists(other.id())).isFalse();
	}

	@Test
	void refusesAnOlderTick() {
		fire(after(10), job("q"));
		assertThat(fire(after(9), job("q"))).isEqualTo(new TickReply(null, after(10)));
		assertThat(queue("q").ready()).isEqualTo(1);
	}

	@Test
	void refusesTheTickOfTheRegistration() {
		fire(after(10), null);
		assertThat(fire(after(10), job("q"))).isEqualTo(new TickReply(null, after(10)));
		assertThat(fire(after(11), job("q")).enqueued()).isNotNull();
	}

	@Test
	void remembersTheTickAfterItsJobIsGone() {
		fire(after(10), job("q"));
		settle(Transition.removed(claimOne("w", "q"), this.now));
		assertThat(fire(after(10), job("q"))).isEqualTo(new TickReply(null, after(10)));
	}

	private static TickReply repeated(TickReply reply) {
		return new TickReply(reply.enqueued(), reply.latest(), true);
	}

	@Test
	void repeatedAnswersTheSameAndEnqueuesNothing() {
		NewJob job = job("q");
		TickReply reply = fire(after(10), job);
		assertThat(fire(after(10), job)).isEqualTo(repeated(reply));
		assertThat(queue("q").ready()).isEqualTo(1);
		settle(Transition.removed(claimOne("w", "q"), this.now));
		assertThat(fire(after(10), job)).isEqualTo(repeated(reply));
		assertThat(queue("q").waiting()).isZero();
	}

	@Test
	void tickIsClaimedWhateverBecomesOfItsJob() {
		enqueue("q");
		NewJob job = with(job("q"), 1);
		TickReply reply = fire(after(10), job);
		assertThat(reply).isEqualTo(new TickReply(Enqueued.of(job.id(), Outcome.FULL, job.dueAt()), after(10)));
		assertThat(fire(after(10), job)).isEqualTo(repeated(reply));
		assertThat(fire(after(10), job("q")).enqueued()).isNull();
	}

	@Test
	void registersAnUnknownSchedule() {
		assertThat(fire(this.now, null)).isEqualTo(new TickReply(null, this.now));
		assertThat(schedules()).containsExactly(view("s", "def", "q", this.now));
		assertThat(queueExists("q")).isFalse();
	}

	@Test
	void registrationOfTheSameDefinitionKeepsTheLatestTick() {
		fire(this.now, null);
		assertThat(fire(after(10), null)).isEqualTo(new TickReply(null, this.now));
		assertThat(schedules()).containsExactly(view("s", "def", "q", this.now));
	}

	@Test
	void registrationOfAnotherDefinitionStartsOver() {
		fire(this.now, job("q"));
		assertThat(fire("changed", after(10), null)).isEqualTo(new TickReply(null, after(10)));
		assertThat(schedules()).containsExactly(view("s", "changed", "q", after(10)));
		assertThat(fire("changed", after(5), job("q")).enqueued()).isNull();
		assertThat(fire("changed", after(11), job("q")).enqueued()).isNotNull();
	}

	@Test
	void registrationOfAnotherDefinitionNeverGoesBack() {
		fire(after(10), job("q"));
		assertThat(fire("changed", this.now, null)).isEqualTo(new TickReply(null, after(10)));
		assertThat(schedules()).containsExactly(view("s", "changed", "q", after(10)));
	}

	@Test
	void registrationTakesTheQueue() {
		fire(this.now, null);
		fire(new NewSchedule("s", "def", "other"), this.now, null);
		assertThat(schedules()).containsExactly(view("s", "def", "other", this.now));
	}

	@Test
	void firingDoesNotChangeTheDefinition() {
		fire(this.now, null);
		assertThat(fire("older", after(1), job("q")).enqueued()).isNotNull();
		assertThat(schedules()).containsExactly(view("s", "def", "q", after(1)));
	}

	@Test
	void schedulesDoNotMeet() {
		fire(after(10), job("q"));
		TickReply reply = fire(new NewSchedule("t", "def", "q"), after(5), job("q"));
		assertThat(reply.enqueued()).isNotNull();
		assertThat(schedules()).extracting(ScheduleView::name).containsExactly("s", "t");
	}

	@Test
	void eachTickOfACallIsClaimedOnItsOwn() {
		NewJob taken = job("q");
		NewJob due = job("q");
		fire(after(10), taken);
		change(new Change.PauseSchedule("paused"));
		List<TickReply> replies = this.store.fireTicks(List.of(tick("new", after(1), due), tick("s", after(10), taken),
				tick("paused", after(2), job("q")), tick("registered", after(3), null), tick("s", after(9), job("q"))),
				this.now);
		assertThat(replies).containsExactly(new TickReply(Enqueued.of(due.id(), Outcome.NEW, due.dueAt()), after(1)),
				new TickReply(Enqueued.of(taken.id(), Outcome.NEW, taken.dueAt()), after(10), true),
				new TickReply(null, after(2)), new TickReply(null, after(3)), new TickReply(null, after(10)));
		assertThat(queue("q").ready()).isEqualTo(2);
		assertThat(schedules()).extracting(ScheduleView::name, ScheduleView::latest)
			.containsExactly(tuple("new", after(1)), tuple("paused", after(2)), tuple("registered", after(3)),
					tuple("s", after(10)));
	}

	@Test
	void ticksOfAScheduleInOneCallAreClaimedInTheirOrder() {
		List<NewJob> jobs = jobs("q", 3);
		List<TickReply> replies = this.store.fireTicks(List.of(tick("s", this.now, null),
				tick("s", after(1), jobs.get(0)), tick("s", after(1), jobs.get(0)), tick("s", after(1), job("q")),
				tick("s", after(2), jobs.get(1)), tick("s", after(3), with(jobs.get(2), 1))), this.now);
		Enqueued first = Enqueued.of(jobs.get(0).id(), Outcome.NEW, jobs.get(0).dueAt());
		assertThat(replies).containsExactly(new TickReply(null, this.now), new TickReply(first, after(1)),
				new TickReply(first, after(1), true), new TickReply(null, after(1)),
				new TickReply(Enqueued.of(jobs.get(1).id(), Outcome.NEW, jobs.get(1).dueAt()), after(2)),
				new TickReply(Enqueued.of(jobs.get(2).id(), Outcome.FULL, jobs.get(2).dueAt()), after(3)));
		assertThat(schedule().fired()).extracting(Fired::tick).containsExactly(after(1), after(2), after(3));
		assertThat(queue("q").ready()).isEqualTo(2);
	}

	@Test
	void oneOfManyWorkersFiresEachTickOfACall() {
		for (int round = 1; round <= 3; round++) {
			Instant instant = after(round);
			List<List<TickReply>> replies = Race.run(8,
					(number) -> this.store.fireTicks(
							IntStream.range(0, 20).mapToObj((i) -> tick("s" + i, instant, job("q"))).toList(),
							this.now));
			for (int i = 0; i < 20; i++) {
				int schedule = i;
				assertThat(replies.stream().map((each) -> each.get(schedule).enqueued()).filter(Objects::nonNull))
					.hasSize(1);
			}
			assertThat(queue("q").ready()).isEqualTo(20L * round);
		}
	}

	@Test
	void remembersTheLatestTicksFired() {
		assertThat(fire(this.now, null).enqueued()).isNull();
		assertThat(schedule().fired()).isEmpty();
		List<Fired> fired = new ArrayList<>();
		for (int i = 1; i <= 7; i++) {
			pass(3);
			NewJob job = job("q");
			fire(after(i), job);
			fire(after(i), job);
			fire(after(i), job("q"));
			fired.add(fired(after(i), job));
		}
		assertThat(schedule().fired()).isEqualTo(fired.subList(2, 7));
		NewJob refused = with(job("q"), 1);
		fire(after(8), refused);
		assertThat(schedule().fired()).hasSize(5)
			.last()
			.isEqualTo(new Fired(after(8), this.now, Outcome.FULL, refused.id()));
		fire(after(9), null);
		assertThat(schedule().fired()).hasSize(5);
		fire("changed", after(10), null);
		assertThat(schedule().fired()).isEmpty();
	}

	@Test
	void pausedScheduleFiresNothingAndMakesUpForNothing() {
		NewJob first = job("q");
		fire(this.now, first);
		List<Fired> fired = schedule().fired();
		assertThat(change(new Change.PauseSchedule("s"))).isEqualTo(Changed.DONE);
		assertThat(change(new Change.PauseSchedule("s"))).isEqualTo(Changed.DONE);
		NewJob passedOver = job("q");
		assertThat(fire(after(1), passedOver)).isEqualTo(new TickReply(null, after(1)));
		assertThat(fire(after(1), passedOver)).isEqualTo(new TickReply(null, after(1)));
		assertThat(exists(passedOver.id())).isFalse();
		assertThat(schedule()).isEqualTo(new ScheduleView("s", "def", "q", after(1), true, fired, null));
		fire(after(2), null);
		assertThat(schedule().paused()).isTrue();
		pass(10);
		assertThat(change(new Change.ResumeSchedule("s", Duration.ZERO))).isEqualTo(Changed.DONE);
		assertThat(schedule()).isEqualTo(new ScheduleView("s", "def", "q", this.now, false, fired, null));
		assertThat(fire(this.now.minusMillis(1), job("q")).enqueued()).isNull();
		assertThat(fire(this.now, job("q")).enqueued()).isNull();
		assertThat(fire(after(1), job("q")).enqueued()).isNotNull();
	}

	@Test
	void scheduleIsPausedBeforeItIsKnown() {
		change(new Change.PauseSchedule("s"));
		assertThat(fire(this.now, job("q"))).isEqualTo(new TickReply(null, this.now));
		assertThat(schedule().paused()).isTrue();
		assertThat(fire(new NewSchedule("t", "def", "q"), this.now, job("q")).enqueued()).isNotNull();
	}

	@Test
	void resumingNeverGoesBackAndFindsOnlyWhatIsPaused() {
		fire(after(10), job("q"));
		assertThat(change(new Change.ResumeSchedule("s", Duration.ZERO))).isEqualTo(Changed.NOT_FOUND);
		assertThat(change(new Change.ResumeSchedule("unknown", Duration.ZERO))).isEqualTo(Changed.NOT_FOUND);
		change(new Change.PauseSchedule("s"));
		change(new Change.ResumeSchedule("s", Duration.ZERO));
		assertThat(schedules()).containsExactly(view("s", "def", "q", after(10)));
		change(new Change.PauseSchedule("s"));
		change(new Change.Purge());
		assertThat(change(new Change.ResumeSchedule("s", Duration.ZERO))).isEqualTo(Changed.NOT_FOUND);
	}

	@Test
	void purgeForgetsSchedules() {
		fire(after(10), job("q"));
		change(new Change.Purge());
		assertThat(fire(after(10), job("q")).enqueued()).isNotNull();
	}

	@Test
	void oneOfManyWorkersFiresATick() {
		fire(this.now, null);
		for (int tick = 1; tick <= 5; tick++) {
			Instant instant = after(tick);
			List<NewJob> jobs = jobs("q", 16);
			List<TickReply> replies = Race.run(16, (number) -> fire(instant, jobs.get(number)));
			assertThat(replies.stream().map(TickReply::enqueued).filter(Objects::nonNull)).hasSize(1);
			assertThat(replies).allMatch((reply) -> reply.equals(TickReply.LOCKED) || instant.equals(reply.latest()));
			assertThat(queue("q").ready()).isEqualTo(tick);
		}
	}

}
