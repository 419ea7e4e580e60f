package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * One run of a job, as its handler and interceptors see it. A new one is made for every
 * run. <pre class="code">{@code
 * for (int line = 1; line <= lines && !context.cancelled(); line++) {
 *     context.progress(line, lines);
 * }
 * }</pre>
 */
public interface JobContext {

	/**
	 * Return the job at hand.
	 */
	Job job();

	/**
	 * Return the job's id.
	 */
	default String id() {
		return job().id();
	}

	/**
	 * Return the job's logical name as it was enqueued, which may be an alias.
	 */
	default String name() {
		return job().name();
	}

	/**
	 * Return the number of this attempt.
	 * @return the number, from 1
	 */
	default int attempt() {
		return job().attempt();
	}

	/**
	 * Return when the job was enqueued.
	 */
	default Instant createdAt() {
		return job().createdAt();
	}

	/**
	 * Return when this run was due.
	 */
	default Instant dueAt() {
		return job().dueAt();
	}

	/**
	 * Return the text that travels with the job.
	 */
	default Map<String, String> headers() {
		return job().headers();
	}

	/**
	 * Return values that interceptors and the handler share during this run only.
	 * @return a changeable map
	 */
	Map<String, Object> attributes();

	/**
	 * Report the state of the work, for operators to read. This is cheap: the text is
	 * written with a later beat, and the latest one wins.
	 * @param text the text; cut to 1000 characters
	 */
	void checkIn(@Nullable String text);

	/**
	 * Report how far the work has got, for operators to read.
	 * @param done units done
	 * @param total units in all; 0 if unknown
	 */
	void progress(long done, long total);

	/**
	 * Return whether this run should end: the job was cancelled or timed out, its lease
	 * is lost or the worker is stopping. The handler's thread is interrupted as well.
	 */
	boolean cancelled();

	/**
	 * Return how long this run may still take, as a timeout for calls to other systems.
	 * @return the time until it has used up its timeout or the job reaches its
	 * {@linkplain EnqueueOptions.Builder#deadline deadline}, zero if that has passed, or
	 * {@code null} if neither is set
	 */
	default @Nullable Duration remaining() {
		return null;
	}

	/**
	 * Return whether another worker may have this job now. Then this run can no longer
	 * change the job.
	 * @return {@code true} if the lease is lost
	 */
	boolean leaseLost();

	/**
	 * Return a number that grows with every delivery of the job, to be stored beside the
	 * handler's own writes so that a write of an earlier delivery can be refused. It may
	 * not grow if the server of the store lost the latest deliveries: in a database, by a
	 * failover to a replica that was behind; in Redis, only if the replica lacked more
	 * than a minute and its clock was behind, too.
	 */
	long fencingToken();

	/**
	 * Do a step of the job once. If the job has saved the value of this step in an
	 * earlier run, that is returned; otherwise the action runs, and its value is saved
	 * before this returns. So a step runs again only if the process was killed after its
	 * effect and before its value was saved. An exception is not saved: it fails the
	 * attempt, and the next one runs the step again. <pre class="code">{@code
	 * Receipt receipt = context.step("charge", Receipt.class, () -> this.cards.charge(order, context.id()));
	 * context.step("mail", () -> this.mailer.send(order, receipt));
	 * }</pre> Steps are known by their names, so they may be added, removed and moved
	 * between two runs. Handlers that run in a transaction cannot have steps.
	 * @param <T> the type of the value
	 * @param <E> what the action throws
	 * @param name the name, which a run uses once; in a loop, it has the key of the item
	 * @param type the type of the value
	 * @param action does the step and returns its value, which may be {@code null}
	 * @return the value
	 * @throws E if the action does
	 * @throws LeaseLostException if another worker may have the job; nothing was saved
	 * @throws IllegalStateException if the run has used the name before
	 */
	default <T extends @Nullable Object, E extends Exception> T step(String name, Class<T> type, Action<T, E> action)
			throws E {
		return step(Step.named(name), type, action);
	}

	/**
	 * Do a step once that had other names before.
	 * @see #step(String, Class, Action)
	 */
	<T extends @Nullable Object, E extends Exception> T step(Step step, Class<T> type, Action<T, E> action) throws E;

