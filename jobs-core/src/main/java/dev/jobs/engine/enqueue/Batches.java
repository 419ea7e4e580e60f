package dev.jobs.engine.enqueue;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Cuts what is enqueued together into batches that one call takes.
 */
final class Batches {

	/** How many jobs a call takes at most. */
	static final int LARGEST = 500;

	private Batches() {
	}

	static <T> List<List<T>> of(List<T> all) {
		return IntStream.iterate(0, (from) -> from < all.size(), (from) -> from + LARGEST)
			.mapToObj((from) -> all.subList(from, Math.min(from + LARGEST, all.size())))
			.toList();
	}

}
