package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.store.Spread;
import dev.jobs.store.Tally;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens to jobs, by queue and minute, until a beat takes the counts to the
 * store. Each count is taken once.
 */
final class Tallies {

	private static final int WAITED = 4;

	private static final int RAN = WAITED + Spread.SIZE;

	/** What is counted while the store is out of reach is bounded. */
	private static final int MOST = 20_000;

	private final ConcurrentHashMap<Key, long[]> tallies = new ConcurrentHashMap<>();

	void enqueued(String queue, Instant at) {
		count(queue, at, 0);
	}

	/**
	 * Take note that a job starts.
	 * @param waited how long it has been due
	 */
	void started(String queue, Instant at, Duration waited) {
		count(queue, at, WAITED + Spread.bucketOf(waited));
	}

	/**
	 * Take note of the end of a delivery that the store has accepted.
	 * @param took how long the run took; zero if it never ran here
	 */
	void ended(String queue, Instant at, Ending.Fate fate, Duration took) {
		int cell = 1 + fate.ordinal();
		int ran = RAN + Spread.bucketOf(took);
		this.tallies.compute(new Key(queue, minuteOf(at)), (key, cells) -> {
			long[] counts = cellsOf(cells);
			if (counts != null) {
				counts[cell]++;
				counts[ran] += took.isZero() ? 0 : 1;
			}
			return counts;
		});
	}

	private void count(String queue, Instant at, int cell) {
		this.tallies.compute(new Key(queue, minuteOf(at)), (key, cells) -> {
			long[] counts = cellsOf(cells);
			if (counts != null) {
				counts[cell]++;
			}
			return counts;
		});
	}

	private static long minuteOf(Instant at) {
		return Math.floorDiv(at.getEpochSecond(), 60);
	}

	private long @Nullable [] cellsOf(long @Nullable [] cells) {
		return (cells != null || this.tallies.mappingCount() > MOST) ? cells : new long[Tally.CELLS];
	}

	/**
	 * Take what was counted, to be reported; what is of past minutes first, since no more
	 * is added to it.
	 * @param most how many tallies at most
	 */
	List<Tally> take(int most) {
		List<Tally> taken = new ArrayList<>();
		List<Key> keys = new ArrayList<>(this.tallies.keySet());
		keys.sort(Comparator.comparingLong(Key::minute));
		for (Key key : keys) {
			long[] cells = (taken.size() < most) ? this.tallies.remove(key) : null;
			if (cells != null) {
				taken.add(Tally.of(key.queue(), Instant.ofEpochSecond(key.minute() * 60), cells));
			}
		}
		return taken;
	}

	private record Key(String queue, long minute) {

	}

}
