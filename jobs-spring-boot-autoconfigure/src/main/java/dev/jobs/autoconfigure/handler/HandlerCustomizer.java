package dev.jobs.autoconfigure.handler;

import dev.jobs.engine.settings.HandlerDefinition;

/**
 * Callback interface for beans that wish to change handlers found by their annotation,
 * after annotation and properties were applied, such as by a
 * {@linkplain dev.jobs.RetryPolicy.Builder#noRetryFor classifier of exceptions}. Several
 * are called in their order.
 */
@FunctionalInterface
public interface HandlerCustomizer {

	/**
	 * Customize a handler. Its name is given and stays.
	 * @param definition the handler
	 * @return the same or a changed handler
	 */
	HandlerDefinition customize(HandlerDefinition definition);

}
