package dev.jobs.audit;

import java.time.Instant;
import java.util.List;

/**
 * An action of an operator in the dashboard or by Actuator, published as an application
 * event.
 *
 * @param at when it ended
 * @param surface where it was done: {@code dashboard} or {@code actuator}
 * @param user the user's name, or the address if there is no user and it is known
 * @param action what was done, such as {@code retry}
 * @param target its target: jobs by their ids, by a filter or by their cause of death, a
 * queue, a schedule or a cause of death
 * @param jobs the ids of all jobs that it changed or enqueued
 * @param complete whether it was completed; if not, one of its calls failed, and the
 * changes of that call are not known
 */
public record OperatorActionEvent(Instant at, String surface, String user, String action, String target,
		List<String> jobs, boolean complete) {

	public OperatorActionEvent {
		jobs = List.copyOf(jobs);
	}

	@Override
	public String toString() {
		return LogText.plain("OperatorActionEvent[at=" + this.at + ", surface=" + this.surface + ", user=" + this.user
				+ ", action=" + this.action + ", target=" + this.target + ", jobs=" + this.jobs + ", complete="
				+ this.complete + "]");
	}

}
