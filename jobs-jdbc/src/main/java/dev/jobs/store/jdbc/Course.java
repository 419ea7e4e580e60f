package dev.jobs.store.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

/**
 * How the jobs of a selection spread over time, as a sample tells. A moment is a time
 * where the earliest come first, and a time counted backwards where the latest do.
 * <p>
 * Ready jobs are in the order of their places, which no index relates to time. So when
 * one comes is told by those of its queue that are known before and behind it: the first,
 * the last and the sampled ones. Each of these is taken to come no earlier than those
 * before it, so this never contradicts the order of the places.
 */
final class Course {

	static final long BEGIN = -Long.MAX_VALUE / 4;

	static final long END = Long.MAX_VALUE / 4;

	/**
	 * A sample of some 100 pages, always the same ones.
	 */
	private static final String SAMPLE = """
			select j.queue, case when j.state = 1 then j.place end, case when j.state = 0 then j.due_at else j.since end
			from {job} j tablesample system (100 / greatest(1, pg_relation_size(cast(? as regclass)) / 819200.0))
				repeatable (1)
			where\s""";

	private static final String END_OF = """
			select k.name, ends.* from unnest(?::text[]) as k (name) cross join lateral (
				(select j.place, j.since from {job} j where j.queue = k.name and %s order by j.place limit 1) union all
				(select j.place, j.since from {job} j where j.queue = k.name and %s order by j.place desc limit 1)) ends""";

	private static final String SIZE = "select pg_relation_size(cast(? as regclass))";

	private static final double SAMPLED = 819_200;

	private static final int THINNED = 8;

	/** No page holds more rows than one in so many bytes. */
	private static final int SMALLEST = 28;

	private static final TreeMap<Long, Long> NONE = new TreeMap<>();

	private final long bytes;

	private final long about;

	/** Every so many of the sample's moments: those of a page are about the same. */
	private final long[] moments;

	/** How many jobs there are about between two of these. */
	private final double each;

	private final Map<String, TreeMap<Long, Long>> places = new HashMap<>();

	private Course(long bytes, List<Sampled> ends, List<Sampled> sample, boolean newestFirst) {
		this.bytes = bytes;
		long[] all = sample.stream()
			.mapToLong(Sampled::time)
			.map((time) -> newestFirst ? -time : time)
			.sorted()
			.toArray();
		this.moments = IntStream.range(0, all.length)
			.filter((i) -> i % THINNED == 0 || i == all.length - 1)
			.mapToLong((i) -> all[i])
			.toArray();
		this.about = Math.round(all.length * Math.max(1, bytes / SAMPLED));
		this.each = THINNED * Math.max(1, bytes / SAMPLED);
		sample.forEach(this::relate);
		ends.forEach(this::relate);
		this.places.values().forEach(Course::raise);
	}

	private void relate(Sampled job) {
		if (job.place() != null) {
			this.places.computeIfAbsent(job.queue(), (queue) -> new TreeMap<>()).put(job.place(), job.time());
		}
	}

	static Course of(Statements statements, Selection selection, List<String> queues) {
		String table = statements.name("job");
		Selection.Part whole = selection.whole();
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(table);
		arguments.addAll(whole.arguments());
		List<Sampled> sample = statements.query(SAMPLE + whole.condition(), Sampled::read, arguments.toArray());
		List<Sampled> ends = selection.parts()
			.stream()
			.filter(Selection.Part::isByPlace)
			.flatMap((part) -> ends(statements, part, queues).stream())
			.toList();
		return new Course(statements.number(SIZE, table), ends, sample, selection.newestFirst());
	}

	private static List<Sampled> ends(Statements statements, Selection.Part part, List<String> queues) {
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(PostgresDialect.texts(queues, (queue) -> queue));
		arguments.addAll(part.arguments());
		arguments.addAll(part.arguments());
		return PostgresDialect.run(statements, END_OF.formatted(part.condition(), part.condition()), Sampled::read,
				arguments.toArray());
	}

	/** Later places never come at an earlier time. */
	private static void raise(TreeMap<Long, Long> times) {
		long latest = Long.MIN_VALUE;
		for (Map.Entry<Long, Long> entry : times.entrySet()) {
			latest = Math.max(latest, entry.getValue());
			entry.setValue(latest);
		}
	}

	/**
	 * Return a number that there are no more jobs than.
	 */
	long most() {
		return this.bytes / SMALLEST;
	}

