package dev.jobs.engine.context;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.JobEvent;
import dev.jobs.store.view.DurationHistogram;
import dev.jobs.store.view.Tally;
import org.jspecify.annotations.Nullable;

/**
 * Counts what happens to jobs, by queue and minute, until a beat takes the counts to the
 * store. Each count is taken once.
 */
public final class Tallies {

	private static final int ENQUEUED = 0;

	private static final int SUCCEEDED = 1;

	private static final int RETRIED = 2;

	private static final int DEAD = 3;

	private static final int WAITED = 4;

	private static final int RAN = WAITED + DurationHistogram.SIZE;

	private static final int EXPIRED = RAN + DurationHistogram.SIZE;

	/** The bound for counts while the store is out of reach. */
	private static final int MOST = 20_000;

	private final ConcurrentHashMap<Key, long[]> tallies = new ConcurrentHashMap<>();

	public void enqueued(String queue, Instant at) {
		count(queue, at, ENQUEUED);
	}

	/**
	 * Count the start of a job.
	 * @param waited how long it has been due
	 */
	public void started(String queue, Instant at, Duration waited) {
		count(queue, at, WAITED + DurationHistogram.bucketOf(waited));
	}

	/**
	 * Count the end of a job that the store has accepted: it succeeded, failed and runs
	 * again, died, or expired.
	 * @param event what happened
	 */
	public void ended(JobEvent event, Instant at) {
		if (event instanceof JobEvent.Expired) {
			count(event.name(), at, EXPIRED);
		}
		int cell = (event instanceof JobEvent.Succeeded) ? SUCCEEDED
				: (event instanceof JobEvent.Retrying) ? RETRIED : (event instanceof JobEvent.Died) ? DEAD : -1;
		if (cell >= 0 && event instanceof JobEvent.OfRun run) {
			ended(run.name(), at, cell, run.took());
		}
	}

	private void ended(String queue, Instant at, int cell, Duration took) {
		int ran = RAN + DurationHistogram.bucketOf(took);
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
	 * Take the counts to be reported, past minutes first, since these no longer change.
	 * @param most how many tallies at most
	 */
	public List<Tally> take(int most) {
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
