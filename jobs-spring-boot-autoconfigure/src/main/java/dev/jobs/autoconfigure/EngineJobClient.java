package dev.jobs.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
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
	public List<Enqueued> enqueueAll(Collection<JobRequest> requests) {
		return this.client.get().enqueueAll(requests);
	}

	@Override
	public boolean tryEnqueue(JobRequest request) {
		return this.client.get().tryEnqueue(request);
	}

	@Override
	public boolean tryEnqueue(JobRequest request, Duration timeout) throws InterruptedException {
		return this.client.get().tryEnqueue(request, timeout);
	}

	@Override
	public Optional<Job> find(String id) {
		return this.client.get().find(id);
	}

	@Override
	public boolean cancel(String id) {
		return this.client.get().cancel(id);
	}

	@Override
	public boolean delete(String id) {
		return this.client.get().delete(id);
	}

	@Override
	public boolean reschedule(String id, Instant dueAt) {
		return this.client.get().reschedule(id, dueAt);
	}

	@Override
	public boolean retry(String id) {
		return this.client.get().retry(id);
	}

	@Override
	public int retryAll(JobFilter filter, Consumer<String> changed) {
		return this.client.get().retryAll(filter, changed);
	}

	@Override
	public int deleteAll(JobFilter filter, Consumer<String> changed) {
		return this.client.get().deleteAll(filter, changed);
	}

	@Override
	public int cancelAll(JobFilter filter, Consumer<String> changed) {
		return this.client.get().cancelAll(filter, changed);
	}

	@Override
	public void pause(String name) {
		this.client.get().pause(name);
	}

	@Override
	public void resume(String name) {
		this.client.get().resume(name);
	}

	@Override
	public void limit(String name, int maxRunning) {
		this.client.get().limit(name, maxRunning);
	}

	@Override
	public void pauseSchedule(String schedule) {
		this.client.get().pauseSchedule(schedule);
	}

	@Override
	public void resumeSchedule(String schedule) {
		this.client.get().resumeSchedule(schedule);
	}

	@Override
	public void purge() {
		this.client.get().purge();
	}

}
