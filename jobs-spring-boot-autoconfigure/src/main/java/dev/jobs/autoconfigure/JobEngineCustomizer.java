package dev.jobs.autoconfigure;

import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;

/**
 * Callback interface for beans that customize the auto-configured {@link JobEngine} after
 * the properties were applied. Several are called in their order.
 */
@FunctionalInterface
public interface JobEngineCustomizer {

	/**
	 * Customize the builder.
	 * @param builder the builder
	 */
	void customize(JobEngineBuilder builder);

}
