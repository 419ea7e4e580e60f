package dev.jobs.audit;

/**
 * A person or program that acts.
 *
 * @param surface where, such as {@code dashboard}
 * @param name the user's name, or whatever is known instead
 */
public record Operator(String surface, String name) {

}
