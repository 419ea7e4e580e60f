/**
 * Metrics and observations of jobs, with Micrometer.
 */
@NullMarked
package dev.jobs.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
