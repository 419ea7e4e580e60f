package dev.jobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;

import dev.jobs.EnqueueOptions;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Urgency;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.LaneSettingsView;
import org.jspecify.annotations.Nullable;

/**
 * Something an operator changes. {@link OfJob#effectIn} defines, once for all stores,
 * what a change does to a job in each state.
 */
public sealed interface Change {

	/**
	 * Pass this change to the method for its kind.
	 * @param <R> what a change results in
	 * @param changes what to do for each kind
	 * @return what came of it
	 */
	<R> R applyTo(Changes<R> changes);

	/**
	 * A change of one job. One that does not exist is not found.
	 */
	sealed interface OfJob extends Change {

		/**
		 * Return which job is changed.
		 */
		String id();

		/**
		 * Return what this change does to a job.
		 * @param state the state of the job; one whose due time has come is ready
		 */
		Effect effectIn(JobState state);

		@Override
		default <R> R applyTo(Changes<R> changes) {
			return changes.ofJob(this);
		}

	}

	/**
	 * A change of one queue. Each change of its settings gives these the next version.
	 */
	sealed interface OfQueue extends Change {

		/**
		 * Return which queue is changed.
		 */
		String queue();

	}

	/**
	 * End a job. One that waits is removed; for one that runs, the request is noted,
	 * again if need be, and its worker is signalled. Other states are refused.
	 *
	 * @param id the job
	 */
	record Cancel(String id) implements OfJob {

		@Override
		public Effect effectIn(JobState state) {
			return switch (state) {
				case SCHEDULED, READY, WAITING -> Effect.REMOVED;
				case RUNNING -> Effect.CANCEL_REQUESTED;
				case DEAD, SUCCEEDED, CANCELLED -> Effect.REFUSED;
			};
		}

	}

	/**
	 * Remove a job and free its unique key. A running one is refused.
	 *
	 * @param id the job
	 */
	record Delete(String id) implements OfJob {

		@Override
		public Effect effectIn(JobState state) {
			return switch (state) {
				case SCHEDULED, READY, WAITING, DEAD, SUCCEEDED, CANCELLED -> Effect.REMOVED;
				case RUNNING -> Effect.REFUSED;
			};
		}

	}

	/**
	 * Remove a value that a job has saved, which is not found if it has saved nothing by
	 * this name. A running job is refused.
	 *
	 * @param id the job
	 * @param name the name of the value
	 */
	record ForgetSaved(String id, String name) implements OfJob {

		@Override
		public Effect effectIn(JobState state) {
			return (state == JobState.RUNNING) ? Effect.REFUSED : Effect.SAVED_FORGOTTEN;
		}

	}

	/**
	 * Move the due time of a scheduled or ready job; other states are refused. A ready
	 * job that stays ready keeps its place.
	 *
	 * @param id the job
	 * @param dueAt the new due time; one that is not after now makes it ready
	 */
	record Reschedule(String id, Instant dueAt) implements OfJob {

		@Override
		public Effect effectIn(JobState state) {
			return switch (state) {
				case SCHEDULED, READY -> Effect.MOVED;
				case WAITING, RUNNING, DEAD, SUCCEEDED, CANCELLED -> Effect.REFUSED;
			};
		}

	}

	/**
	 * Make a dead job ready again, with its {@linkplain TrailBuilder#retried trail
	 * started over}, or a scheduled or waiting one due now. It takes its unique key
	 * again, except with the mode {@code UNTIL_STARTED} or if the time of the key is
	 * over; if another job holds the key, the retry is refused. A ready job stays as it
	 * is and returns {@link Changed#DONE}; other states are refused.
	 *
	 * @param id the job
	 */
	record Retry(String id) implements OfJob {

		@Override
		public Effect effectIn(JobState state) {
			return switch (state) {
				case SCHEDULED, WAITING -> Effect.MOVED;
				case READY -> Effect.NONE;
				case DEAD -> Effect.REVIVED;
				case RUNNING, SUCCEEDED, CANCELLED -> Effect.REFUSED;
			};
		}

	}

