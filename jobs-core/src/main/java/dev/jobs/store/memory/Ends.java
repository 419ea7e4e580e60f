package dev.jobs.store.memory;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

import dev.jobs.store.End;
import org.jspecify.annotations.Nullable;

/**
 * The ends of jobs that are kept for a time.
 */
final class Ends {

	private final Map<String, Kept> kept = new HashMap<>();

	private final NavigableSet<Kept> byTime = new TreeSet<>(
			Comparator.comparing((Kept kept) -> kept.end().until()).thenComparing(Kept::job));

	void keep(String job, End end) {
		forget(job);
		Kept kept = new Kept(job, end);
		this.kept.put(job, kept);
		this.byTime.add(kept);
	}

	void forget(String job) {
		Kept kept = this.kept.remove(job);
		if (kept != null) {
			this.byTime.remove(kept);
		}
	}

	@Nullable End of(String job, Instant now) {
		Kept kept = this.kept.get(job);
		return (kept != null && kept.end().until().isAfter(now)) ? kept.end() : null;
	}

	/**
	 * Forget some of those whose time is over.
	 * @return how many
	 */
	int forget(Instant now, int limit) {
		int forgotten = 0;
		while (forgotten < limit && !this.byTime.isEmpty() && !this.byTime.first().end().until().isAfter(now)) {
			Kept first = this.byTime.pollFirst();
			this.kept.remove(first.job());
			forgotten++;
		}
		return forgotten;
	}

	void forgetAll() {
		this.kept.clear();
		this.byTime.clear();
	}

	private record Kept(String job, End end) {

	}

}
