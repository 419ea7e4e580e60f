package dev.jobs.autoconfigure;

import java.util.List;
import java.util.function.Supplier;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.operations.SingleJobOperations;
import dev.jobs.operations.StoreOperations;
import dev.jobs.operations.WorkerOperations;

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
	public QueueOperations queue(String name) {
		return this.operations.get().queue(name);
	}

	@Override
	public List<WorkerStatus> workers() {
		return this.operations.get().workers();
	}

	@Override
	public WorkerOperations worker(String id) {
		return this.operations.get().worker(id);
	}

	@Override
	public List<ScheduleStatus> schedules() {
		return this.operations.get().schedules();
	}

	@Override
	public ScheduleOperations schedule(String name) {
		return this.operations.get().schedule(name);
	}

	@Override
	public SelectionOperations jobs(JobFilter filter) {
		return this.operations.get().jobs(filter);
	}

	@Override
	public SingleJobOperations job(String id) {
		return this.operations.get().job(id);
	}

	@Override
	public WaitReason waitReason(Job job) {
		return this.operations.get().waitReason(job);
	}

	@Override
	public StoreOperations store() {
		return this.operations.get().store();
	}

}
