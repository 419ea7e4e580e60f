package dev.jobs.engine.schedule;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobCalendar;
import dev.jobs.JobRequest;
import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleRequest.Overlap;
import dev.jobs.Unique;
import dev.jobs.cron.Misfire;
import dev.jobs.cron.RecurringJob;
import dev.jobs.cron.Schedule;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.support.UniqueKeyDigest;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The full definition of a schedule that is put at run time. Equal ones are equal texts,
 * so a digest of the text shows whether a schedule has changed.
 *
 * @param recurring when it ticks, without its calendar
 * @param job its job, whose payload is bytes
 * @param until the last instant at which it may tick, or {@code null}
 * @param jitter the span over which equal schedules are spread
 * @param offset by how much it fires after its ticks
 * @param calendar the name of its calendar, or {@code null}
 */
public record ScheduleSpec(RecurringJob recurring, JobRequest job, @Nullable Instant until, Duration jitter,
		Duration offset, @Nullable String calendar) {

	private static final StoredVersion VERSION = new StoredVersion("a schedule", 1);

	private static final JsonMapper JSON = JsonMapper.shared();

	/**
	 * The instant from which the time between ticks is measured, the same in every
	 * process.
	 */
	private static final Instant MEASURED_FROM = Instant.parse("2000-01-01T00:00:00Z");

	private static final int MEASURED = 100;

	private static final int SHOWN = 200;

	/**
	 * Make a spec from a request.
	 * @param name the name of the schedule
	 * @param job its job, by its name and with its payload as bytes
	 * @throws IllegalArgumentException if it is not valid
	 */
	public static ScheduleSpec of(String name, ScheduleRequest request, JobRequest job) {
		Schedule schedule = Schedule.parse(request.getCron(), request.getZone());
		Instant until = request.getUntil();
		return new ScheduleSpec(
				RecurringJob.of(name, schedule, String.valueOf(job.getName()))
					.withMisfire(Misfire.parse(request.getMisfire())),
				job, until, request.getJitter(), offset(name, schedule, request.getJitter()), request.getCalendar());
	}

	/**
	 * Return the rule that makes the jobs of ticks unique, so that they overlap no more
	 * than the schedule allows.
	 * @return the rule, or {@code null} if they may overlap
	 */
	public static @Nullable Unique unique(String name, ScheduleRequest.Overlap overlap) {
		Unique unique = Unique.byKey("schedule:" + name);
		return switch (overlap) {
			case ALLOW -> null;
			case SKIP -> unique;
			case KEEP_LAST -> unique.with((rule) -> rule.untilStarted().onDuplicate(Unique.OnDuplicate.REPLACE));
		};
	}

	private static Duration offset(String name, Schedule schedule, Duration jitter) {
		long most = jitter.toMillis();
		Instant tick = (most > 0) ? schedule.next(MEASURED_FROM) : null;
		for (int i = 0; tick != null && i < MEASURED; i++) {
			Instant next = schedule.next(tick);
			most = (next != null) ? Math.min(most, Duration.between(tick, next).toMillis() / 2) : most;
			tick = next;
		}
		CRC32 hash = new CRC32();
		hash.update(name.getBytes(StandardCharsets.UTF_8));
		return (most > 0) ? Duration.ofMillis(hash.getValue() % most) : Duration.ZERO;
	}

	/**
	 * Read what was put.
	 * @throws RuntimeException if it is not understood
	 */
	public static ScheduleSpec read(ScheduleView view, ScheduleView.Put put) {
		return read(view, put, Schedule.ofDefinition(view.definition()));
	}

	/**
	 * Read what was put.
	 * @param schedule when it ticks, by its definition
	 */
	static ScheduleSpec read(ScheduleView view, ScheduleView.Put put, @Nullable Schedule schedule) {
		if (put.spec().isEmpty()) {
			throw new IllegalStateException("the store has lost what was put; put it again, or drop it");
		}
		Stored stored = Stored.read(put.spec());
		if (schedule == null) {
			throw new IllegalStateException(
					"its expression or zone is not known here: '" + ErrorText.clean(view.definition(), SHOWN)
							+ "'; leave it to a version that knows it, put it again, " + "or drop it");
		}
		RecurringJob recurring = RecurringJob.of(view.name(), schedule, view.queue())
			.withMisfire(Misfire.parse(stored.misfire));
		JobRequest job = JobRequest.named(view.queue()).payload(stored.payload).options((set) -> {
			set(set, stored.headers, stored.delay, stored.maxWaiting, stored.maxWaitingInLane);
			if (stored.unique != null) {
				set.unique(stored.unique.rule());
			}
			if (stored.notUnique) {
				set.notUnique();
			}
		});
		return new ScheduleSpec(recurring, job, stored.until, Duration.ofMillis(stored.jitter),
				Duration.ofMillis(stored.offset), stored.calendar);
	}

	private static void set(EnqueueOptions.Builder options, Map<String, String> headers, @Nullable Duration delay,
			@Nullable Integer maxWaiting, @Nullable Integer maxWaitingInLane) {
		headers.forEach(options::header);
		if (delay != null) {
			options.delay(delay);
		}
		if (maxWaiting != null) {
			options.maxWaiting(maxWaiting);
		}
		if (maxWaitingInLane != null) {
			options.maxWaitingInLane(maxWaitingInLane);
		}
	}

	/**
	 * Return how much later than its ticks a schedule fires, as far as that is
	 * understood.
	 */
	public static Duration offset(ScheduleView view) {
		try {
			ScheduleView.Put put = view.put();
			return (put != null) ? read(view, put).offset : Duration.ZERO;
		}
		catch (RuntimeException ex) {
			return Duration.ZERO;
		}
	}

	/**
	 * Return the text from which {@link #read} makes an equal spec, together with the
	 * definition and the queue.
	 */
	public String text() {
		EnqueueOptions options = this.job.getOptions();
		Unique unique = options.getUnique();
		return JSON.writeValueAsString(new Stored(VERSION.number(),
				(this.job.getPayload() instanceof byte[] payload) ? payload : null, new TreeMap<>(options.getHeaders()),
				(unique != null) ? StoredUnique.of(unique) : null, options.isNotUnique(), options.getMaxWaiting(),
				options.getMaxWaitingInLane(), options.getDelay(), this.recurring.misfire().toString(), this.until,
				this.calendar, this.jitter.toMillis(), this.offset.toMillis()));
	}

	/**
	 * Return what the store keeps of it in addition to its text.
	 */
	public NewSchedule schedule() {
		String definition = this.recurring.schedule().definition();
		return new NewSchedule(this.recurring.name(), definition, this.recurring.jobName(),
				UniqueKeyDigest.of(Unique.Scope.HANDLER, this.recurring.jobName(), definition + '\n' + text()));
	}

	/**
	 * Return its calendar, which says who fails if it does.
	 * @param calendars those that are here
	 * @return the calendar, or {@code null} if it has none
	 * @throws IllegalStateException if it is not here
	 */
	@Nullable JobCalendar calendarOf(Map<String, JobCalendar> calendars) {
		if (this.calendar != null && !calendars.containsKey(this.calendar)) {
			throw new IllegalStateException("there is no calendar '" + this.calendar
					+ "' here; define a JobCalendar of that name, or leave it to workers that have it");
		}
		return calendarIn(calendars);
	}

	/**
	 * Return its calendar, which says who fails if it does.
	 * @param calendars those that are here
	 * @return the calendar, or {@code null} if it has none or that is not here
	 */
	public @Nullable JobCalendar calendarIn(Map<String, JobCalendar> calendars) {
		JobCalendar calendar = (this.calendar != null) ? calendars.get(this.calendar) : null;
		return (calendar == null) ? null : (day) -> {
			try {
				return calendar.allows(day);
			}
			catch (RuntimeException ex) {
				throw new IllegalStateException(
						"its calendar '" + this.calendar + "' fails for " + day + ": " + Refusals.reasonOf(ex));
			}
		};
	}

	/**
	 * Return the words for a calendar that allows none of its ticks.
	 */
	String allowsNothing() {
		return "its calendar '" + this.calendar + "' allows none of its next ticks; correct the calendar, or drop it";
	}

	/**
	 * Return when it ticks.
	 * @param calendar its calendar, or {@code null} if it has none or that is not here
	 */
	Schedule allowed(@Nullable JobCalendar calendar) {
		return this.recurring.schedule().within(calendar, this.until);
	}

	/**
	 * Return when it fires for its first tick after an instant.
	 * @param calendar its calendar, or {@code null} if it has none or that is not here
	 * @return the instant, or {@code null} if it never ticks again
	 */
	public @Nullable Instant next(@Nullable JobCalendar calendar, Instant after) {
		Instant tick = allowed(calendar).next(after);
		return (tick != null) ? tick.plus(this.offset) : null;
	}

	/**
	 * Return the request from which one like this was made.
	 */
	public ScheduleRequest toRequest() {
		Unique unique = this.job.getOptions().getUnique();
		Overlap overlap = Stream.of(Overlap.SKIP, Overlap.KEEP_LAST)
			.filter((each) -> unique != null && unique.equals(unique(this.recurring.name(), each)))
			.findFirst()
			.orElse(Overlap.ALLOW);
		return ScheduleRequest.of((request) -> {
			request.cron(this.recurring.schedule().expression()).zone(this.recurring.schedule().zone());
			request.job((overlap != Overlap.ALLOW) ? withoutUnique(this.job) : this.job).overlap(overlap);
			request.misfire(this.recurring.misfire().toString()).jitter(this.jitter);
			if (this.until != null) {
				request.until(this.until);
			}
			if (this.calendar != null) {
				request.calendar(this.calendar);
			}
		});
	}

	private static JobRequest withoutUnique(JobRequest job) {
		EnqueueOptions options = job.getOptions();
		return JobRequest.named(String.valueOf(job.getName()))
			.payload(job.getPayload())
			.options((set) -> set(set, options.getHeaders(), options.getDelay(), options.getMaxWaiting(),
					options.getMaxWaitingInLane()));
	}

	/**
	 * Request the job of a tick.
	 */
	public JobRequest request(Instant tick) {
		return CronTicker.request(this.job, this.recurring, tick);
	}

	/**
	 * What is stored of a spec as JSON, with the misfire as a text and spans in
	 * milliseconds.
	 */
	private record Stored(int v, byte @Nullable [] payload, Map<String, String> headers, @Nullable StoredUnique unique,
			boolean notUnique, @Nullable Integer maxWaiting, @Nullable Integer maxWaitingInLane,
			@Nullable Duration delay, String misfire, @Nullable Instant until, @Nullable String calendar, long jitter,
			long offset) {

		static Stored read(String spec) {
			try {
				JsonNode json = JSON.readTree(spec);
				VERSION.require(json.path("v").asInt());
				return JSON.readValue(spec, Stored.class);
			}
			catch (JacksonException ex) {
				throw new IllegalStateException("what was put is not JSON; put it again, or drop it");
			}
		}

	}

	/**
	 * What is stored of the rule by which the jobs of a schedule are unique.
	 */
	private record StoredUnique(@Nullable String key, Unique.Mode mode, Unique.Scope scope, @Nullable Duration window,
			Unique.OnDuplicate onDuplicate) {

		static StoredUnique of(Unique rule) {
			return new StoredUnique(rule.getKey(), rule.getMode(), rule.getScope(), rule.getWindow(),
					rule.getOnDuplicate());
		}

		Unique rule() {
			Unique unique = (this.key != null) ? Unique.byKey(this.key) : Unique.byPayload();
			return unique.with(
					(rule) -> rule.mode(this.mode).scope(this.scope).window(this.window).onDuplicate(this.onDuplicate));
		}

	}

}
