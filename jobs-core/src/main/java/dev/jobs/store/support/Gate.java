package dev.jobs.store.support;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.Rate;
import org.jspecify.annotations.Nullable;

/**
 * What lets no job of a queue, or of a lane, start for a time: a hold, and the starts
 * that a rate counts. It is a log of starts, not a counter: each entry has the number of
 * jobs that a claim started and until when these could begin. An entry counts as long as
 * it may be in a window that ends now or later, also if it is ahead of now, so that a
 * clock that goes back permits nothing.
 * <p>
 * Entries that differ by less than a part of the window become one with the later time.
 * So the log stays short, and permits come at most that much later. Times are
 * milliseconds.
 */
public final class Gate {

	/** A window has so many parts. */
	private static final int PARTS = 500;

	/** No clock is ahead of another by more, unless the store's clock was set back. */
	private static final long FAR_AHEAD = Duration.ofMinutes(1).toMillis();

	private static final Pattern ENTRY = Pattern.compile("(\\d{1,16}) (\\d{1,9})");

	private String starts;

	private long heldUntil;

	private long permitAt;

	private long keptUntil;

	private boolean changed;

	/**
	 * Create a gate from what is stored of it.
	 * @param starts the log
	 * @param heldUntil until when nothing starts
	 * @param permitAt when it gives a permit again, as of the last start
	 * @param keptUntil how long the log matters
	 */
	public Gate(String starts, long heldUntil, long permitAt, long keptUntil) {
		this.starts = starts;
		this.heldUntil = heldUntil;
		this.permitAt = permitAt;
		this.keptUntil = keptUntil;
	}

	/**
	 * Return an open gate.
	 */
	public static Gate open() {
		return new Gate("", 0, 0, 0);
	}

	public String starts() {
		return this.starts;
	}

	public long heldUntil() {
		return this.heldUntil;
	}

	public long permitAt() {
		return this.permitAt;
	}

	public long keptUntil() {
		return this.keptUntil;
	}

	/**
	 * Return whether it has to be stored again.
	 */
	public boolean isChanged() {
		return this.changed;
	}

	/**
	 * Return when it opens, as far as that was known at its last start.
	 */
	public long opensAt() {
		return Math.max(this.heldUntil, this.permitAt);
	}

	/**
	 * Hold everything back.
	 * @param until the time; an earlier one than before changes nothing
	 */
	public void holdUntil(long until) {
		this.heldUntil = Math.max(this.heldUntil, until);
		this.keptUntil = Math.max(this.keptUntil, until);
		this.changed = true;
	}

	/**
	 * End the hold.
	 */
	public void letGo() {
		this.heldUntil = 0;
	}

	/**
	 * Return how many jobs may start now, and note when the next may if none.
	 * @param rate the rate, or {@code null} if there is none
	 * @param patience how long after now they may begin
	 */
	public int room(@Nullable Rate rate, Duration patience, long now) {
		if (rate == null) {
			permitAt(0);
			return (this.heldUntil > now) ? 0 : Integer.MAX_VALUE;
		}
		Log log = new Log(this.starts, rate, now, patience.toMillis());
		permitAt(log.opensAt());
		if (log.cut) {
			store(log);
		}
		return (this.heldUntil > now) ? 0 : log.room();
	}

	private void permitAt(long at) {
		this.changed |= at != this.permitAt;
		this.permitAt = at;
	}

	private void store(Log log) {
		this.starts = log.text();
		this.keptUntil = Math.max(log.last() + log.window, this.heldUntil);
		this.changed = true;
	}

	/**
	 * Record that jobs start.
	 * @param count how many
	 * @param rate the rate
	 * @param patience how long after now they may begin
	 */
	public void start(int count, Rate rate, Duration patience, long now) {
		Log log = new Log(this.starts, rate, now, patience.toMillis());
		log.add(count);
		permitAt(log.opensAt());
		store(log);
	}

	/**
	 * The starts that count for a rate.
	 */
	private static final class Log {

		private final List<long[]> entries = new ArrayList<>();

		private final Rate rate;

		private final long now;

		private final long latest;

		private final long window;

		/** The part of the window that belongs to the burst. */
		private final long part;

		/** Whether starts were ahead of any clock. */
		private final boolean cut;

		Log(String text, Rate rate, long now, long patience) {
			this.rate = rate;
			this.now = now;
			this.latest = now + patience;
			this.window = rate.getWindow().toMillis();
			this.part = (this.window * rate.getBurst() + rate.getStarts() - 1) / rate.getStarts();
			Matcher entry = ENTRY.matcher(text);
			for (long at = 0; entry.find();) {
				at += Long.parseLong(entry.group(1));
				if (at > now - this.window) {
					this.entries.add(new long[] { at, Long.parseLong(entry.group(2)) });
				}
			}
			this.cut = last() > this.latest + this.window + FAR_AHEAD;
			if (this.cut) {
				this.entries.forEach((each) -> each[0] = Math.min(each[0], this.latest));
			}
		}

		int room() {
			return (int) Math.max(0,
					Math.min(this.rate.getStarts() - count(this.window), this.rate.getBurst() - count(this.part)));
		}

		/**
		 * Return when there is a permit again.
		 * @return the time; 0 if there is one now
		 */
		long opensAt() {
			return Math.max(opensAt(this.rate.getStarts(), this.window), opensAt(this.rate.getBurst(), this.part));
		}

		private long opensAt(int most, long window) {
			long count = count(window);
			long at = 0;
			for (long[] entry : this.entries) {
				if (count < most) {
					break;
				}
				if (entry[0] > this.now - window) {
					count -= entry[1];
					at = entry[0] + window;
				}
			}
			return at;
		}

		private long count(long window) {
			return this.entries.stream()
				.filter((entry) -> entry[0] > this.now - window)
				.mapToLong((entry) -> entry[1])
				.sum();
		}

		void add(int count) {
			this.entries.add(new long[] { Math.max(this.latest, last()), count });
			List<long[]> all = List.copyOf(this.entries);
			this.entries.clear();
			for (long[] entry : all) {
				boolean recent = entry[0] > this.now - this.part;
				long length = Math.max((recent ? this.part : this.window) / PARTS, 1);
				long[] before = this.entries.isEmpty() ? null : this.entries.get(this.entries.size() - 1);
				if (before != null && before[0] / length == entry[0] / length) {
					before[0] = entry[0];
					before[1] += entry[1];
				}
				else {
					this.entries.add(entry);
				}
			}
		}

		long last() {
			return this.entries.isEmpty() ? 0 : this.entries.get(this.entries.size() - 1)[0];
		}

		String text() {
			StringBuilder text = new StringBuilder();
			long before = 0;
			for (long[] entry : this.entries) {
				text.append(text.isEmpty() ? "" : " ").append(entry[0] - before).append(' ').append(entry[1]);
				before = entry[0];
			}
			return text.toString();
		}

	}

}
