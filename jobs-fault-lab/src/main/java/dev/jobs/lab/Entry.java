package dev.jobs.lab;

import java.util.List;

/**
 * A line of a ledger: what a process did or saw, and when. Ledgers lie outside the system
 * under test, so that nothing it loses is lost to the checker.
 *
 * @param nanos when, by the counter that all processes of the machine share and that no
 * clock change moves
 * @param process the name of the process
 * @param kind what happened
 * @param words the details, as the kind says
 */
record Entry(long nanos, String process, Kind kind, List<String> words) {

	Entry {
		words = List.copyOf(words);
	}

	String word(int position) {
		return this.words.get(position);
	}

	long number(int position) {
		return Long.parseLong(word(position));
	}

	/**
	 * What a line may say.
	 */
	enum Kind {

		/**
		 * A producer is about to enqueue: reference, queue, key or lane, delay in
		 * milliseconds.
		 */
		OFFERED,

		/** An enqueue was acknowledged as a new job: reference, job. */
		ACKNOWLEDGED,

		/** An enqueue found its key taken: reference, job that holds it. */
		DUPLICATE,

		/** An enqueue failed and has certainly stored nothing: reference. */
		REFUSED,

		/** An enqueue failed and may have stored the job: reference. */
		UNSURE,

		/** A handler starts: reference, job, queue, key or lane, token, attempt. */
		STARTED,

		/**
		 * A handler ends: reference, job, token, {@code done}, {@code failed},
		 * {@code snoozed} or {@code interrupted}.
		 */
		ENDED,

		/**
		 * The store answered a settle: job, token, where the job was to go, the answer.
		 */
		SETTLED,

		/** The store confirmed a beat: when it was sent. */
		BEAT,

		/** The store told its time: when it was asked. */
		TIME,

		/** The store gave a job to a process that takes over: job. */
		TAKEN_OVER,

		/** A step of a program has its effect: job, token, step. */
		EFFECT,

		/** The store confirmed a saved value: job, token, name. */
		SAVED,

		/**
		 * What the operations of a program returned in a run: job, token, and for each
		 * {@code operation=value}.
		 */
		VALUES,

		/** A process is about to send a signal: subject, value. */
		SENDING,

		/**
		 * The answer to a signal: subject, value, {@code SENT}, {@code ALREADY} or
		 * {@code UNKNOWN}.
		 */
		SENT,

		/** Somebody asked for the result of a job: job, result or {@code none}. */
		RESULT,

		/** The lab found rows of a transactional step: job, step, how many. */
		ROWS,

		/** A process is ready. */
		UP,

		/** The lab read the clock of the machine: milliseconds of the epoch. */
		CLOCK,

		/**
		 * The lab is about to set the clock of the servers: how far it will be ahead, in
		 * milliseconds.
		 */
		SETTING_SERVER_CLOCK,

		/** The lab has set the clock of the servers. */
		SERVER_CLOCK_SET,

		/** The lab begins a fault: number, kind, target. */
		FAULT,

		/** The lab has ended a fault: number. */
		HEALED,

		/** The lab is about to kill a process: its name. */
		KILLING,

		/** The lab is about to ask a process to end: its name. */
		STOPPING,

		/**
		 * The lab is about to have another server take over, which may lack the latest
		 * writes.
		 */
		FAILING_OVER,

		/** The lab has seen the other server take over. */
		FAILED_OVER,

		/** The lab changes the running limit of a queue: queue, limit. */
		LIMIT,

		/** The store confirmed that it has paused a queue: queue. */
		PAUSED,

		/** The lab is about to resume a queue: queue. */
		RESUMING,

		/**
		 * The lab lets no job start any more that was not there yet: nothing is broken
		 * from now on.
		 */
		CALM

	}

}
