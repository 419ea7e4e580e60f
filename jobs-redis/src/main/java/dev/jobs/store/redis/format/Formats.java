package dev.jobs.store.redis.format;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.End;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.support.StoredCode;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.Tally;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads jobs, trails, workers, schedules and tallies. The scripts know the
 * first fields of each, too.
 */
public final class Formats {

	/** The headers at the beginning of a record, in this order. */
	/**
	 * Of equal latest ticks, as after a pause, the one whose partition fired later wins.
	 */
	public static final Comparator<ScheduleView> LATER = Comparator.comparing(ScheduleView::latest)
		.thenComparing(
				(view) -> view.fired().isEmpty() ? Instant.MIN : view.fired().get(view.fired().size() - 1).tick());

	/**
	 * The same for schedules as they are stored. One that cannot be read is the first.
	 */
	public static final Comparator<byte[]> LATER_STORED = Comparator
		.comparing((byte[] stored) -> readable(() -> schedule("", stored)), Comparator.nullsFirst(LATER));

	private static final List<String> READ_BY_SCRIPTS = List.of(Job.TAGS_HEADER, Job.LANE_HEADER, Job.URGENCY_HEADER,
			Job.EXPIRES_HEADER, Job.DEADLINE_HEADER, Job.ON_EXPIRY_HEADER);

	private static final String CANCELLED = "CANCELLED";

	/** The scripts know these versions too, as {@code VERSION}. */
	public static final StoredVersion JOB = new StoredVersion("a job", 1);

	public static final StoredVersion TRAIL = new StoredVersion("a trail", 1);

	static final StoredVersion END = new StoredVersion("the end of a job", 1);

	public static final StoredVersion WORKER = new StoredVersion("a worker", 1);

	public static final StoredVersion SCHEDULE = new StoredVersion("a schedule", 1);

	public static final StoredVersion HOLDER = new StoredVersion("the holder of jobs", 1);

	public static final StoredVersion GATE = new StoredVersion("the rates and holds of a queue", 1);

	public static final StoredVersion SETTING = new StoredVersion("a setting for workers", 1);

	public static final StoredVersion LANE_SETTINGS = new StoredVersion("the settings of a lane", 1);

	public static final StoredVersion NOTE = new StoredVersion("a note", 1);

	/** The prefix of the name under which the pause of a schedule is kept. */
	public static final String PAUSE_OF = "\u0001";

	public static final byte[] NOTHING = new byte[0];

	/** The scripts also know the version of tallies and of forms that only they read. */
	static final StoredVersion TALLY = new StoredVersion("a tally", 1);

	private static final Pattern COUNT = Pattern.compile("(\\d{1,2})=(\\d{1,18})");

	private Formats() {
	}

	/**
	 * Write the record of a job: its creation time, due time, queue, unique key and
	 * headers, those that the scripts read first, and at the end its payload.
	 */
	public static byte[] record(NewJob job) {
		FieldWriter record = new FieldWriter(JOB).add(job.createdAt());
		if (job.dueAt().equals(job.createdAt())) {
			record.add("");
		}
		else {
			record.add(job.dueAt());
		}
		record.add(job.name()).add(key(job.uniqueKey())).add(job.headers().size());
		Map<String, String> headers = job.headers();
		if (!headers.isEmpty()) {
			READ_BY_SCRIPTS.stream()
				.filter(headers::containsKey)
				.forEach((name) -> record.add(name).add(headers.getOrDefault(name, "")));
			headers.forEach((name, value) -> {
				if (!READ_BY_SCRIPTS.contains(name)) {
					record.add(name).add(value);
				}
			});
		}
		return record.addRest(job.payload()).toBytes();
	}

