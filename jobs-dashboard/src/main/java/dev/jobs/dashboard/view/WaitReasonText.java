package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.Trail;
import dev.jobs.WaitReason;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;

/**
 * Explains in words why a job does not run.
 */
public final class WaitReasonText {

	private WaitReasonText() {
	}

	/**
	 * Return a sentence, or {@code null} if there is nothing to explain.
	 * @param job the job
	 * @param first whether it is the next job of its queue
	 * @param operations finds the reason
	 * @param now the current time
	 * @return the sentence
	 */
	public static @Nullable String of(Job job, boolean first, JobOperations operations, Instant now) {
		if (job.run() == null && !job.state().isWaiting()) {
			return (job.trail().end() != null) ? died(job.trail().end().reason()) : null;
		}
		WaitReason reason = operations.waitReason(job);
		String text = text(job, first, reason, now);
		return (text != null && job.state().isWaiting() && reason.kind() != WaitReason.Kind.EXPIRED)
				? text + expiry(job, now) : text;
	}

	private static String expiry(Job job, Instant now) {
		Instant expiresAt = job.expiresAt();
		Instant deadline = job.deadline();
		return ((expiresAt != null) ? " It expires in " + Quantities.span(Duration.between(now, expiresAt)) + "." : "")
				+ ((deadline != null) ? " Its deadline is in " + Quantities.span(Duration.between(now, deadline)) + "."
						: "");
	}

	private static @Nullable String text(Job job, boolean first, WaitReason reason, Instant now) {
		return switch (reason.kind()) {
			case RUNS, IS_OVER -> null;
			case WORKER_VANISHED -> "Its worker is gone. Another worker takes the job over once the lease expires.";
			case NOT_DUE -> notDue(job, reason, now);
			case PARKED -> parked(job, reason, now);
			case EXPIRED -> "It was not started in time and is about to be removed or dead.";
			case PAUSED -> "Its queue is paused.";
			case LANE_PAUSED -> "Its lane " + job.lane() + " is paused.";
			case NO_WORKER -> "No live worker has a handler for it.";
			case WORKERS_QUIET -> "Each worker that serves it is quiet, which an operator can end.";
			case WORKERS_PAUSED -> "Each pool that serves it is paused, or its worker is quiet.";
			case LIMIT_REACHED ->
				"The limit of its queue is reached: " + Quantities.plural(reason.number(), "job") + " may run at once.";
			case LANE_FULL ->
				"Its lane " + job.lane() + " is full: " + reason.number() + " of " + reason.number() + " running.";
			case LANE_HELD ->
				"Its lane " + job.lane() + " is held by job " + reason.job() + ", which has begun and must end first.";
			case HELD_BACK ->
				"A handler has held back its " + ((job.lane() != null) ? "queue or its lane " + job.lane() : "queue")
						+ " for " + in(reason, now) + ".";
			case RATE_REACHED -> "The rate is reached: the next permit is in " + in(reason, now) + ".";
			case WORKERS_BUSY -> "All threads are busy: the workers that serve it have "
					+ Quantities.plural(reason.number(), "thread") + ".";
			case WAITS_FOR_ITS_TURN ->
				(first || reason.number() == 0) ? "A worker is about to take it." : "It is waiting its turn: up to "
						+ Quantities.plural(reason.number(), "job") + " may be ahead of it.";
		};
	}

	private static String parked(Job job, WaitReason reason, Instant now) {
		Trail.Wait wait = job.trail().waitsFor();
		String signal = (wait != null) ? wait.signal() : null;
		return "It waits for " + ((signal != null)
				? "the signal " + signal.replaceFirst("/", " about ") + ", for another " + in(reason, now)
				: "job " + reason.job()) + ".";
	}

	private static String died(DeadReason reason) {
		return switch (reason) {
			case EXHAUSTED -> "All its attempts failed.";
			case DISCARDED -> "Its handler discarded it.";
			case UNREADABLE -> "Its payload could not be read.";
			case NO_HANDLER -> "No worker had a handler for it in time.";
			case CRASH_LOOP -> "It crashed the processes that ran it.";
			case EXPIRED -> "It was not run in time.";
		};
	}

	private static String in(WaitReason reason, Instant now) {
		return Quantities.span(Duration.between(now, (reason.until() != null) ? reason.until() : now));
	}

	private static String notDue(Job job, WaitReason reason, Instant now) {
		Instant until = (reason.until() != null) ? reason.until() : job.dueAt();
		String due = "It is due in " + Quantities.span(Duration.between(now, until));
		return (job.attempt() > 1) ? due + ", for its next attempt." : due + ".";
	}

}
