package dev.jobs.store.redis;

import java.util.Comparator;

/**
 * What a job has its place by.
 *
 * @param order when it entered its state or, if it waits, is due
 * @param id its id
 */
record Pivot(long order, String id) {

	/** The order of pages, the earliest first. */
	static final Comparator<Pivot> ORDER = Comparator.comparingLong(Pivot::order).thenComparing(Pivot::id);

}
