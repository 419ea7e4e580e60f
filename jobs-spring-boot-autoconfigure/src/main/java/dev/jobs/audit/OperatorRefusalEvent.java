package dev.jobs.audit;

import java.time.Instant;

/**
 * An act that an operator was not allowed to do in the dashboard or by Actuator,
 * published as an application event; of a flood of them no more than the log tells of one
 * by one.
 *
 * @param at when it was refused
 * @param surface where it was asked for: {@code dashboard} or {@code actuator}
 * @param user the user's name, or the address if there is no user and it is known
 * @param act what was asked for, such as {@code retry}
 * @param wish the beginning of what was sent along, as it was sent
 * @param reason why it was refused
 */
public record OperatorRefusalEvent(Instant at, String surface, String user, String act, String wish, String reason) {

}
