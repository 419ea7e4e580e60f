package dev.jobs.store.redis;

import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.store.redis.Source.Stretch;

/**
 * A part of each of several structures, with jobs that follow each other if all are
 * merged.
 *
 * @param sources the structures
 * @param below where it begins
 * @param above where it ends
 */
record Window(List<Source> sources, Bound below, Bound above) {

	private static final int NEAR = 64;

	static Window of(List<Source> sources) {
		long total = sources.stream().mapToLong((source) -> source.jobsBefore(source.size())).sum();
		return new Window(sources, new Bound(0, new long[sources.size()]),
				new Bound(total, sources.stream().mapToLong(Source::size).toArray()));
	}

	/**
	 * Return how many jobs it has.
	 */
	long jobs() {
		return this.above.rank() - this.below.rank();
	}

	/**
	 * Return its part of each structure that it has one of.
	 */
	List<Stretch> stretches() {
		return IntStream.range(0, this.sources.size())
			.filter((i) -> this.below.entries()[i] < this.above.entries()[i])
			.mapToObj((i) -> new Stretch(this.sources.get(i), this.below.entries()[i], this.above.entries()[i]))
			.toList();
	}

	/**
	 * Return a bound within, by how many entries of each stretch are before it.
	 */
	Bound bound(long[] before) {
		long[] entries = this.below.entries().clone();
		long rank = this.below.rank();
		int stretch = 0;
		for (int i = 0; i < entries.length; i++) {
			if (entries[i] < this.above.entries()[i]) {
				Source source = this.sources.get(i);
				rank += source.jobsBefore(before[stretch]) - source.jobsBefore(entries[i]);
				entries[i] = before[stretch++];
			}
		}
		return new Bound(rank, entries);
	}

	/**
	 * Return a bound within that takes what it needs of one structure after the other.
	 */
	Bound cut(long rank) {
		long[] entries = this.below.entries().clone();
		long missing = rank - this.below.rank();
		for (int i = 0; i < entries.length && missing > 0; i++) {
			Source source = this.sources.get(i);
			long jobs = source.jobsBefore(entries[i]);
			long most = source.jobsBefore(this.above.entries()[i]) - jobs;
			entries[i] = (most > missing) ? source.entriesUntil(jobs + missing) : this.above.entries()[i];
			missing -= Math.min(most, missing);
		}
		return new Bound(rank, entries);
	}

	/**
	 * Return this window with a bound as its end or its beginning if it then still has
	 * the jobs from one rank to before another.
	 */
	Window within(Bound bound, long from, long to) {
		if (bound.rank() <= from && bound.rank() > this.below.rank()) {
			return new Window(this.sources, bound, this.above);
		}
		return (bound.rank() >= to && bound.rank() < this.above.rank()) ? new Window(this.sources, this.below, bound)
				: this;
	}

	/**
	 * Return what of each stretch may be near the jobs from one rank to before another,
	 * since no structure has more of the jobs up to there than there are.
	 */
	List<Stretch> near(long from, long to) {
		long fromBelow = 2 * (to - this.below.rank()) + NEAR;
		long fromAbove = 2 * (this.above.rank() - from) + NEAR;
		return stretches().stream().map((stretch) -> {
			long skipped = stretch.source().skipped().count();
			return new Stretch(stretch.source(), Math.max(stretch.from(), stretch.to() - fromAbove - skipped),
					Math.min(stretch.to(), stretch.from() + fromBelow + skipped));
		}).toList();
	}

	/**
	 * Return how many entries are before parts of its stretches.
	 */
	long entriesBefore(List<Stretch> parts) {
		List<Stretch> stretches = stretches();
		return IntStream.range(0, parts.size()).mapToLong((i) -> parts.get(i).from() - stretches.get(i).from()).sum();
	}

	/**
	 * A place between two jobs.
	 *
	 * @param rank how many jobs are before it
	 * @param entries how many entries of each structure are
	 */
	record Bound(long rank, long[] entries) {

	}

}
