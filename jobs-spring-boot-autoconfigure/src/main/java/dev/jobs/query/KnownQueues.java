package dev.jobs.query;

import java.util.Set;
import java.util.function.Supplier;

import dev.jobs.JobOperations;
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

}
