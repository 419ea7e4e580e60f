package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs, and acts on those that the caller has enqueued. Business code injects
 * this type; {@link dev.jobs.operations.JobOperations} is for operators. Safe for use by
 * many threads.
 * <p>
 * A text as the first argument is always the name of a job. A job whose payload is a text
 * is enqueued by its name too, or with {@link JobRequest#ofPayload(Object)}.
 * <p>
 * An enqueue is one atomic write: when a method returns, the job is stored; when it
 * throws, nothing is. There are two exceptions:
 * <ul>
 * <li>Within a Spring transaction a job is stored with the transaction if the store
 * shares its database. Otherwise it is stored after the commit, and until then the
 * outcome is {@link Enqueued.Outcome#DEFERRED}. After a rollback it is not stored at all.
 * A failure after the commit is reported by {@link JobEvent.EnqueueFailed}.</li>
 * <li>If the store may have taken a job but does not answer,
 * {@link EnqueueUnconfirmedException} is thrown.</li>
 * </ul>
 * <pre class="code">{@code
 * jobs.enqueue(mail);
 * jobs.enqueue(mail, (options) -> options.delay(Duration.ofMinutes(10)).unique("order-7"));
 * jobs.enqueue("send-email", mail, (options) -> options.tags("customer:42"));
 * jobs.enqueueAll(mails);
 * Enqueued enqueued = jobs.tryEnqueue(mail);
 * }</pre>
 */
public interface JobClient {

	/**
	 * Enqueue a job by its payload's type, which has a {@link JobType} or is the payload
	 * of exactly one handler of this application.
	 * @return what happened
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	default Enqueued enqueue(Object payload) {
		return enqueue(JobRequest.from(payload));
	}

	/**
	 * Enqueue a job by its payload's type, such as
	 * {@code jobs.enqueue(mail, options -> options.delay(ofMinutes(10)).unique("order-7"))}.
	 * @param payload the payload
	 * @param options sets how to enqueue it
	 * @return what happened
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	default Enqueued enqueue(Object payload, Consumer<EnqueueOptions.Builder> options) {
		return enqueue(JobRequest.from(payload).options(options));
	}

	/**
	 * Enqueue a job without payload by its name.
	 * @param name the logical name
	 * @return what happened
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	default Enqueued enqueue(String name) {
		return enqueue(JobRequest.named(name));
	}

	/**
	 * Enqueue a job without payload by its name.
	 * @param name the logical name
	 * @param options sets how to enqueue it; {@code null} sets nothing
	 * @return what happened
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	default Enqueued enqueue(String name, @Nullable Consumer<EnqueueOptions.Builder> options) {
		JobRequest request = JobRequest.named(name);
		return enqueue((options != null) ? request.options(options) : request);
	}

	/**
	 * Enqueue a job by its name.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @return what happened
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	default Enqueued enqueue(String name, @Nullable Object payload) {
		return enqueue(JobRequest.named(name).payload(payload));
	}

	/**
	 * Enqueue a job by its name.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @param options sets how to enqueue it
	 * @return what happened
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	default Enqueued enqueue(String name, @Nullable Object payload, Consumer<EnqueueOptions.Builder> options) {
		return enqueue(JobRequest.named(name).payload(payload).options(options));
	}

	/**
	 * Enqueue a job, waiting for room as its options say.
	 * @return what happened
	 * @throws JobRejectedException if the queue or lane is full or the client is closing
	 * @throws JobStoreException if the store is out of reach or refuses the job; nothing
	 * was stored
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	Enqueued enqueue(JobRequest request);

	/**
	 * Enqueue many jobs with few round trips. Each job is stored fully or not at all;
	 * jobs for a full queue are reported as {@link Enqueued.Outcome#FULL} instead of
	 * waiting. They are written in steps of some hundred; if a step fails, the steps
	 * before it stay and the steps after it are not tried.
	 * @param jobs payloads, whose types have names, and {@linkplain JobRequest requests},
	 * in any mix; no texts, since a text may be a name or a payload
	 * @return what happened, in the order of the jobs
	 * @throws IllegalArgumentException if a job is not valid, with its index; none is
	 * stored then
	 * @throws JobRejectedException if the client is closing
	 * @throws JobStoreException if the store is out of reach or refuses some jobs; these
	 * and those after them are not stored
	 * @throws EnqueueUnconfirmedException if it is unknown whether some jobs are stored,
	 * with their ids
	 */
	List<Enqueued> enqueueAll(Collection<?> jobs);

	/**
	 * Enqueue many jobs with common options. A request keeps what it has set itself,
	 * including its unique key and its time; tags and headers are added.
	 * @param jobs payloads and requests, as in {@link #enqueueAll(Collection)}
	 * @param options sets how to enqueue each of them
	 * @return what happened, in the order of the jobs
	 * @throws JobException as {@link #enqueueAll(Collection)} does
	 */
	default List<Enqueued> enqueueAll(Collection<?> jobs, Consumer<EnqueueOptions.Builder> options) {
		return enqueueAll(jobs.stream().map((job) -> JobRequest.from(job).orElse(options)).toList());
	}

	/**
	 * Enqueue a job by its payload's type unless its queue or lane is full, without
	 * waiting.
	 * @return what happened; {@link Enqueued.Outcome#FULL} if the queue or lane was full
	 * and nothing was stored
	 * @throws JobException as {@link #tryEnqueue(JobRequest)} does
	 */
	default Enqueued tryEnqueue(Object payload) {
		return tryEnqueue(JobRequest.from(payload));
	}

	/**
	 * Enqueue a job by its payload's type unless its queue or lane is full, without
	 * waiting.
	 * @param payload the payload
	 * @param options sets how to enqueue it
	 * @return what happened; {@link Enqueued.Outcome#FULL} if nothing was stored
	 * @throws JobException as {@link #tryEnqueue(JobRequest)} does
	 */
	default Enqueued tryEnqueue(Object payload, Consumer<EnqueueOptions.Builder> options) {
		return tryEnqueue(JobRequest.from(payload).options(options));
	}

	/**
	 * Enqueue a job without payload by its name unless its queue or lane is full, without
	 * waiting.
	 * @param name the logical name
	 * @return what happened; {@link Enqueued.Outcome#FULL} if nothing was stored
	 * @throws JobException as {@link #tryEnqueue(JobRequest)} does
	 */
	default Enqueued tryEnqueue(String name) {
		return tryEnqueue(JobRequest.named(name));
	}

	/**
	 * Enqueue a job without payload by its name unless its queue or lane is full, without
	 * waiting.
	 * @param name the logical name
	 * @param options sets how to enqueue it; {@code null} sets nothing
	 * @return what happened; {@link Enqueued.Outcome#FULL} if nothing was stored
	 * @throws JobException as {@link #tryEnqueue(JobRequest)} does
	 */
	default Enqueued tryEnqueue(String name, @Nullable Consumer<EnqueueOptions.Builder> options) {
		JobRequest request = JobRequest.named(name);
		return tryEnqueue((options != null) ? request.options(options) : request);
	}

	/**
	 * Enqueue a job by its name unless its queue or lane is full, without waiting.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @return what happened; {@link Enqueued.Outcome#FULL} if nothing was stored
	 * @throws JobException as {@link #tryEnqueue(JobRequest)} does
	 */
	default Enqueued tryEnqueue(String name, @Nullable Object payload) {
		return tryEnqueue(JobRequest.named(name).payload(payload));
	}

	/**
	 * Enqueue a job by its name unless its queue or lane is full, without waiting.
	 * @param name the logical name
	 * @param payload the payload, or {@code null} for none
	 * @param options sets how to enqueue it
	 * @return what happened; {@link Enqueued.Outcome#FULL} if nothing was stored
	 * @throws JobException as {@link #tryEnqueue(JobRequest)} does
	 */
	default Enqueued tryEnqueue(String name, @Nullable Object payload, Consumer<EnqueueOptions.Builder> options) {
		return tryEnqueue(JobRequest.named(name).payload(payload).options(options));
	}

	/**
	 * Enqueue a job unless its queue or lane is full, without waiting. Within a
	 * transaction a job that waits for the commit is never reported as full.
	 * @return what happened; {@link Enqueued.Outcome#FULL} if the queue or lane was full
	 * and nothing was stored
	 * @throws JobRejectedException if the client is closing
	 * @throws JobStoreException if the store is out of reach or refuses the job; nothing
	 * was stored
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 */
	Enqueued tryEnqueue(JobRequest request);

	/**
	 * Enqueue a job, waiting a while for room if its queue or lane is full. Within a
	 * transaction a job that waits for the commit is never reported as full, and the wait
	 * follows the commit.
	 * @param request the job
	 * @param timeout how long to wait
	 * @return what happened; {@link Enqueued.Outcome#FULL} if the queue stayed full and
	 * nothing was stored
	 * @throws JobRejectedException if the client is closing
	 * @throws JobStoreException if the store is out of reach or refuses the job; nothing
	 * was stored
	 * @throws EnqueueUnconfirmedException if it is unknown whether the job is stored
	 * @throws InterruptedException if the thread is interrupted while it waits
	 */
	Enqueued tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException;

	/**
	 * Enqueue a job, wait for its end, and return what its handler returned. It costs no
	 * more calls to the store than an enqueue and the look at the result.
	 * <pre class="code">{@code
	 * Receipt receipt = jobs.call(new Charge(order), Receipt.class, Duration.ofSeconds(30));
	 * }</pre>
	 * @param <T> what the handler returns
	 * @param job a payload, whose type has a name, or a {@linkplain JobRequest request}
	 * @param type the type to read the value as; {@code Void} if it does not matter
	 * @param timeout how long to wait; when it is over, the job goes on, and its result
	 * can be asked for by its id for a minute more
	 * @return the value; {@code null} if the handler returned nothing
	 * @throws NoResultException if the job ended without a value
	 * @throws NotInTimeException if it has not ended in time
	 * @throws IllegalStateException within a transaction, and in a handler of the pool
	 * that runs the job, since the caller could wait for itself
	 * @throws InterruptedException if the thread is interrupted while it waits
	 * @throws JobException as {@link #enqueue(JobRequest)} does
	 */
	<T extends @Nullable Object> T call(Object job, Class<T> type, Duration timeout) throws InterruptedException;

	/**
	 * Wait for the end of a job, in any process, without a thread. Its handler must keep
	 * its result, or it was enqueued by {@link #call}.
	 * @param <T> what the handler returns
	 * @param id the id of the job
	 * @param type the type to read the value as; {@code Void} if it does not matter
	 * @return becomes the value, {@code null} if the handler returned nothing, or fails
	 * with a {@link NoResultException}. Cancel it to wait no longer; the job goes on
	 */
	<T extends @Nullable Object> CompletableFuture<T> completion(String id, Class<T> type);

	/**
	 * Return what the handler of a job returned, without waiting.
	 * @param <T> what the handler returns
	 * @param id the id of the job
	 * @param type the type to read the value as
	 * @return the value, or empty if the job has not ended or its handler returned
	 * nothing
	 * @throws NoResultException if the job ended without a value, or this is not kept
	 * @throws JobStoreException if the store is out of reach
	 */
	<T> Optional<T> result(String id, Class<T> type);

	/**
	 * Send a signal about a subject to all jobs that wait for it, now or later. The first
	 * one is kept for {@value #SIGNALS_KEPT_DAYS} days. Within a transaction that the
	 * store is part of, it is sent with the commit, and with another store after it.
	 * @param <T> the type of the value
	 * @param signal the signal
	 * @param subject what it is about
	 * @param value its value
	 * @return what became of it
	 * @throws JobStoreException if the store is out of reach
	 */
	<T> Signal.Sent send(Signal<T> signal, Object subject, T value);

	/** How many days a signal is kept. */
	int SIGNALS_KEPT_DAYS = 7;

	/**
	 * Look a job up. Within a transaction that the store is part of, this sees what that
	 * has enqueued. Otherwise a job whose enqueue returned
	 * {@link Enqueued.Outcome#DEFERRED} is not there before the commit.
	 * @return the job, or empty if there is none (any more)
	 * @throws JobStoreException if the store is out of reach
	 */
	Optional<Job> find(String id);

	/**
	 * Look up the job that holds a unique key among the jobs of its name. Only a key that
	 * was given as a text can be looked up, not one made by {@link Unique#byPayload()}.
	 * @param name the name of the job
	 * @param uniqueKey the key, as it was given to {@link Unique#byKey(String)}
	 * @return the job, or empty if no job holds the key
	 * @throws JobStoreException if the store is out of reach
	 */
	Optional<Job> findUnique(String name, String uniqueKey);

	/**
	 * End a job: a waiting job is removed; the handler of a running job is asked to end
	 * and interrupted. Within a transaction that the store is part of, this is committed
	 * or rolled back with it. Otherwise it takes effect at once, also if the transaction
	 * is rolled back, and a job that was {@link Enqueued.Outcome#DEFERRED} cannot be
	 * cancelled before the commit.
	 * @return {@code false} if there was nothing to cancel
	 * @throws JobStoreException if the store is out of reach
	 */
	boolean cancel(String id);

	/**
	 * Move the due time of a job that waits. In a transaction this does as
	 * {@link #cancel(String)} does.
	 * @param id its id
	 * @param dueAt the new due time
	 * @return {@code false} if no such job waits
	 * @throws JobStoreException if the store is out of reach
	 */
	boolean reschedule(String id, Instant dueAt);

}
