package dev.jobs.operations;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.JobRejectedException;
import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleStatus;
import dev.jobs.UnknownNameException;

/**
 * Shows a schedule and acts on it, on all workers. An action on a schedule that neither
 * the store nor this application knows throws an {@link UnknownNameException}.
 */
public interface ScheduleOperations {

	/**
	 * Return the status of the schedule.
	 * @return its status, or empty if the store does not know it
	 */
	Optional<ScheduleStatus> status();

	/**
	 * Return what became of its latest ticks. Each is looked up with a call to the store.
	 * @return the runs, latest first; empty if the store does not know the schedule
	 */
	List<ScheduleStatus.Run> runs();

	/**
	 * Fire no more of its ticks. Jobs that it has enqueued, and other jobs of the same
	 * name, run as before.
	 */
	void pause();

	/**
	 * Fire its ticks again, from the next one on. Ticks that were due meanwhile are not
	 * made up for, whatever the misfire rule.
	 */
	void resume();

	/**
	 * Create the schedule, or change it to what is described here. The same again changes
	 * nothing, and its latest tick stays. One that is new or changes ticks from now on,
	 * and makes up for nothing. Within a transaction that the store can join, it becomes
	 * part of that.
	 * <p>
	 * Over a schedule of the application this is an override: workers of that application
	 * go by it until it is dropped, or until the application declares the schedule with
	 * another expression or zone. The job must have the same name as before.
	 * @param schedule describes it
	 * @return what was done
	 * @throws IllegalArgumentException if it is not valid, or never ticks
	 * @throws IllegalStateException if its jobs have another name
	 */
	default Put put(Consumer<? super ScheduleRequest.Builder> schedule) {
		return put(ScheduleRequest.of(schedule));
	}

	/**
	 * Create the schedule, or change it to what is described here.
	 * @param schedule describes it
	 * @return what was done
	 */
	Put put(ScheduleRequest schedule);

	/**
	 * Return what was put, to {@linkplain ScheduleRequest#with change} and put again. The
	 * payload of the job is bytes.
	 * @return what was put, or empty if nothing was or if it cannot be read here
	 */
	Optional<ScheduleRequest> request();

	/**
	 * Forget the schedule, or, if it is an override, go by the application again. It
	 * ticks no more, also if its expression comes back later: one that is put then is
	 * new. What it has enqueued stays.
	 * @throws IllegalStateException if the application declares it and there is no
	 * override
	 */
	void drop();

	/**
	 * Enqueue its job now, beside its ticks. It has the payload of the ticks, and all
	 * rules of an enqueue apply.
	 * @return what happened
	 * @throws IllegalStateException if another application defines the schedule
	 * @throws JobRejectedException if the queue is full or the client is closing
	 */
	Enqueued runNow();

	/**
	 * What a put did.
	 */
	enum Put {

		/** There was no such schedule. */
		NEW,

		/** It was another before. */
		CHANGED,

		/** It was the same before. */
		UNCHANGED

	}

}
