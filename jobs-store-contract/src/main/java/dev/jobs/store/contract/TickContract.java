package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.NewJob;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.ScheduleView.Fired;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The promises of {@link dev.jobs.store.JobStore#fireTick}.
 */
abstract class TickContract extends ContractPart {

	TickContract(StoreSource source) {
		super(source);
	}

	private TickReply fire(Instant instant, @Nullable NewJob job) {
		return fire("def", instant, job);
	}

	private TickReply fire(String definition, Instant instant, @Nullable NewJob job) {
		return this.store.fireTick(new Tick("s", definition, "q", instant, job, this.now));
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
		return new ScheduleView(name, definition, queue, latest, false, List.of());
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
		this.store.fireTick(new Tick("s", "def", "other", this.now, null, this.now));
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
		TickReply reply = this.store.fireTick(new Tick("t", "def", "q", after(5), job("q"), this.now));
		assertThat(reply.enqueued()).isNotNull();
		assertThat(schedules()).extracting(ScheduleView::name).containsExactly("s", "t");
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
		assertThat(schedule()).isEqualTo(new ScheduleView("s", "def", "q", after(1), true, fired));
		fire(after(2), null);
		assertThat(schedule().paused()).isTrue();
		pass(10);
		assertThat(change(new Change.ResumeSchedule("s"))).isEqualTo(Changed.DONE);
		assertThat(schedule()).isEqualTo(new ScheduleView("s", "def", "q", this.now, false, fired));
		assertThat(fire(this.now.minusMillis(1), job("q")).enqueued()).isNull();
		assertThat(fire(this.now, job("q")).enqueued()).isNull();
		assertThat(fire(after(1), job("q")).enqueued()).isNotNull();
	}

	@Test
	void scheduleIsPausedBeforeItIsKnown() {
		change(new Change.PauseSchedule("s"));
		assertThat(fire(this.now, job("q"))).isEqualTo(new TickReply(null, this.now));
		assertThat(schedule().paused()).isTrue();
		assertThat(this.store.fireTick(new Tick("t", "def", "q", this.now, job("q"), this.now)).enqueued()).isNotNull();
	}

	@Test
	void resumingNeverGoesBackAndFindsOnlyWhatIsPaused() {
		fire(after(10), job("q"));
		assertThat(change(new Change.ResumeSchedule("s"))).isEqualTo(Changed.NOT_FOUND);
		assertThat(change(new Change.ResumeSchedule("unknown"))).isEqualTo(Changed.NOT_FOUND);
		change(new Change.PauseSchedule("s"));
		change(new Change.ResumeSchedule("s"));
		assertThat(schedules()).containsExactly(view("s", "def", "q", after(10)));
		change(new Change.PauseSchedule("s"));
		change(new Change.Purge());
		assertThat(change(new Change.ResumeSchedule("s"))).isEqualTo(Changed.NOT_FOUND);
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
			assertThat(replies).extracting(TickReply::latest).containsOnly(instant);
			assertThat(queue("q").ready()).isEqualTo(tick);
		}
	}

}
