/**
 * What applications import: the client, the operations, handlers and the jobs themselves.
 * <p>
 * Options are set by a chain that begins with a static factory, as in
 * {@code EnqueueOptions.defaults().delay(ofMinutes(10)).unique("order-7")}. Each call is
 * named after the option it sets and returns a copy that keeps what was set before;
 * {@code getX()} and {@code isX()} read the options.
 * <p>
 * What is only read, such as a {@link dev.jobs.Job}, has methods named after what they
 * return. Interfaces like {@link dev.jobs.QueueStatus} are for reading: more methods will
 * be added, so applications do not implement them.
 */
@NullMarked
package dev.jobs;

import org.jspecify.annotations.NullMarked;
