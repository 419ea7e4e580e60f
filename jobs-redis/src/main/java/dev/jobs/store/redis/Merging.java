package dev.jobs.store.redis;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.store.redis.Source.Entry;
import dev.jobs.store.redis.Source.Stretch;

/**
 * A slice of several structures merged, found without going through what is before it:
 * samples tell which jobs it lies between, the structures how many are before these,
 * until few are left to be put in order. What is asked of the server grows with the
 * number of structures, and hardly with that of the jobs.
 */
final class Merging {

	/** How many entries more than those of a slice are put in order. */
	private static final int SURPLUS = 1000;

	/**
	 * As SURPLUS, where the jobs of a list are in such disorder that few can't be found.
	 */
	private static final int MOST = 10_000;

	private static final int SAMPLES = 256;

	/** How many samples away from where it should be a job may be. */
	private static final int MARGIN = 4;

	private final Structures structures;

	private final Window all;

	private final Comparator<Pivot> order;

	Merging(Structures structures, List<Source> sources) {
		this.structures = structures;
		this.all = Window.of(sources);
		this.order = structures.isNewestFirst() ? Pivot.ORDER.reversed() : Pivot.ORDER;
	}

	long total() {
		return this.all.above().rank();
	}

	/**
	 * Find the jobs from one rank to before another. A large slice need not be in their
	 * order.
	 */
	void slice(long from, long to, Slice slice) {
		if (from >= to) {
			return;
		}
		if (this.all.sources().size() == 1) {
			slice.add(kept(new Window(this.all.sources(), this.all.cut(from), this.all.cut(to))));
		}
		else if (to - from <= SURPLUS) {
			slice.addOrdered(merge(narrow(this.all, from, to), from, to));
		}
		else {
			divide(shrink(this.all, from, to), from, to, slice);
		}
	}

	private void divide(Window window, long from, long to, Slice slice) {
		Window rest = window;
		if (from > window.below().rank()) {
			Window first = narrow(window, from, from);
			slice.addOrdered(merge(first, from, Math.min(first.above().rank(), to)));
			rest = new Window(window.sources(), first.above(), window.above());
		}
		divide(rest, to, slice);
	}

	/**
	 * Find the jobs of a window that are before a rank.
	 */
	private void divide(Window window, long to, Slice slice) {
		if (window.below().rank() >= to) {
			return;
		}
		if (window.above().rank() == to) {
			slice.add(kept(window));
			return;
		}
		Window last = narrow(window, to, to);
		slice.add(kept(new Window(window.sources(), window.below(), last.below())));
		slice.addOrdered(merge(last, last.below().rank(), to));
	}

	private static List<Stretch> kept(Window window) {
		return window.stretches().stream().flatMap(Stretch::kept).toList();
	}

	/**
	 * Find a small window with the jobs from one rank to before another, if need be by
	 * going by no order.
	 */
	private Window narrow(Window window, long from, long to) {
		Window small = shrink(window, from, to);
		return (small.stretches().size() > 1 && small.jobs() <= MOST) ? small
				: new Window(small.sources(), small.cut(from), small.cut(to));
	}

	private Window shrink(Window window, long from, long to) {
		Window small = window;
		int margin = MARGIN;
		while (small.jobs() > to - from + SURPLUS && small.stretches().size() > 1 && margin <= SAMPLES) {
			Window smaller = narrow(small, from, to, margin);
			margin = (smaller.jobs() < small.jobs()) ? MARGIN : margin * MARGIN;
			small = smaller;
		}
		return small;
	}

	private Window narrow(Window window, long from, long to, int margin) {
		List<Stretch> near = window.near(from, to);
		List<Pivot> samples = sample(near);
		double each = Math.max(Stretch.sum(near), 1) / (double) samples.size();
		long before = window.below().rank() + window.entriesBefore(near);
		int first = (int) Math.floor((from - before) / each) - margin;
		int last = (int) Math.ceil((to - before) / each) + margin;
		List<Pivot> pivots = IntStream.of(first, last)
			.filter((sample) -> sample >= 0 && sample < samples.size())
			.mapToObj(samples::get)
			.toList();
		Window narrowed = window;
		for (long[] ranks : pivots.isEmpty() ? List.<long[]>of() : this.structures.ranks(pivots, window.stretches())) {
			narrowed = narrowed.within(window.bound(ranks), from, to);
		}
		return narrowed;
	}

	/**
	 * Return some jobs of stretches, as far from each other as from the next, in order.
	 */
	private List<Pivot> sample(List<Stretch> stretches) {
		long length = Stretch.sum(stretches);
		long count = Math.min(length, SAMPLES);
		List<Stretch> wanted = new ArrayList<>();
		long before = 0;
		int next = 0;
		for (Stretch stretch : stretches) {
			long at;
			while (next < count && (at = (2 * next + 1) * length / (2 * count) - before) < stretch.length()) {
				wanted.add(new Stretch(stretch.source(), stretch.from() + at, stretch.from() + at + 1));
				next++;
			}
			before += stretch.length();
		}
		List<Pivot> samples = new ArrayList<>();
		this.structures.list(wanted, (at, entry, key) -> samples.add(key));
		samples.sort(this.order);
		return samples;
	}

	/**
	 * Return what to list of a stretch. The search asks entries that are to be skipped
	 * too, but many of them are not worth it.
	 */
	private static Stream<Stretch> worthListing(Stretch stretch) {
		return (stretch.skipped().size() > SURPLUS) ? stretch.kept() : Stream.of(stretch);
	}

	/**
	 * Put the jobs of a window in order and return those from one rank to before another.
	 */
	private List<Entry> merge(Window window, long from, long to) {
		List<Stretch> stretches = window.stretches();
		List<Ordered> ordered = stretches.stream().map((stretch) -> new Ordered(stretch, this.order)).toList();
		Map<Source, Ordered> bySource = new IdentityHashMap<>();
		ordered.forEach((one) -> bySource.put(one.source(), one));
		this.structures.list(stretches.stream().flatMap(Merging::worthListing).toList(),
				(at, entry, key) -> Objects.requireNonNull(bySource.get(entry.source())).add(at, entry, key));
		return ordered.stream()
			.flatMap(Ordered::entries)
			.sorted(Comparator.comparing(Ordered.Placed::key, this.order))
			.skip(from - window.below().rank())
			.limit(to - from)
			.map(Ordered.Placed::entry)
			.toList();
	}

	/**
	 * Gets the jobs of a slice.
	 */
	interface Slice {

		/**
		 * Add jobs that are in their order.
		 */
		void addOrdered(List<Entry> entries);

		/**
		 * Add all jobs of stretches.
		 */
		void add(List<Stretch> stretches);

	}

}
