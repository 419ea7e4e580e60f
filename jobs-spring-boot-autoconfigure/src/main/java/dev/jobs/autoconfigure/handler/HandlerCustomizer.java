package dev.jobs.autoconfigure.handler;

import dev.jobs.HandlerOptions;

/**
 * Callback interface for beans that wish to change the options of handlers found by their
 * annotation, after annotation and properties were applied, such as by a
 * {@linkplain dev.jobs.RetryPolicy.Builder#noRetryFor classifier of exceptions}. Several
 * are called in their order.
 */
@FunctionalInterface
public interface HandlerCustomizer {

	/**
	 * Customize how the jobs of a handler are run.
	 * @param name its name
	 * @param options its options so far, to be changed
	 */
	void customize(String name, HandlerOptions.Builder options);

}
