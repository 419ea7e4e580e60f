package dev.jobs.store.view;

import java.time.Instant;
import java.util.Comparator;

import org.jspecify.annotations.Nullable;

/**
 * A setting for workers by an operator, which holds until it is removed.
 *
 * @param kind its kind, such as the concurrency of a pool; without a colon
 * @param name the name of the queue, the pool or the worker that it is for
 * @param value its value in the form of the kind
 * @param at when it was set
 * @param by who set it, or {@code null} if that is not known
 */
public record OperatorSetting(String kind, String name, String value, Instant at, @Nullable String by) {

	/** By kind and name. */
	public static final Comparator<OperatorSetting> ORDER = Comparator.comparing(OperatorSetting::kind)
		.thenComparing(OperatorSetting::name);

}
