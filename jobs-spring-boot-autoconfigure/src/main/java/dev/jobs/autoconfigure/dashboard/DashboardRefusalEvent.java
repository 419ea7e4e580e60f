package dev.jobs.autoconfigure.dashboard;

import java.time.Instant;

/**
 * An act that a person was not allowed to do in the dashboard, published as an
 * application event; of a flood of them no more than the log tells of one by one.
 *
 * @param at when it was refused
 * @param user the user's name, or the address if there is no user
 * @param act what was asked for, such as {@code retry}
 * @param wish the beginning of what was sent along, as it was sent
 * @param reason why it was refused
 */
public record DashboardRefusalEvent(Instant at, String user, String act, String wish, String reason) {

}
