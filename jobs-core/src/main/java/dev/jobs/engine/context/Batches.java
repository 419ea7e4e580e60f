package dev.jobs.engine.context;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Cuts what is enqueued together into batches that one call takes.
 */
public final class Batches {

	/** How many jobs a call takes at most. */
	public static final int LARGEST = 500;

	private Batches() {
	}

	public static <T> List<List<T>> of(List<T> all) {
		return IntStream.iterate(0, (from) -> from < all.size(), (from) -> from + LARGEST)
			.mapToObj((from) -> all.subList(from, Math.min(from + LARGEST, all.size())))
			.toList();
	}

}
