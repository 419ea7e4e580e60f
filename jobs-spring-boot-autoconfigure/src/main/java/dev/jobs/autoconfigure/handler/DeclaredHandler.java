package dev.jobs.autoconfigure.handler;

import java.util.List;
import java.util.stream.Stream;

import dev.jobs.autoconfigure.properties.HandlerSettings;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * A handler that the application declares.
 *
 * @param definition the handler
 * @param recurringJob the schedule it declares for itself, or {@code null} for none
 * @param settings all its settings, from any place
 * @param set the same settings, each with its place
 * @param method the method that runs them
 */
public record DeclaredHandler(HandlerDefinition definition, @Nullable RecurringJob recurringJob,
		HandlerSettings settings, List<SetOption> set, HandlerMethod method) {

	/**
	 * Return whether it runs jobs here.
	 * @return whether it does
	 */
	public boolean enabled() {
		return this.settings.isEnabled();
	}

	/**
	 * Return the name of the handler and of its jobs.
	 * @return the name
	 */
	public String name() {
		return this.definition.name();
	}

	/**
	 * Return the names of the jobs it handles: its current name and former ones.
	 */
	Stream<String> jobNames() {
		return Stream.concat(Stream.of(name()), this.definition.aliases().stream());
	}

	/**
	 * Return whether a name is, or was, its own.
	 * @param jobName the name
	 * @return whether it does
	 */
	public boolean serves(String jobName) {
		return name().equals(jobName) || this.definition.aliases().contains(jobName);
	}

}