	/**
	 * Give a job that waits another payload; other states are refused. The job keeps its
	 * place, its headers and its unique key.
	 *
	 * @param id the job
	 * @param payload the payload
	 */
	record ReplacePayload(String id, byte[] payload) implements OfJob {

		@Override
		public Effect effectIn(JobState state) {
			return switch (state) {
				case SCHEDULED, READY, WAITING -> Effect.PAYLOAD_REPLACED;
				case RUNNING, DEAD, SUCCEEDED, CANCELLED -> Effect.REFUSED;
			};
		}

	}

	/**
	 * Give a job that waits another urgency or another lane; other states are refused. A
	 * ready job takes the place that it then has by its due time or, if its urgency is
	 * normal and it has no lane, the last one. One that kept the place of a lane gives it
	 * up if it gets another lane.
	 *
	 * @param id the job
	 * @param header {@link Job#URGENCY_HEADER} or {@link Job#LANE_HEADER}
	 * @param value its value, or {@code null} for none
	 */
	record SetStanding(String id, String header, @Nullable String value) implements OfJob {

		public SetStanding {
			if (value != null) {
				EnqueueOptions.of((set) -> set.header(header, value));
			}
		}

		/**
		 * Create the change that gives a job another urgency.
		 */
		public static SetStanding urgency(String id, Urgency urgency) {
			return new SetStanding(id, Job.URGENCY_HEADER, (urgency != Urgency.NORMAL) ? urgency.text() : null);
		}

		/**
		 * Create the change that gives a job another lane.
		 * @param lane the lane, or {@code null} for none
		 */
		public static SetStanding lane(String id, @Nullable String lane) {
			return new SetStanding(id, Job.LANE_HEADER, lane);
		}

		@Override
		public Effect effectIn(JobState state) {
			return switch (state) {
				case SCHEDULED, READY, WAITING -> Effect.STANDING_SET;
				case RUNNING, DEAD, SUCCEEDED, CANCELLED -> Effect.REFUSED;
			};
		}

		/**
		 * Return the headers that the job has then.
		 * @param headers those it has
		 * @return the changed headers
		 */
		public Map<String, String> changed(Map<String, String> headers) {
			Map<String, String> changed = new TreeMap<>(headers);
			changed.remove(this.header);
			if (this.value != null) {
				changed.put(this.header, this.value);
			}
			return changed;
		}

	}

	/**
	 * Stop handing out jobs of a queue. A queue that does not exist yet is created and
	 * exists until it is forgotten.
	 *
	 * @param queue the queue
	 * @param by who pauses it, or {@code null} if that is not known
	 */
	record Pause(String queue, @Nullable String by) implements OfQueue {

