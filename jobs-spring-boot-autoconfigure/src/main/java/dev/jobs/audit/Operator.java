package dev.jobs.audit;

/**
 * Who does something.
 *
 * @param surface where, such as {@code dashboard}
 * @param name the user's name, or what is known instead
 */
public record Operator(String surface, String name) {

}