	/**
	 * Return how many jobs there are about.
	 */
	long about() {
		return this.about;
	}

	/**
	 * Return when a ready job comes.
	 */
	long time(String queue, long place) {
		TreeMap<Long, Long> times = this.places.getOrDefault(queue, NONE);
		Map.Entry<Long, Long> low = times.floorEntry(place);
		Map.Entry<Long, Long> high = times.higherEntry(place);
		if (low == null || high == null) {
			Map.Entry<Long, Long> only = (low != null) ? low : high;
			return (only != null) ? only.getValue() : BEGIN;
		}
		return between(low, high, place);
	}

	private static long between(Map.Entry<Long, Long> low, Map.Entry<Long, Long> high, long place) {
		double part = (place - low.getKey()) / (double) (high.getKey() - low.getKey());
		return low.getValue() + (long) Math.floor(part * (high.getValue() - low.getValue()));
	}

	/**
	 * Return the first place in a queue of ready jobs that come at a time or later. None
	 * is behind the end: jobs may have become ready since the sample was taken.
	 */
	long place(String queue, long time) {
		if (time >= END) {
			return Long.MAX_VALUE;
		}
		Map.Entry<Long, Long> low = null;
		for (Map.Entry<Long, Long> high : this.places.getOrDefault(queue, NONE).entrySet()) {
			if (high.getValue() >= time) {
				return (low != null) ? place(low, high, time) : Long.MIN_VALUE;
			}
			low = high;
		}
		return (low != null) ? Long.MAX_VALUE : Long.MIN_VALUE;
	}

	private static long place(Map.Entry<Long, Long> low, Map.Entry<Long, Long> high, long time) {
		long before = low.getKey();
		long reached = high.getKey();
		while (reached - before > 1) {
			long middle = before + (reached - before) / 2;
			if (between(low, high, middle) >= time) {
				reached = middle;
			}
			else {
				before = middle;
			}
		}
		return reached;
	}

	/**
	 * Return at which moment there may be so many jobs before it.
	 * @param low a moment with fewer before it
	 * @param high a moment with more before it, if one is known
	 * @param rank how many
	 * @param evenly whether jobs between these are taken to come evenly, and not as the
	 * sample tells
	 */
	long guess(Map.Entry<Long, Long> low, Map.@Nullable Entry<Long, Long> high, long rank, boolean evenly) {
		if (this.moments.length == 0) {
			return low.getKey();
		}
		long first = Math.max(low.getKey(), this.moments[0]);
		long last = (high != null) ? high.getKey() : this.moments[this.moments.length - 1] + 1;
		if (last <= low.getKey() + 1) {
			return low.getKey();
		}
		if (high != null && evenly) {
			double part = (rank - low.getValue()) / (double) (high.getValue() - low.getValue());
			return Math.max(low.getKey() + 1, Math.min(first + (long) (part * (last - first)), last - 1));
		}
		double begin = position(first);
		double end = position(last);
		double each = (high != null) ? (high.getValue() - low.getValue()) / Math.max(end - begin, 1e-6) : this.each;
		long moment = moment(begin + (rank - low.getValue()) / each);
		return Math.max(low.getKey() + 1, Math.min(moment, (high != null) ? high.getKey() - 1 : last));
	}

	/**
	 * Return how many of the sample are before a moment.
	 */
	private double position(long moment) {
		int next = Arrays.binarySearch(this.moments, moment);
		next = (next < 0) ? -next - 1 : next;
		while (next > 0 && this.moments[next - 1] == moment) {
			next--;
		}
		if (next == 0 || next == this.moments.length) {
			return next;
		}
		long before = this.moments[next - 1];
		return next - 1 + (moment - before) / (double) (this.moments[next] - before);
	}

	private long moment(double position) {
		int index = (int) Math.floor(position);
		if (index >= this.moments.length - 1) {
			return this.moments[this.moments.length - 1] + 1;
		}
		long before = this.moments[Math.max(index, 0)];
		return before + Math.round((position - index) * (this.moments[Math.max(index, 0) + 1] - before));
	}

	/**
	 * A job of the sample.
	 *
	 * @param queue its queue
	 * @param place its place if it is ready, or {@code null}
	 * @param time when it comes
	 */
	private record Sampled(String queue, @Nullable Long place, long time) {

		static Sampled read(ResultSet row, int number) throws SQLException {
			return new Sampled(row.getString(1), (row.getString(2) != null) ? row.getLong(2) : null, row.getLong(3));
		}

	}

}
