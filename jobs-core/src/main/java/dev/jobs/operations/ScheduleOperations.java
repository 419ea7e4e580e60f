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
	 * Create the schedule, or change it to this description. An equal description changes
	 * nothing, and the latest tick stays. A new or changed schedule ticks from now on and
	 * makes up for nothing. Within a transaction that the store can join, this becomes
	 * part of it.
	 * <p>
	 * If the application declares the schedule, this is an override: its workers follow
	 * it until it is dropped, or until the application declares the schedule with another
	 * expression or zone. The job must have the same name as before.
	 * @param schedule describes it
	 * @return what was done
	 * @throws IllegalArgumentException if it is not valid, or never ticks
	 * @throws IllegalStateException if its jobs have another name
	 */
	default Put put(Consumer<? super ScheduleRequest.Builder> schedule) {
		return put(ScheduleRequest.of(schedule));
	}

	/**
	 * Create the schedule, or change it to this description.
	 * @param schedule describes it
	 * @return what was done
	 */
	Put put(ScheduleRequest schedule);

	/**
	 * Return what was put, to {@linkplain ScheduleRequest#with change} and put again. The
	 * payload of the job is bytes.
	 * @return the request, or empty if nothing was put or this process cannot read it
	 */
	Optional<ScheduleRequest> request();

	/**
	 * Forget the schedule or, if it is an override, return to the application's own. It
	 * stops ticking; a schedule that is put later under this name is new. The jobs that
	 * it has enqueued stay.
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
	 * The result of a put.
	 */
	enum Put {

		/** There was no such schedule. */
		NEW,

		/** It was changed. */
		CHANGED,

		/** It was equal already. */
		UNCHANGED

	}

}
