/**
 * Metrics and observations with Micrometer.
 */
@NullMarked
package dev.jobs.metrics;

import org.jspecify.annotations.NullMarked;
