package dev.jobs.store.redis;

import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;

import dev.jobs.store.redis.Source.Entry;
import dev.jobs.store.redis.Source.Stretch;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a stretch in the order in which the structure has them. Where that is not
 * quite their own, each gets the place at which {@code ranks.lua} finds it, so that no
 * job is on two pages or on none.
 */
final class Ordered {

	private final Stretch stretch;

	private final Comparator<Pivot> order;

	private final @Nullable Placed[] placed;

	Ordered(Stretch stretch, Comparator<Pivot> order) {
		this.stretch = stretch;
		this.order = order;
		this.placed = new Placed[Math.toIntExact(stretch.length())];
	}

	Source source() {
		return this.stretch.source();
	}

	void add(long at, Entry entry, Pivot key) {
		this.placed[(int) (at - this.stretch.from())] = new Placed(entry, key);
	}

	Stream<Placed> entries() {
		if (source().isSearched()) {
			settle(0, source().size(), null, null);
		}
		for (long skipped : this.stretch.skipped()) {
			this.placed[(int) (skipped - this.stretch.from())] = null;
		}
		return Stream.of(this.placed).filter(Objects::nonNull);
	}

	/**
	 * Go through a part as the search does, which takes all before an entry for jobs that
	 * are before it, and all behind an entry for jobs that are not.
	 */
	private void settle(long from, long to, @Nullable Pivot least, @Nullable Pivot most) {
		Pivot floor = least;
		long low = from;
		long high = to;
		while (low < high) {
			long stride = (high - low + 3) / 4;
			long last = high;
			for (long at = low + stride - 1; at < last; at += stride) {
				if (at >= this.stretch.to()) {
					high = at;
					break;
				}
				if (at >= this.stretch.from()) {
					Pivot key = settle(at, floor, most);
					settle(low, at, floor, (key != null) ? key : most);
					floor = (key != null) ? key : floor;
				}
				low = at + 1;
			}
		}
	}

	private @Nullable Pivot settle(long at, @Nullable Pivot least, @Nullable Pivot most) {
		int i = (int) (at - this.stretch.from());
		Placed found = this.placed[i];
		if (found == null) {
			return null;
		}
		Pivot key = found.key();
		if (most != null && this.order.compare(key, most) > 0) {
			key = most;
		}
		if (least != null && this.order.compare(key, least) < 0) {
			key = least;
		}
		this.placed[i] = new Placed(found.entry(), key);
		return key;
	}

	/**
	 * A job in its place.
	 *
	 * @param entry where it is
	 * @param key by what it has its place
	 */
	record Placed(Entry entry, Pivot key) {

	}

}
