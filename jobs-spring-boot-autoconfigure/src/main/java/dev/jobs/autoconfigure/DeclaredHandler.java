package dev.jobs.autoconfigure;

import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.HandlerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * A handler that the application declares.
 *
 * @param definition the handler
 * @param recurringJob the schedule it declares for itself, or {@code null} for none
 * @param enabled whether it is to run jobs here
 */
record DeclaredHandler(HandlerDefinition definition, @Nullable RecurringJob recurringJob, boolean enabled) {

	String name() {
		return this.definition.name();
	}

}
