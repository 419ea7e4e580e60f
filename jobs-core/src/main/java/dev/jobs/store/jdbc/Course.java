package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * How the jobs of a selection spread over time, as a sample tells. A moment is a time
 * where the earliest come first, and a time counted backwards where the latest do.
 * <p>
 * Ready jobs are in the order of their places, which no index relates to time. So those
 * of a queue are taken to come when the last sampled one with no higher place did, or one
 * before that if it was later: this never contradicts the order of their places.
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

	private static final String SIZE = "select pg_relation_size(cast(? as regclass))";

	private static final double SAMPLED = 819_200;

	/** No page holds more rows than one in so many bytes. */
	private static final int SMALLEST = 28;

	private final long bytes;

	private final long[] moments;

	private final Map<String, TreeMap<Long, Long>> places = new HashMap<>();

	private Course(long bytes, List<Sampled> sample, boolean newestFirst) {
		this.bytes = bytes;
		this.moments = sample.stream().mapToLong(Sampled::time).map((time) -> newestFirst ? -time : time).toArray();
		for (Sampled job : sample) {
			if (job.place() != null) {
				this.places.computeIfAbsent(job.queue(), (queue) -> new TreeMap<>()).put(job.place(), job.time());
			}
		}
		this.places.values().forEach(Course::raise);
		Arrays.sort(this.moments);
	}

	static Course of(Statements statements, Selection selection) {
		String table = statements.name("job");
		Selection.Part whole = selection.whole();
		List<@Nullable Object> arguments = new ArrayList<>();
		arguments.add(table);
		arguments.addAll(whole.arguments());
		List<Sampled> sample = statements.query(SAMPLE + whole.condition(), (row, n) -> {
			long place = row.getLong(2);
			return new Sampled(row.getString(1), row.wasNull() ? null : place, row.getLong(3));
		}, arguments.toArray());
		return new Course(statements.number(SIZE, table), sample, selection.newestFirst());
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
		return Math.round(this.moments.length * Math.max(1, this.bytes / SAMPLED));
	}

	/**
	 * Return when a ready job comes.
	 */
	long time(String queue, long place) {
		TreeMap<Long, Long> times = this.places.get(queue);
		if (times == null) {
			return place;
		}
		Map.Entry<Long, Long> entry = times.floorEntry(place);
		return ((entry != null) ? entry : times.firstEntry()).getValue();
	}

	/**
	 * Return the first place of ready jobs that come at a time or later, or {@code null}
	 * if nothing is known of the queue.
	 */
	@Nullable Long place(String queue, long time) {
		TreeMap<Long, Long> times = this.places.get(queue);
		if (times == null) {
			return null;
		}
		if (time <= times.firstEntry().getValue()) {
			return Long.MIN_VALUE;
		}
		return times.entrySet()
			.stream()
			.filter((entry) -> entry.getValue() >= time)
			.findFirst()
			.map(Map.Entry::getKey)
			.orElse(Long.MAX_VALUE);
	}

	/**
	 * Return at which moment there may be so many jobs before it.
	 * @param low a moment with fewer before it
	 * @param high a moment with more before it, if one is known
	 * @param rank how many
	 * @param guess how often it was tried before
	 */
	long guess(Map.Entry<Long, Long> low, Map.@Nullable Entry<Long, Long> high, long rank, int guess) {
		if (this.moments.length == 0) {
			return low.getKey();
		}
		long first = Math.max(low.getKey(), this.moments[0]);
		long last = (high != null) ? high.getKey() : this.moments[this.moments.length - 1] + 1;
		if (guess > 2 && guess % 2 == 0) {
			return first + (last - first) / 2;
		}
		if (last <= low.getKey() + 1) {
			return low.getKey();
		}
		double begin = position(first);
		double end = position(last);
		double each = (high != null) ? (high.getValue() - low.getValue()) / Math.max(end - begin, 1e-6)
				: Math.max(1, this.bytes / SAMPLED);
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

	}

}
