/**
 * A web page inside the application that shows its jobs and acts on them. It is written
 * once: {@code Dashboard} answers requests of either web stack, which two thin adapters
 * bring to it.
 */
@NullMarked
package dev.jobs.dashboard;

import org.jspecify.annotations.NullMarked;
