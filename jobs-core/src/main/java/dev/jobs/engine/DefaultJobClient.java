package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.Signal;
import dev.jobs.engine.enqueue.EnqueuePipe;
import dev.jobs.engine.result.Callers;
import dev.jobs.engine.result.SignalSender;
import org.jspecify.annotations.Nullable;

/**
 * The client. Enqueues go through the {@link EnqueuePipe}; actions on the caller's own
 * jobs go through {@link StoredJobs}; results come through {@link Callers}.
 */
record DefaultJobClient(EnqueuePipe pipe, StoredJobs stored, Callers callers,
		SignalSender signals) implements JobClient {

	private static final String RESERVED = "jobs.";

	/** The reserved headers that options set. */
	private static final Set<String> OF_OPTIONS = Set.of(Job.TAGS_HEADER, Job.LANE_HEADER, Job.URGENCY_HEADER,
			Job.EXPIRES_HEADER, Job.DEADLINE_HEADER, Job.ON_EXPIRY_HEADER, Job.THROTTLE_HEADER);

	// --- enqueue

	@Override
	public Enqueued enqueue(JobRequest request) {
		return enqueueOwn(requireFree(request));
	}

	/**
	 * Enqueue a job that may have reserved headers, which only Jobs sets.
	 */
	Enqueued enqueueOwn(JobRequest request) {
		Enqueued enqueued = enqueueOne(request, null);
		this.pipe.requireRoom(enqueued, request);
		return enqueued;
	}

	@Override
	public Enqueued tryEnqueue(JobRequest request) {
		return enqueueOne(requireFree(request), Duration.ZERO);
	}

	@Override
	public Enqueued tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException {
		Enqueued enqueued = enqueueOne(requireFree(request), timeout);
		if (enqueued.isFull() && Thread.interrupted()) {
			throw new InterruptedException("Interrupted while waiting for room in a full queue");
		}
		return enqueued;
	}

	@Override
	public List<Enqueued> enqueueAll(Collection<?> jobs) {
		List<JobRequest> requests = new ArrayList<>(jobs.size());
		for (Object job : jobs) {
			Objects.requireNonNull(job, () -> "Element " + requests.size() + " of the jobs is null");
			requests.add(requireFree(JobRequest.from(job)));
		}
		return requests.isEmpty() ? List.of() : this.pipe.enqueue(requests, Duration.ZERO);
	}

	/**
	 * Require that a request has no reserved header, which only Jobs sets.
	 */
	static JobRequest requireFree(JobRequest request) {
		for (String header : request.getOptions().getHeaders().keySet()) {
			if (header.startsWith(RESERVED) && !OF_OPTIONS.contains(header)) {
				throw new IllegalArgumentException(
						"The header '%s' is not valid: names that begin with '%s' are reserved"
							.formatted(header.replaceAll("\\p{Cntrl}", "?"), RESERVED));
			}
		}
		return request;
	}

	private Enqueued enqueueOne(JobRequest request, @Nullable Duration wait) {
		return this.pipe.enqueue(List.of(request), wait).get(0);
	}

	// --- results and signals

	@Override
	public <T extends @Nullable Object> T call(Object job, Class<T> type, Duration timeout)
			throws InterruptedException {
		return this.callers.call(requireFree(JobRequest.from(job)), type, timeout);
	}

	@Override
	public <T extends @Nullable Object> CompletableFuture<T> completion(String id, Class<T> type) {
		return this.callers.completion(id, type);
	}

	@Override
	public <T> Optional<T> result(String id, Class<T> type) {
		return this.callers.result(id, type, this.stored.inspector());
	}

	@Override
	public <T> Signal.Sent send(Signal<T> signal, Object subject, T value) {
		return this.signals.send(signal, subject, value);
	}

	// --- actions on the caller's own jobs

	@Override
	public Optional<Job> find(String id) {
		return this.stored.find(id);
	}

	@Override
	public Optional<Job> findUnique(String name, String uniqueKey) {
		return this.stored.findUnique(name, uniqueKey);
	}

	@Override
	public boolean cancel(String id) {
		return this.stored.cancel(id);
	}

	@Override
	public boolean reschedule(String id, Instant dueAt) {
		return this.stored.reschedule(id, dueAt);
	}

}
