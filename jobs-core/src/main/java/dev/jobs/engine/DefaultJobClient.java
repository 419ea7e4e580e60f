package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.engine.enqueue.EnqueuePipe;
import org.jspecify.annotations.Nullable;

/**
 * The client. Enqueues go through the {@link EnqueuePipe}; what happens to the caller's
 * own jobs goes through {@link StoredJobs}.
 */
final class DefaultJobClient implements JobClient {

	private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

	private final EnqueuePipe pipe;

	private final StoredJobs stored;

	DefaultJobClient(EnqueuePipe pipe, StoredJobs stored) {
		this.pipe = pipe;
		this.stored = stored;
	}

	// --- enqueue

	@Override
	public Enqueued enqueue(JobRequest request) {
		Enqueued enqueued = enqueueOne(request, null);
		if (enqueued.isFull()) {
			throw new JobRejectedException("The queue of " + describe(request) + " is full", RETRY_AFTER);
		}
		return enqueued;
	}

	@Override
	public Enqueued tryEnqueue(JobRequest request) {
		return enqueueOne(request, Duration.ZERO);
	}

	@Override
	public Enqueued tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException {
		Enqueued enqueued = enqueueOne(request, timeout);
		if (enqueued.isFull() && Thread.interrupted()) {
			throw new InterruptedException("Interrupted while waiting for room in a full queue");
		}
		return enqueued;
	}

	@Override
	public List<Enqueued> enqueueAll(Collection<?> jobs) {
		return jobs.isEmpty() ? List.of()
				: this.pipe.enqueue(jobs.stream().map(JobRequest::from).toList(), Duration.ZERO);
	}

	private Enqueued enqueueOne(JobRequest request, @Nullable Duration wait) {
		return this.pipe.enqueue(List.of(request), wait).get(0);
	}

	private static String describe(JobRequest request) {
		return (request.getName() != null) ? "'" + request.getName() + "'"
				: String.valueOf((request.getPayload() != null) ? request.getPayload().getClass() : null);
	}

	// --- acts on what the caller has enqueued

	@Override
	public Optional<Job> find(String id) {
		return this.stored.find(id);
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
