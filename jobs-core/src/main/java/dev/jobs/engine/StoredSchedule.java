package dev.jobs.engine;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

import dev.jobs.Enqueued;
import dev.jobs.JobCalendar;
import dev.jobs.JobRequest;
import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleStatus;
import dev.jobs.Unique;
import dev.jobs.UnknownNameException;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.cron.TickRun;
import dev.jobs.engine.schedule.CronTicker;
import dev.jobs.engine.schedule.ScheduleFaults;
import dev.jobs.engine.schedule.ScheduleSpec;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * A schedule of the store or of this engine.
 *
 * @param name its name
 * @param definition its definition in this engine, or {@code null} if it has none
 * @param stored reads and changes it
 * @param calendars the calendars of this process, by name
 * @param faults why schedules do not tick here
 * @param enqueuer enqueues its job now
 */
record StoredSchedule(String name, @Nullable RecurringJob definition, StoredJobs stored,
		Map<String, JobCalendar> calendars, ScheduleFaults faults,
		Function<JobRequest, Enqueued> enqueuer) implements ScheduleOperations {

	private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,99}");

	@Override
	public Optional<ScheduleStatus> status() {
		Instant now = this.stored.now();
		return view().map((view) -> Listed.of(view, this.definition != null, this.faults.all(now).get(this.name), now));
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
		change(new Change.PauseSchedule(this.name));
	}

	/** A pause outlives its schedule. */
	@Override
	public void resume() {
		try {
			Duration offset = view().map(ScheduleSpec::offset).orElse(Duration.ZERO);
			if (change(new Change.ResumeSchedule(this.name, offset)) == Changed.NOT_FOUND) {
				requireKnown();
			}
		}
		catch (IllegalStateException ex) {
			requireKnown();
			throw ex;
		}
	}

	/** The name of a schedule may have a colon, unlike that of a queue. */
	private Changed change(Change change) {
		return this.stored.changeNamed(this.name.replace(':', '-'), change);
	}

	@Override
	public Put put(ScheduleRequest request) {
		if (!NAME.matcher(this.name).matches()) {
			throw new IllegalArgumentException("The name '" + ErrorText.clean(this.name, 120) + "' of a schedule is "
					+ "not valid: it has 1 to 100 letters, digits, dots, colons, dashes and underscores, and starts "
					+ "with a letter or digit");
		}
		Instant now = this.stored.now();
		ScheduleSpec spec = ScheduleSpec.of(this.name, request, written(request, now));
		requireSameJob((this.definition != null) ? this.definition.jobName() : null, spec);
		ScheduleView known = view().orElse(null);
		Duration offset = former(known, spec);
		Instant from = now.minus(offset);
		Instant next = spec.next(spec.calendarIn(this.calendars),
				(known != null && known.latest().isAfter(from)) ? known.latest() : from);
		if (next == null && !isVersion(known, spec)) {
			throw new IllegalArgumentException("The schedule '" + this.name + "' never ticks: no time from now on "
					+ "matches its expression, its calendar and its end");
		}
		return switch (this.stored.change(new Change.PutSchedule(spec.schedule(), spec.text(), next, offset))) {
			case NEW -> Put.NEW;
			case DONE -> Put.CHANGED;
			case UNCHANGED -> Put.UNCHANGED;
			case REFUSED, NOT_FOUND -> {
				requireSameJob(view().map(ScheduleView::queue).orElse("another"), spec);
				throw new IllegalStateException(
						"The schedule '" + this.name + "' is being changed by others; put it again");
			}
		};
	}

	/** Return whether a schedule that has ended, perhaps, is the same. */
	private static boolean isVersion(@Nullable ScheduleView known, ScheduleSpec spec) {
		ScheduleView.Put put = (known != null) ? known.put() : null;
		return put != null && put.version().equals(spec.schedule().version());
	}

	/**
	 * Return how much later than its ticks a schedule fired. Those that it has not fired
	 * yet are fired by the one that is put, unless that has other ticks.
	 */
	private static Duration former(@Nullable ScheduleView known, ScheduleSpec spec) {
		return (known != null && known.definition().equals(spec.schedule().definition())) ? ScheduleSpec.offset(known)
				: Duration.ZERO;
	}

	@Override
	public Optional<ScheduleRequest> request() {
		try {
			return view().filter((view) -> view.put() != null)
				.map((view) -> ScheduleSpec.read(view, Objects.requireNonNull(view.put())).toRequest());
		}
		catch (IllegalArgumentException | IllegalStateException | DateTimeException | JacksonException ex) {
			return Optional.empty();
		}
	}

	private JobRequest written(ScheduleRequest request, Instant now) {
		JobRequest job = DefaultJobClient.requireFree(request.getJob());
		if (job.getOptions().getAt() != null) {
			throw new IllegalArgumentException("The job of the schedule '" + this.name
					+ "' has an instant, but runs after each tick; set a delay, or none");
		}
		Unique unique = ScheduleSpec.unique(this.name, request.getOverlap());
		if (unique != null && job.getOptions().getUnique() != null) {
			throw new IllegalArgumentException("The job of the schedule '" + this.name
					+ "' has a unique key, but its overlap is " + request.getOverlap() + "; set one of them");
		}
		return this.stored.newJobs().written((unique != null) ? job.options((set) -> set.unique(unique)) : job, now);
	}

	private void requireSameJob(@Nullable String known, ScheduleSpec spec) {
		String wanted = spec.recurring().jobName();
		if (known != null && !known.equals(wanted)) {
			throw new IllegalStateException("The schedule '" + this.name + "' enqueues jobs '" + known + "', not '"
					+ wanted + "'; drop it first, or use another name");
		}
	}

	@Override
	public void drop() {
		switch (change(new Change.DropSchedule(this.name))) {
			case NOT_FOUND -> requireKnown();
			case REFUSED -> throw new IllegalStateException("The application declares the schedule '" + this.name
					+ "', and nothing overrides it; pause it, or remove it from the application");
			default -> {
			}
		}
	}

	@Override
	public Enqueued runNow() {
		ScheduleView view = view().orElse(null);
		ScheduleView.Put put = (view != null) ? view.put() : null;
		if (view != null && put != null) {
			return this.enqueuer.apply(ScheduleSpec.read(view, put).request(this.stored.now()));
		}
		requireKnown();
		if (this.definition == null) {
			throw new IllegalStateException("Another application defines the schedule '" + this.name
					+ "', and only that application can run it");
		}
		return this.enqueuer.apply(CronTicker.request(this.definition, this.stored.now()));
	}

	private void requireKnown() {
		if (this.definition == null && view().isEmpty()) {
			throw new UnknownNameException(
					"There is no schedule '" + this.name + "': neither the store nor this application knows it"
							+ StoredJobs.near(this.name, this.stored.inspector().schedules(), ScheduleView::name));
		}
	}

	/**
	 * A schedule of the store and where it stands.
	 *
	 * @param name its name
	 * @param jobName the name of its jobs
	 * @param definition what the store has of it
	 * @param expression when it ticks, or {@code null} if the definition is not
	 * understood
	 * @param zone where the expression is read, or {@code null} likewise
	 * @param last its latest tick that was fired, or {@code null} if none was
	 * @param next its next tick, or {@code null} if there is none
	 * @param overdueSince its earliest tick that has passed without being fired
	 * @param paused whether it is paused
	 * @param definedHere whether this engine has it
	 * @param put whether it was put at run time
	 * @param overrides what the application declares in its place, or {@code null}
	 * @param fault why it does not tick here, or {@code null}
	 */
	record Listed(String name, String jobName, String definition, @Nullable String expression, @Nullable ZoneId zone,
			@Nullable Instant last, @Nullable Instant next, @Nullable Instant overdueSince, boolean paused,
			boolean definedHere, boolean put, @Nullable String overrides,
			@Nullable String fault) implements ScheduleStatus {

		/**
		 * Another program wrote a longer definition, and every reader would load all of
		 * it.
		 */
		private static final int LONGEST = 2000;

		private static final int SHOWN = 200;

		static Listed of(ScheduleView view, boolean definedHere, @Nullable String fault, Instant now) {
			String definition = view.definition();
			ScheduleView.Put put = view.put();
			String overrides = (put != null) ? put.replaces() : null;
			Schedule schedule = (definition.length() <= LONGEST) ? Schedule.ofDefinition(definition) : null;
			Instant due = (put != null) ? put.next() : (schedule != null) ? schedule.next(view.latest()) : null;
			Instant overdue = (due != null && due.isBefore(now) && !view.paused()) ? due : null;
			if (schedule == null) {
				return new Listed(view.name(), view.queue(), ErrorText.clean(definition, SHOWN), null, null, last(view),
						null, overdue, view.paused(), definedHere, put != null, overrides, fault);
			}
			return new Listed(view.name(), view.queue(), definition, schedule.expression(), schedule.zone(), last(view),
					(put != null) ? put.next() : schedule.next(now), overdue, view.paused(), definedHere, put != null,
					overrides, fault);
		}

		/** The latest tick may also be the time of the registration. */
		private static @Nullable Instant last(ScheduleView view) {
			List<ScheduleView.Fired> fired = view.fired();
			return fired.isEmpty() ? null : fired.get(fired.size() - 1).tick();
		}

	}

}
