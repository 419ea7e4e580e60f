package dev.jobs.autoconfigure;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.Deaths;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobOperations;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import dev.jobs.JobCount;
import dev.jobs.QueueHistory;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.StoreStatus;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;

/**
 * The operations of an engine that is built when they are first used, so that handlers,
 * interceptors and listeners may have them injected, although the engine needs them.
 */
class EngineJobOperations implements JobOperations {

	private final Supplier<JobOperations> operations;

	EngineJobOperations(Supplier<JobOperations> operations) {
		this.operations = operations;
	}

	@Override
	public List<QueueStatus> queues() {
		return this.operations.get().queues();
	}

	@Override
	public List<WorkerStatus> workers() {
		return this.operations.get().workers();
	}

	@Override
	public List<ScheduleStatus> schedules() {
		return this.operations.get().schedules();
	}

	@Override
	public List<ScheduleStatus.Run> runs(String schedule) {
		return this.operations.get().runs(schedule);
	}

	@Override
	public StoreStatus store() {
		return this.operations.get().store();
	}

	@Override
	public List<StoreStatus.Fault> faults() {
		return this.operations.get().faults();
	}

	@Override
	public List<QueueHistory> history(Set<String> queues, Instant from, Instant to, Duration step) {
		return this.operations.get().history(queues, from, to, step);
	}

	@Override
	public Optional<Job> find(String id) {
		return this.operations.get().find(id);
	}

	@Override
	public WaitReason waitReason(Job job) {
		return this.operations.get().waitReason(job);
	}

	@Override
	public JobPage page(JobFilter filter, PageRequest request) {
		return this.operations.get().page(filter, request);
	}

	@Override
	public JobCount count(JobFilter filter, int bound) {
		return this.operations.get().count(filter, bound);
	}

	@Override
	public Deaths deaths(JobFilter filter) {
		return this.operations.get().deaths(filter);
	}

	@Override
	public boolean cancel(String id) {
		return this.operations.get().cancel(id);
	}

	@Override
	public boolean delete(String id) {
		return this.operations.get().delete(id);
	}

	@Override
	public boolean reschedule(String id, Instant dueAt) {
		return this.operations.get().reschedule(id, dueAt);
	}

	@Override
	public boolean retry(String id) {
		return this.operations.get().retry(id);
	}

	@Override
	public int retryAll(JobFilter filter, Consumer<String> changed) {
		return this.operations.get().retryAll(filter, changed);
	}

	@Override
	public int deleteAll(JobFilter filter, Consumer<String> changed) {
		return this.operations.get().deleteAll(filter, changed);
	}

	@Override
	public int cancelAll(JobFilter filter, Consumer<String> changed) {
		return this.operations.get().cancelAll(filter, changed);
	}

	@Override
	public void pause(String name) {
		this.operations.get().pause(name);
	}

	@Override
	public void resume(String name) {
		this.operations.get().resume(name);
	}

	@Override
	public void limit(String name, int maxRunning) {
		this.operations.get().limit(name, maxRunning);
	}

	@Override
	public void removeLimit(String name) {
		this.operations.get().removeLimit(name);
	}

	@Override
	public void pauseSchedule(String schedule) {
		this.operations.get().pauseSchedule(schedule);
	}

	@Override
	public void resumeSchedule(String schedule) {
		this.operations.get().resumeSchedule(schedule);
	}

	@Override
	public Optional<Enqueued> trigger(String schedule) {
		return this.operations.get().trigger(schedule);
	}

	@Override
	public void purge() {
		this.operations.get().purge();
	}

}
