package dev.jobs.engine.context;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Cuts jobs that are enqueued together into batches for one call each.
 */
public final class Batches {

	/** The most jobs of one call. */
	public static final int LARGEST = 500;

	private Batches() {
	}

	public static <T> List<List<T>> of(List<T> all) {
		return IntStream.iterate(0, (from) -> from < all.size(), (from) -> from + LARGEST)
			.mapToObj((from) -> all.subList(from, Math.min(from + LARGEST, all.size())))
			.toList();
	}

}
