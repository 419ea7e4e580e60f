/**
 * A web page inside the application that shows its jobs and acts on them. It exists once:
 * {@code Dashboard} answers the requests of both web stacks, which two thin adapters pass
 * to it.
 */
@NullMarked
package dev.jobs.dashboard;

import org.jspecify.annotations.NullMarked;