	/**
	 * Do a step once that has no value.
	 * @param <E> what the action throws
	 * @param name the name, which a run uses once
	 * @param action does the step
	 * @throws E if the action does
	 * @see #step(String, Class, Action)
	 */
	@SuppressWarnings("NullAway") // no value is null
	default <E extends Exception> void step(String name, Effect<E> action) throws E {
		step(Step.named(name), Void.class, () -> {
			action.run();
			return null;
		});
	}

	/**
	 * Do a step once whose effects are in the database of the application: they and the
	 * mark that the step is done are committed together. So it is done exactly once,
	 * whatever becomes of the process. The transaction is begun here and ends with the
	 * step. It needs a transaction manager and, if the jobs are in Redis, the property
	 * {@code jobs.outbox.enabled=true}. <pre class="code">{@code
	 * context.transactionalStep("reserve", () -> this.stock.reserve(order.lines()));
	 * }</pre>
	 * @param <T> the type of the value
	 * @param <E> what the action throws
	 * @param name the name, which a run uses once
	 * @param type the type of the value
	 * @param action does the step, in the transaction, and returns its value
	 * @return the value
	 * @throws E if the action does
	 * @throws LeaseLostException if another worker may have the job; the transaction was
	 * rolled back
	 * @throws IllegalStateException if there are no transactions that fit, or this one
	 * could not be committed
	 * @see #step(String, Class, Action)
	 */
	default <T extends @Nullable Object, E extends Exception> T transactionalStep(String name, Class<T> type,
			Action<T, E> action) throws E {
		return transactionalStep(Step.named(name), type, action);
	}

	/**
	 * Do a step in a transaction once that had other names before.
	 * @see #transactionalStep(String, Class, Action)
	 */
	<T extends @Nullable Object, E extends Exception> T transactionalStep(Step step, Class<T> type, Action<T, E> action)
			throws E;

	/**
	 * Do a step in a transaction once that has no value.
	 * @param <E> what the action throws
	 * @param name the name, which a run uses once
	 * @param action does the step
	 * @throws E if the action does
	 * @see #transactionalStep(String, Class, Action)
	 */
	@SuppressWarnings("NullAway") // no value is null
	default <E extends Exception> void transactionalStep(String name, Effect<E> action) throws E {
		transactionalStep(Step.named(name), Void.class, () -> {
			action.run();
			return null;
		});
	}

	/**
	 * Return how far the job has got, which is kept from one run to the next.
	 * <pre class="code">{@code
	 * Cursor<Long> line = context.cursor("line", Long.class, 0L);
	 * for (Row row : this.files.from(file, line.get())) {
	 *     this.rows.save(row);
	 *     line.moveTo(row.number());
	 *     if (context.shouldYield()) {
	 *         return JobResult.yield();
	 *     }
	 * }
	 * }</pre>
	 * @param <T> the type of a position
	 * @param name the name, which a run uses once
	 * @param type the type of a position
	 * @param first the position of a job that has not moved
	 */
	<T extends @Nullable Object> Cursor<T> cursor(String name, Class<T> type, T first);

	/**
	 * Sleep without a thread: the run ends here, and the job runs again, from its
	 * beginning, when the time is over. Then this returns at once. The end of the sleep
	 * is saved when it begins, so another duration in a later version changes nothing. No
	 * attempt is used. The run ends by an error that the handler must let through.
	 * @param name the name, which a run uses once
	 * @param duration how long
	 */
	void sleep(String name, Duration duration);

	/**
	 * Return whether a long run should give its job back by {@link JobResult#yield()}:
	 * the worker is stopping, as for a deployment, or the run should end for another
	 * reason.
	 */
	boolean shouldYield();

	/**
	 * A step with a value.
	 *
	 * @param <T> the type of the value
	 * @param <E> what it throws
	 */
	@FunctionalInterface
	interface Action<T extends @Nullable Object, E extends Exception> {

		/**
		 * Do the step.
		 * @return its value
		 * @throws E if it fails
		 */
		T run() throws E;

	}

	/**
	 * A step without a value.
	 *
	 * @param <E> what it throws
	 */
	@FunctionalInterface
	interface Effect<E extends Exception> {

		/**
		 * Do the step.
		 * @throws E if it fails
		 */
		void run() throws E;

	}

}
