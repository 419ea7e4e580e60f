package dev.jobs.engine.result;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.jobs.Enqueued;
import dev.jobs.JobException;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.NotInTimeException;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.serialization.PayloadSerializer;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;

/**
 * Serves callers who want what a job returns.
 *
 * @param pipe takes their enqueues
 * @param results tells how jobs ended
 * @param serializer reads results
 * @param host the engine
 */
public record Callers(EnqueuePipe pipe, Results results, PayloadSerializer serializer, Host host) {

	private static final Duration LONGEST_WAIT = Duration.ofDays(365);

	/** A result stays for a while after the wait, for those who ask again. */
	private static final Duration AFTER_WAIT = Duration.ofMinutes(1);

	/**
	 * Enqueue a job and wait for what it returns.
	 */
	public <T extends @Nullable Object> T call(JobRequest request, Class<T> type, Duration patience)
			throws InterruptedException {
		Duration timeout = (patience.compareTo(LONGEST_WAIT) < 0) ? patience : LONGEST_WAIT;
		if (timeout.isNegative() || timeout.isZero()) {
			throw new IllegalArgumentException("'timeout' must be positive but was " + timeout);
		}
		if (!request.getOptions().isIgnoreTransaction() && this.host.isInTransaction()) {
			throw new IllegalStateException(
					"A call within a transaction would wait for a job that is not stored before "
							+ "the commit; call it after the transaction, or with the option ignoreTransaction");
		}
		JobRequest awaited = request
			.options((set) -> set.header(Keeping.HEADER, Keeping.header(timeout.plus(AFTER_WAIT))));
		this.results.open();
		Call call = new Call();
		try {
			Enqueued enqueued = this.pipe.enqueue(awaited, (job) -> {
				requireOtherPool(job.name());
				call.await(this.results, job.id(), true);
			});
			this.pipe.requireRoom(enqueued, request);
			if (enqueued.outcome() == Enqueued.Outcome.STOPPED) {
				throw new JobRejectedException("An interceptor stopped the job, so nobody can wait for it",
						Duration.ZERO);
			}
			if (enqueued.id().equals(call.job)) {
				this.results.stored(call.job);
			}
			else {
				call.await(this.results, enqueued.id(), false);
			}
			this.host.workByHand();
			return call.end(timeout).value(type, this.serializer);
		}
		finally {
			call.end.cancel(false);
		}
	}

	private void requireOtherPool(String name) {
		if (this.host.isOnThreadOfPoolFor(name)) {
			throw new IllegalStateException("A job that calls '" + name + "' holds a thread of the pool that runs '"
					+ name + "', so jobs could wait for each other for ever; give '" + name
					+ "' a pool of its own, or enqueue it without waiting");
		}
	}

	/**
	 * Return what becomes the value that a job returns.
	 */
	public <T extends @Nullable Object> CompletableFuture<T> completion(String id, Class<T> type) {
		CompletableFuture<JobEnd> end = this.results.await(id, false);
		CompletableFuture<T> completion = end.thenApplyAsync((found) -> found.value(type, this.serializer));
		completion.whenComplete((value, ex) -> end.cancel(false));
		return completion;
	}

	/**
	 * Return what a job has returned, without waiting.
	 */
	public <T> Optional<T> result(String id, Class<T> type, JobInspector inspector) {
		JobEnd end = this.results.now(id, inspector);
		return (end != null) ? Optional.<T>ofNullable(end.value(type, this.serializer)) : Optional.empty();
	}

	/**
	 * The engine, as far as its callers need it.
	 */
	public interface Host {

		/**
		 * Return whether the calling thread has a transaction.
		 */
		boolean isInTransaction();

		/**
		 * Return whether the calling thread runs a job in a pool that runs others of a
		 * name.
		 */
		boolean isOnThreadOfPoolFor(String name);

		/**
		 * Run what is due if the engine works by hand only.
		 */
		void workByHand();

	}

	/**
	 * The end that a call waits for.
	 */
	private static final class Call {

		private String job = "";

		private CompletableFuture<JobEnd> end = new CompletableFuture<>();

		void await(Results results, String job, boolean isNew) {
			this.end.cancel(false);
			this.job = job;
			this.end = results.await(job, isNew);
		}

		JobEnd end(Duration timeout) throws InterruptedException {
			try {
				return this.end.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
			}
			catch (TimeoutException ex) {
				throw new NotInTimeException("Job " + this.job + " has not ended within " + timeout
						+ "; it goes on, and its result can be asked for by its id", this.job);
			}
			catch (ExecutionException ex) {
				throw (JobException) ex.getCause();
			}
		}

	}

}
