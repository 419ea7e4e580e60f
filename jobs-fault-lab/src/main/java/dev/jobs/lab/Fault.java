package dev.jobs.lab;

/**
 * The faults that the lab injects.
 */
enum Fault {

	/**
	 * A worker is killed, which leaves it no time for anything, and another one starts.
	 */
	KILL_WORKER(4),

	/**
	 * A worker is frozen for up to two leases, as by a paused virtual machine.
	 */
	FREEZE_WORKER(4),

	/** A worker is asked to end, and another one starts. */
	STOP_WORKER(2),

	/** A producer is killed, and another one starts. */
	KILL_PRODUCER(1),

	/** The clock of a process jumps by four seconds or an hour, forth or back. */
	JUMP_CLOCK(3),

	/**
	 * The clock of the servers jumps, an hour back or less than a minute ahead, and some
	 * leases later it is right again.
	 */
	JUMP_SERVER_CLOCK(2),

	/** The connections of a process are cut. */
	CUT_CONNECTIONS(2),

	/** The connections of a process are silent for up to two leases. */
	STALL_CONNECTIONS(3),

	/** A process cannot connect for a while. */
	REFUSE_CONNECTIONS(2),

	/** The server closes the connections of everybody. */
	DROP_CONNECTIONS(1),

	/** The server forgets the scripts it was given. */
	FORGET_SCRIPTS(1),

	/** The server is frozen for a while. */
	FREEZE_SERVER(1),

	/** The server is killed and started again with what it has on its disk. */
	RESTART_SERVER(1),

	/** Another server takes over, in order. */
	FAIL_OVER(1),

	/** The server is killed, and another one takes over. */
	KILL_MASTER(1),

	/** A queue is paused for a while. */
	PAUSE_QUEUE(2),

	/** The running limit of a queue is changed. */
	EDIT_LIMIT(2);

	private final int weight;

	Fault(int weight) {
		this.weight = weight;
	}

	/**
	 * Return how often it happens, compared with others.
	 */
	int weight() {
		return this.weight;
	}

}
