package dev.jobs.lab;

import org.jspecify.annotations.Nullable;

/**
 * A handler's run as the ledgers record it.
 */
final class Run {

	final String process;

	final String ref;

	final String job;

	final String queue;

	final String key;

	final long token;

	final long start;

	/** When its handler ended; the end of time if it never did. */
	long end = Long.MAX_VALUE;

	/** How its handler ended, or {@code null} if it never did. */
	@Nullable String result;

	/** When the store was known to have accepted its end; the end of time if never. */
	long accepted = Long.MAX_VALUE;

	/** Where its job went when the end was accepted. */
	String to = "";

	/** Until when its worker could be sure to hold the job. */
	long safeUntil;

	/** When a worker took the job that could not see a leap of the server's clock. */
	long takenAfterALeap = Long.MAX_VALUE;

	Run(Entry started) {
		this.process = started.process();
		this.ref = started.word(0);
		this.job = started.word(1);
		this.queue = started.word(2);
		this.key = started.word(3);
		this.token = started.number(4);
		this.start = started.nanos();
	}

	/**
	 * Return until when the run counts: it ends, or its worker may have lost the job.
	 */
	long until() {
		return Math.min(this.end, this.safeUntil);
	}

	/**
	 * Return the schedule that enqueued the job.
	 */
	String schedule() {
		return this.ref.substring(0, this.ref.lastIndexOf('-'));
	}

	/**
	 * Return the second for which it did.
	 */
	long tick() {
		return Long.parseLong(this.ref.substring(this.ref.lastIndexOf('-') + 1));
	}

	boolean isAccepted() {
		return this.accepted < Long.MAX_VALUE;
	}

	@Override
	public String toString() {
		return "job " + this.job + " of '" + this.queue + "' (" + this.ref + ") under token " + this.token + " on "
				+ this.process;
	}

}
