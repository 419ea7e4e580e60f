package dev.jobs.autoconfigure;

import java.util.stream.Stream;

import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * A handler that the application declares.
 *
 * @param definition the handler
 * @param recurringJob the schedule it declares for itself, or {@code null} for none
 * @param settings all that is set for it, whatever the place
 * @param method the method that runs them
 */
record DeclaredHandler(HandlerDefinition definition, @Nullable RecurringJob recurringJob, HandlerSettings settings,
		HandlerMethod method) {

	/**
	 * Return whether it runs jobs here.
	 */
	boolean enabled() {
		return this.settings.isEnabled();
	}

	String name() {
		return this.definition.name();
	}

	/**
	 * Return the names of the jobs it handles: its own and those it had before.
	 */
	Stream<String> jobNames() {
		return Stream.concat(Stream.of(name()), this.definition.aliases().stream());
	}

	/**
	 * Return whether it handles jobs of a name that is, or was, its own.
	 */
	boolean serves(String jobName) {
		return name().equals(jobName) || this.definition.aliases().contains(jobName);
	}

}