		public Pause(String queue) {
			this(queue, null);
		}

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.pause(this);
		}

	}

	/**
	 * Hand out jobs of a queue again. An unknown one is not found.
	 *
	 * @param queue the queue
	 */
	record Resume(String queue) implements OfQueue {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.resume(this);
		}

	}

	/**
	 * Set a queue's running limit, which then replaces the limits of the workers. As with
	 * {@link Pause}, the queue need not exist. A limit below {@value #OF_WORKERS} is
	 * refused.
	 *
	 * @param queue the queue
	 * @param maxRunning the limit; 0 for none; {@value #OF_WORKERS} to use the limits of
	 * the workers again
	 * @param by who sets it, or {@code null} if that is not known
	 */
	record Limit(String queue, int maxRunning, @Nullable String by) implements OfQueue {

		/** The value for a queue that uses the limits of its workers. */
		public static final int OF_WORKERS = -1;

		public Limit(String queue, int maxRunning) {
			this(queue, maxRunning, null);
		}

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.limit(this);
		}

	}

	/**
	 * Set what holds for a lane of a queue, or remove it. As with {@link Pause}, neither
	 * the queue nor a job of the lane need exist. A value below 1 is refused, as is
	 * another lane if {@value #MOST} lanes of the queue have settings. To remove what is
	 * not set is not found. It holds for each claim that begins after this one is done.
	 *
	 * @param queue the queue
	 * @param lane the lane
	 * @param rule what is set
	 * @param value the value, or {@code null} to remove it
	 * @param by who sets it, or {@code null} if that is not known
	 */
	record SetLane(String queue, String lane, LaneSettingsView.Rule rule, @Nullable Integer value,
			@Nullable String by) implements OfQueue {

		/** How many lanes of a queue may have settings. */
		public static final int MOST = 1000;

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.setLane(this);
		}

	}

	/**
	 * Fire no ticks of a schedule, whether it is known yet or not. The schedule stays
	 * paused until it is resumed, even if the schedule is forgotten meanwhile.
	 *
	 * @param schedule the schedule
	 */
	record PauseSchedule(String schedule) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.pauseSchedule(this);
		}

	}

	/**
	 * Fire the ticks of a paused schedule again, beginning with the first one that would
	 * fire after now. One that is not paused is not found.
	 *
	 * @param schedule the schedule
	 * @param offset how much later than its ticks it fires
	 */
	record ResumeSchedule(String schedule, Duration offset) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.resumeSchedule(this);
		}

	}

	/**
	 * Store a schedule, or change a stored one. Its version covers all of it: if the
	 * stored schedule has the same version, nothing is written. A new or changed schedule
	 * has its first tick after now and makes up for nothing.
	 * <p>
	 * If the application has registered the schedule, this is an override until it is
	 * dropped or the application registers another definition. A schedule with another
	 * queue is refused.
	 *
	 * @param schedule the schedule, with its version
	 * @param spec all of it, opaque to the store
	 * @param next when it fires for the first time after now, or {@code null} if it never
	 * ticks again
	 * @param offset how much later than its ticks it fired until now; those that it has
	 * not fired yet are fired by the new version
	 */
	record PutSchedule(NewSchedule schedule, String spec, @Nullable Instant next, Duration offset) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.putSchedule(this);
		}

	}

	/**
	 * Forget a schedule that was put, its ticks and its pause, so that one that is put
	 * later is new. If it is an override, the schedule of the application is in force
	 * again, not paused, from its first tick after now. One that was not put is refused.
	 *
	 * @param schedule the schedule
	 */
	record DropSchedule(String schedule) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.dropSchedule(this);
		}

	}

	/**
	 * Keep the {@linkplain End end} of a thing, as the settle of a job does. It is
	 * refused if one is kept already. Or forget the one that is kept; if none is, it is
	 * not found.
	 *
	 * @param thing its id, of at most {@value #LONGEST_THING} characters
	 * @param end how it ended, or {@code null} to forget that
	 */
	record KeepEnd(String thing, @Nullable End end) implements Change {

		/** The longest id. */
		public static final int LONGEST_THING = 500;

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.keepEnd(this);
		}

	}

	/**
	 * Put the jobs that {@linkplain JobState#WAITING wait} for a thing to the front of
	 * their queues, up to {@value #AT_ONCE} of them: those of a queue in the order of
	 * their due times, then of their ids. They are due now. If no job waits for it, it is
	 * not found.
	 *
	 * @param thing its id
	 */
	record Release(String thing) implements Change {

		/** How many jobs one change releases at most. */
		public static final int AT_ONCE = 1000;

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.release(this);
		}

	}

	/**
	 * Keep a note for operators, with the time of the change. The latest
	 * {@value dev.jobs.Note#KEPT} notes by their times are kept. A note whose id is known
	 * changes nothing, whatever its text.
	 *
	 * @param id its id, in one line
	 * @param text the note, in one line of at most {@value dev.jobs.Note#LONGEST}
	 * characters
	 */
	record KeepNote(String id, String text) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.keepNote(this);
		}

	}

	/**
	 * Store a setting for workers, or remove it. All these settings together have a
	 * revision, which grows with each such change. Listeners are signalled.
	 *
	 * @param kind its kind, without a colon
	 * @param name the name of the queue, the pool or the worker that it is for
	 * @param value its value in the form of the kind, or {@code null} to remove it; a
	 * setting that is not there is not found
	 * @param by who changes it, or {@code null} if that is not known
	 */
	record Set(String kind, String name, @Nullable String value, @Nullable String by) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.set(this);
		}

	}

	/**
	 * Replace the value of a setting if it is as expected. It keeps who set it. Most such
	 * changes are not announced: they do not change the revision and signal nobody.
	 *
	 * @param kind its kind
	 * @param name its name
	 * @param expected the value it must have; with another one the change is refused, and
	 * a setting that is not there is not found
	 * @param value the new value, which differs from the expected one
	 * @param announced whether the revision grows and listeners are signalled
	 */
	record Swap(String kind, String name, String expected, String value, boolean announced) implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.swap(this);
		}

	}

	/** Remove everything in the namespace except the registrations of live workers. */
	record Purge() implements Change {

		@Override
		public <R> R applyTo(Changes<R> changes) {
			return changes.purge(this);
		}

	}

	/**
	 * The effects of a change on a job.
	 */
	enum Effect {

		/** The job is removed and its unique key is free. */
		REMOVED,

		/** The job runs on; its worker is asked to end it. */
		CANCEL_REQUESTED,

		/** The job waits for another due time, with the trail it has. */
		MOVED,

		/**
		 * The job is ready with its trail started over, unless another job holds its
		 * unique key; then the change is refused.
		 */
		REVIVED,

		/** Only the payload of the job changes. */
		PAYLOAD_REPLACED,

		/** The job has another urgency or lane, and the place of these if it is ready. */
		STANDING_SET,

		/** One of the values that the job has saved is removed. */
		SAVED_FORGOTTEN,

		/** The job already is what the change asks for. */
		NONE,

		/** The change is not possible; nothing is changed. */
		REFUSED

	}

	/**
	 * Applies each kind of {@link Change}. A store that lacks a kind does not compile.
	 *
	 * @param <R> what a change results in
	 */
	interface Changes<R> {

		/**
		 * Change a job, by its {@linkplain OfJob#effectIn effect}.
		 * @param change the change
		 * @return what came of it
		 */
		R ofJob(OfJob change);

		/**
		 * Pause a queue.
		 * @param pause the change
		 * @return what came of it
		 */
		R pause(Pause pause);

		/**
		 * Resume a queue.
		 * @param resume the change
		 * @return what came of it
		 */
		R resume(Resume resume);

		/**
		 * Limit a queue.
		 * @param limit the change
		 * @return what came of it
		 */
		R limit(Limit limit);

		/**
		 * Set or remove what holds for a lane.
		 * @param setLane the change
		 * @return what came of it
		 */
		R setLane(SetLane setLane);

		/**
		 * Pause a schedule.
		 * @param pauseSchedule the change
		 * @return what came of it
		 */
		R pauseSchedule(PauseSchedule pauseSchedule);

		/**
		 * Resume a schedule.
		 * @param resumeSchedule the change
		 * @return what came of it
		 */
		R resumeSchedule(ResumeSchedule resumeSchedule);

		/**
		 * Put a schedule.
		 * @param putSchedule the change
		 * @return what came of it
		 */
		R putSchedule(PutSchedule putSchedule);

		/**
		 * Drop a schedule.
		 * @param dropSchedule the change
		 * @return what came of it
		 */
		R dropSchedule(DropSchedule dropSchedule);

		/**
		 * Keep or forget the end of a thing.
		 * @param keepEnd the change
		 * @return what came of it
		 */
		R keepEnd(KeepEnd keepEnd);

		/**
		 * Release jobs.
		 * @param release the change
		 * @return what came of it
		 */
		R release(Release release);

		/**
		 * Keep a note.
		 * @param note the change
		 * @return what came of it
		 */
		R keepNote(KeepNote note);

		/**
		 * Store or remove a setting for workers.
		 * @param set the change
		 * @return what came of it
		 */
		R set(Set set);

		/**
		 * Replace the value of a setting if it is as expected.
		 * @param swap the change
		 * @return what came of it
		 */
		R swap(Swap swap);

		/**
		 * Purge the namespace.
		 * @param purge the change
		 * @return what came of it
		 */
		R purge(Purge purge);

	}

}
