package dev.jobs.audit;

import java.time.Instant;

/**
 * An action that an operator was not allowed to do in the dashboard or by Actuator,
 * published as an application event. In a flood only some are published.
 *
 * @param at when it was refused
 * @param surface where it was asked for: {@code dashboard} or {@code actuator}
 * @param user the user's name, or the address if there is no user and it is known
 * @param action what was asked for, such as {@code retry}
 * @param wish the beginning of the body, as it was sent; empty if it was not read, as for
 * users who may not act in the dashboard
 * @param reason why it was refused
 */
public record OperatorRefusalEvent(Instant at, String surface, String user, String action, String wish, String reason) {

	@Override
	public String toString() {
		return LogText.plain("OperatorRefusalEvent[at=" + this.at + ", surface=" + this.surface + ", user=" + this.user
				+ ", action=" + this.action + ", wish=" + this.wish + ", reason=" + this.reason + "]");
	}

}
