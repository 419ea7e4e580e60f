package dev.jobs.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobRequest;

import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * The client of an engine that is built when the client is first used, or after all beans
 * were created. So handlers, interceptors and listeners may have the client injected,
 * although the engine needs them.
 */
class EngineJobClient implements JobClient, SmartInitializingSingleton {

	private final Supplier<JobClient> client;

	EngineJobClient(Supplier<JobClient> client) {
		this.client = client;
	}

	/**
	 * Get hold of the engine's client now, so that a first use after the application has
	 * ended is refused.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		this.client.get();
	}

	@Override
	public Enqueued enqueue(JobRequest request) {
		return this.client.get().enqueue(request);
	}

	@Override
	public List<Enqueued> enqueueAll(Collection<?> jobs) {
		return this.client.get().enqueueAll(jobs);
	}

	@Override
	public Enqueued tryEnqueue(JobRequest request) {
		return this.client.get().tryEnqueue(request);
	}

	@Override
	public Enqueued tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException {
		return this.client.get().tryEnqueue(request, timeout);
	}

	@Override
	public Optional<Job> find(String id) {
		return this.client.get().find(id);
	}

	@Override
	public Optional<Job> findUnique(String name, String uniqueKey) {
		return this.client.get().findUnique(name, uniqueKey);
	}

	@Override
	public boolean cancel(String id) {
		return this.client.get().cancel(id);
	}

	@Override
	public boolean reschedule(String id, Instant dueAt) {
		return this.client.get().reschedule(id, dueAt);
	}

}
