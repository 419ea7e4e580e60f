package dev.jobs.store.redis;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The entries of a ready list that are to be skipped when they are popped. Nothing tells
 * where they are, so the list is looked through, in slices and no farther than needed.
 */
final class Skipped {

	private static final int SLICE = 5000;

	private final Lookup lookup;

	private final boolean newestFirst;

	private final long size;

	private final long count;

	private final List<Long> found = new ArrayList<>();

	private final Set<String> twice = new HashSet<>();

	private long lookedThrough;

	/**
	 * Create skipped entries.
	 * @param size how many entries the list has
	 * @param count how many of them are to be skipped
	 * @param newestFirst whether the end of the list comes first
	 * @param lookup looks through a part of the list
	 */
	Skipped(long size, long count, boolean newestFirst, Lookup lookup) {
		this.size = size;
		this.count = count;
		this.newestFirst = newestFirst;
		this.lookup = lookup;
	}

	long count() {
		return this.count;
	}

	/**
	 * Return how many of the first entries are to be skipped.
	 */
	long before(long position) {
		while (this.lookedThrough < position && this.found.size() < this.count) {
			lookFurther();
		}
		int at = Collections.binarySearch(this.found, position);
		return (at < 0) ? -at - 1 : at;
	}

	List<Long> between(long from, long to) {
		return (this.count == 0) ? List.of() : this.found.subList((int) before(from), (int) before(to));
	}

	/**
	 * Return how many entries there are until so many were not to be skipped.
	 */
	long until(long kept) {
		long position = kept;
		long least;
		do {
			least = position;
			position = Math.min(kept + before(least), this.size);
		}
		while (position > least);
		return position;
	}

	/**
	 * Of two entries of the same job the one nearer the front is to be skipped.
	 */
	private void lookFurther() {
		long to = Math.min(this.lookedThrough + SLICE, this.size);
		Reply reply = this.lookup.look(this.lookedThrough, to);
		while (reply.hasMore()) {
			long position = reply.number();
			String readyToo = reply.text();
			if (readyToo.isEmpty() || this.twice.add(readyToo) != this.newestFirst) {
				this.found.add(position);
			}
		}
		this.lookedThrough = (to < this.size) ? to : Long.MAX_VALUE;
	}

	/**
	 * Looks through a part of the list.
	 */
	interface Lookup {

		Reply look(long from, long to);

	}

}