	private static byte[] key(NewJob.@Nullable UniqueKey key) {
		if (key == null) {
			return NOTHING;
		}
		String mode = StoredCode.KEY_MODE.of(key.mode());
		String scope = StoredCode.KEY_SCOPE.of(key.scope());
		String until = (key.until() != null) ? FieldWriter.millis(key.until()) : "";
		return (mode + scope + until + ";" + key.digest()).getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Write the trail of a transition without the version and the due time, which the
	 * script adds; empty for the trail of a new job.
	 */
	public static byte[] trail(Transition transition) {
		Trail trail = transition.trail();
		boolean cancelled = transition.to() == Transition.To.CANCELLED;
		if (transition.to() == Transition.To.REMOVED || (trail.equals(Trail.EMPTY) && !cancelled)) {
			return NOTHING;
		}
		return trail(trail, cancelled);
	}

	private static byte[] trail(Trail trail, boolean cancelled) {
		String counters = trail.failures() + "," + trail.abandonments() + "," + trail.crashes() + ","
				+ (trail.suspect() ? 1 : 0) + "," + trail.postponements();
		FieldWriter written = new FieldWriter().add(trail.attempt())
			.add(counters)
			.add((cancelled ? CANCELLED : "") + waitsFor(trail.waitsFor()))
			.add((trail.end() != null) ? new String(end(trail.end()), StandardCharsets.UTF_8) : "");
		for (Trail.Attempt attempt : trail.attempts()) {
			Instant startedAt = attempt.startedAt();
			String worker = attempt.worker();
			written.add(attempt.number())
				.add(attempt.endedAt())
				.add((startedAt != null) ? FieldWriter.millis(startedAt) : "")
				.add((worker != null) ? worker : "")
				.addOptional(attempt.error())
				.addOptional(StackTraceCodec.write(attempt.stackTrace()))
				.addOptional(StackTraceCodec.write(attempt.log()));
		}
		return written.toBytes();
	}

	private static String waitsFor(Trail.@Nullable Wait wait) {
		return (wait == null) ? ""
				: new String(new FieldWriter().add(wait.since()).add(wait.thing()).toBytes(), StandardCharsets.UTF_8);
	}

	public static byte[] end(Trail.End end) {
		return new FieldWriter().add(StoredCode.DEAD_REASON.of(end.reason()))
			.add(end.at())
			.add(end.message())
			.toBytes();
	}

	/**
	 * Write how a job ended. The scripts know until when to keep that.
	 */
	public static byte[] kept(End end) {
		return new FieldWriter(END).add(end.until())
			.add((end.state() == JobState.DEAD) ? 1 : 0)
			.addOptional(end.value())
			.add("")
			.addRest(trail(end.trail(), end.state() == JobState.CANCELLED))
			.toBytes();
	}

	public static @Nullable End kept(byte[] bytes) {
		return readable(() -> kept(new FieldReader(bytes, END)));
	}

	private static End kept(FieldReader reader) {
		Instant until = reader.instant();
		boolean dead = reader.number() == 1;
		byte[] value = reader.optionalBytes();
		StoredJob ended = withTrail(Job.builder("", "").build(), reader);
		JobState state = dead ? JobState.DEAD : ended.cancelled() ? JobState.CANCELLED : JobState.SUCCEEDED;
		return new End(state, ended.job().trail(), value, until);
	}

	public static ScheduleView schedule(String name, byte[] schedule) {
		FieldReader reader = new FieldReader(schedule, SCHEDULE);
		String definition = reader.text();
		String queue = reader.text();
		Instant latest = reader.instant();
		for (int left = 5; left > 0; left--) {
			reader.skip();
		}
		List<ScheduleView.Fired> fired = new ArrayList<>();
		FieldReader ticks = new FieldReader(reader.text().getBytes(StandardCharsets.UTF_8));
		while (ticks.hasMore()) {
			Instant tick = ticks.instant();
			Instant at = ticks.instant();
			Enqueued.Outcome outcome = StoredCode.OUTCOME.read(ticks.text());
			fired.add(new ScheduleView.Fired(tick, at, outcome, ticks.text()));
		}
		String version = reader.text();
		return new ScheduleView(name, definition, queue, latest, false, fired,
				version.isEmpty() ? null : put(version, reader));
	}

	private static ScheduleView.Put put(String version, FieldReader reader) {
		String next = reader.text();
		String replaces = reader.text();
		return new ScheduleView.Put(version, "", next.isEmpty() ? null : FieldReader.instant(next),
				replaces.isEmpty() ? null : replaces);
	}

	/**
	 * Read a job from its record and its trail, which is empty if it has none. A record
	 * that cannot be read counts as payload, which a handler then finds unreadable.
	 */
	public static StoredJob job(String id, String queue, byte[] record, byte[] trail) {
		Job job = readable(() -> job(id, queue, new FieldReader(record, JOB)));
		if (job == null) {
			job = Job.builder(id, queue).payload(record).build();
		}
		Job known = job;
		StoredJob stored = (trail.length > 0) ? readable(() -> withTrail(known, new FieldReader(trail, TRAIL))) : null;
		return (stored != null) ? stored : new StoredJob(known, false);
	}

	/**
	 * Read a value, or return {@code null} if it cannot be read because another program
	 * or another version wrote it.
	 */
	public static <T> @Nullable T readable(Supplier<T> reading) {
		try {
			return reading.get();
		}
		catch (IllegalArgumentException | DateTimeException | ArithmeticException ex) {
			return null;
		}
	}

	private static Job job(String id, String queue, FieldReader reader) {
		Instant createdAt = reader.instant();
		String due = reader.text();
		reader.skip();
		reader.skip();
		int size = reader.integer();
		Map<String, String> headers = (size > 0) ? new HashMap<>() : Map.of();
		for (int left = size; left > 0; left--) {
			headers.put(reader.text(), reader.text());
		}
		byte[] payload = reader.rest();
		Instant dueAt = due.isEmpty() ? createdAt : FieldReader.instant(due);
		return Job.builder(id, queue)
			.payload(payload)
			.headers((size > 0) ? Map.copyOf(headers) : headers)
			.createdAt(createdAt)
			.dueAt(dueAt)
			.build();
	}

	private static StoredJob withTrail(Job job, FieldReader reader) {
		String due = reader.text();
		Instant dueAt = due.isEmpty() ? job.dueAt() : FieldReader.instant(due);
		reader.number();
		String counters = reader.text();
		int[] counts = new int[5];
		String[] texts = counters.isEmpty() ? new String[0] : counters.split(",");
		for (int i = 0; i < Math.min(texts.length, counts.length); i++) {
			counts[i] = Integer.parseInt(texts[i]);
		}
		String mark = reader.text();
		boolean cancelled = mark.startsWith(CANCELLED);
		Trail.End end = end(reader.text());
		Trail trail = new TrailBuilder().failures(counts[0])
			.abandonments(counts[1])
			.crashes(counts[2])
			.suspect(counts[3] == 1)
			.postponements(counts[4])
			.attempts(attempts(reader))
			.waitsFor(waitsFor(cancelled ? mark.substring(CANCELLED.length()) : mark))
			.end(end)
			.build();
		return new StoredJob(job.toBuilder().dueAt(dueAt).trail(trail).build(), cancelled);
	}

	/**
	 * Read the latest attempts only: another program may have written any number of
	 * others, with stack traces that would fill the memory.
	 */
	private static List<Trail.Attempt> attempts(FieldReader reader) {
		Deque<Supplier<Trail.Attempt>> latest = new ArrayDeque<>();
		StackTraceCodec codec = new StackTraceCodec();
		while (reader.hasMore()) {
			int number = reader.integer();
			Instant endedAt = reader.instant();
			String startedAt = reader.text();
			String worker = reader.text();
			String error = reader.optional();
			byte[] stack = reader.optionalBytes();
			byte[] log = reader.optionalBytes();
			latest.add(() -> Trail.Attempt.of(number, endedAt, error)
				.withStart(startedAt.isEmpty() ? null : FieldReader.instant(startedAt),
						worker.isEmpty() ? null : worker)
				.withStackTrace(codec.read(stack))
				.withLog(codec.read(log)));
			if (latest.size() > Trail.ATTEMPTS_KEPT) {
				latest.remove();
			}
		}
		return latest.stream().map(Supplier::get).toList();
	}

	private static Trail.@Nullable Wait waitsFor(String text) {
		if (text.isEmpty()) {
			return null;
		}
		FieldReader reader = new FieldReader(text.getBytes(StandardCharsets.UTF_8));
		Instant since = reader.instant();
		return Trail.Wait.of(reader.text(), since);
	}

	private static Trail.@Nullable End end(String text) {
		if (text.isEmpty()) {
			return null;
		}
		FieldReader reader = new FieldReader(text.getBytes(StandardCharsets.UTF_8));
		DeadReason reason = StoredCode.DEAD_REASON.read(reader.text());
		Instant at = reader.instant();
		return Trail.End.of(reason, reader.text(), at);
	}

	/**
	 * Write the version and the counts of a tally that are not zero, as
	 * {@code place=count}.
	 */
	public static String tally(Tally tally) {
		List<String> counts = new ArrayList<>();
		long[] cells = tally.cells();
		for (int i = 0; i < cells.length; i++) {
			if (cells[i] != 0) {
				counts.add(i + "=" + cells[i]);
			}
		}
		return letter(TALLY) + String.join(",", counts);
	}

	/**
	 * Read the counts of a tally, or return {@code null} if it has another version.
	 */
	public static long @Nullable [] readTally(String written) {
		if (!written.startsWith(letter(TALLY))) {
			return null;
		}
		long[] cells = new long[Tally.CELLS];
		Matcher counts = COUNT.matcher(written);
		while (counts.find()) {
			int place = Integer.parseInt(counts.group(1));
			if (place < cells.length) {
				cells[place] = Long.parseLong(counts.group(2));
			}
		}
		return cells;
	}

	private static String letter(StoredVersion version) {
		return String.valueOf((char) ('a' + version.number() - 1));
	}

	/**
	 * A job as its record and its trail describe it. Its state is known only from the
	 * structure that has it.
	 *
	 * @param job the job, as if it were ready
	 * @param cancelled whether it was cancelled, if it is in the history
	 */
	public record StoredJob(Job job, boolean cancelled) {

		/**
		 * Return this job if some bytes at the end of its payload were not read.
		 */
		public StoredJob without(int leftOut) {
			byte[] begin = this.job.payload();
			return (leftOut == 0) ? this : new StoredJob(
					this.job.toBuilder().payloadPreview(begin, begin.length + leftOut).build(), this.cancelled);
		}

		public Job in(JobState state, Job.@Nullable Run run) {
			return this.job.toBuilder().state(state).run(run).build();
		}

	}

}
