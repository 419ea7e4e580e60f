package dev.jobs.audit;

/**
 * An action that was refused.
 *
 * @param action what was asked for
 * @param wish the body of the request
 * @param reason why it was refused
 * @param forbidden whether the operator had no right to it
 */
public record RefusedAction(String action, String wish, String reason, boolean forbidden) {

}
