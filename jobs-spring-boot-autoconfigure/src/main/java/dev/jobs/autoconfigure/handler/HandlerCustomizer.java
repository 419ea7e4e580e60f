package dev.jobs.autoconfigure.handler;

import dev.jobs.HandlerOptions;

/**
 * Callback interface for beans that change the options of annotated handlers, for example
 * by a {@linkplain dev.jobs.RetryPolicy.Builder#noRetryFor classifier of exceptions},
 * after annotation and properties were applied. Several are called in their order.
 */
@FunctionalInterface
public interface HandlerCustomizer {

	/**
	 * Customize how the jobs of a handler are run.
	 * @param name its name
	 * @param options its options so far, which the customizer may change
	 */
	void customize(String name, HandlerOptions.Builder options);

}
