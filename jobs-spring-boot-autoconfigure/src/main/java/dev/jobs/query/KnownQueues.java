package dev.jobs.query;

import java.util.Set;
import java.util.function.Supplier;

import dev.jobs.JobOperations;
import dev.jobs.engine.settings.HandlerDefinition;
import org.jspecify.annotations.Nullable;

/**
 * The queues that exist, or will since this process has a handler for their jobs. An
 * action on any other is most likely a misspelt name.
 */
public final class KnownQueues {

	private final JobOperations operations;

	private final Supplier<Set<String>> handlers;

	/**
	 * Know the queues of a store and of the handlers of this process.
	 * @param operations lists the queues of the store
	 * @param handlers the names of the handlers
	 */
	public KnownQueues(JobOperations operations, Supplier<Set<String>> handlers) {
		this.operations = operations;
		this.handlers = handlers;
	}

	/**
	 * Return whether there is a queue of a name.
	 * @param name the name
	 * @return {@code true} if there is one, or will be
	 */
	public boolean contains(@Nullable String name) {
		return name != null && (this.handlers.get().contains(name)
				|| this.operations.queues().stream().anyMatch((queue) -> queue.name().equals(name)));
	}

	/**
	 * Return why nothing can be done to a queue or schedule that the store lists.
	 * @param name its name, which another program may have stored
	 * @return the reason, or {@code null} if its name is valid
	 */
	public static @Nullable String problem(String name) {
		try {
			HandlerDefinition.requireValidName(name);
			return null;
		}
		catch (IllegalArgumentException ex) {
			return "Its name was stored by another program and is not valid, so nothing can be done to it";
		}
	}

}
