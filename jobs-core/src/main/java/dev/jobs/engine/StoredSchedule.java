package dev.jobs.engine;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import dev.jobs.Enqueued;
import dev.jobs.ScheduleStatus;
import dev.jobs.UnknownNameException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.TickRun;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.view.ScheduleView;
import org.jspecify.annotations.Nullable;

/**
 * A schedule of the store or of this engine.
 *
 * @param name its name
 * @param definition its definition in this engine, or {@code null} if it has none
 * @param stored reads and changes it
 * @param enqueuer enqueues its job now
 */
record StoredSchedule(String name, @Nullable RecurringJob definition, StoredJobs stored,
		Function<RecurringJob, Enqueued> enqueuer) implements ScheduleOperations {

	@Override
	public Optional<ScheduleStatus> status() {
		return view().map((view) -> ListedSchedule.of(view, this.definition != null, this.stored.now()));
	}

	@Override
	public List<ScheduleStatus.Run> runs() {
		return view().map(
				(view) -> List.<ScheduleStatus.Run>copyOf(TickRun.of(view, this.stored.inspector(), this.stored.now())))
			.orElse(List.of());
	}

	private Optional<ScheduleView> view() {
		return this.stored.inspector().schedule(this.name);
	}

	@Override
	public void pause() {
		requireKnown();
		this.stored.changeNamed(this.name, new Change.PauseSchedule(this.name));
	}

	/** A pause outlives what the store knows of its schedule. */
	@Override
	public void resume() {
		try {
			if (this.stored.changeNamed(this.name, new Change.ResumeSchedule(this.name)) == Changed.NOT_FOUND) {
				requireKnown();
			}
		}
		catch (IllegalStateException ex) {
			requireKnown();
			throw ex;
		}
	}

	@Override
	public Enqueued runNow() {
		requireKnown();
		if (this.definition == null) {
			throw new IllegalStateException("Another application defines the schedule '" + this.name
					+ "', and only that application can run it");
		}
		return this.enqueuer.apply(this.definition);
	}

	private void requireKnown() {
		if (this.definition == null && view().isEmpty()) {
			throw new UnknownNameException(
					"There is no schedule '" + this.name + "': neither the store nor this application knows it"
							+ StoredJobs.near(this.name, this.stored.inspector().schedules(), ScheduleView::name));
		}
	}

}
