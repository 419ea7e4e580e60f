/**
 * The types that applications import: the client, the operations, handlers and the jobs
 * themselves.
 * <p>
 * Options are set on a builder within a lambda, as in
 * {@code jobs.enqueue(mail, (options) -> options.delay(ofMinutes(10)).unique("order-7"))}.
 * Each call is named after the option it sets; {@code getX()} and {@code isX()} read the
 * options. {@code of(...)} makes options outside of a call, {@code with(...)} a changed
 * copy.
 * <p>
 * Types that are only read, such as {@link dev.jobs.Job}, have methods named after what
 * they return. Interfaces like {@link dev.jobs.QueueStatus} are for reading: more methods
 * will be added, so applications do not implement them.
 */
@NullMarked
package dev.jobs;

import org.jspecify.annotations.NullMarked;
