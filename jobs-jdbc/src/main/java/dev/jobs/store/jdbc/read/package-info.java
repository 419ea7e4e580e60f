/**
 * What operators read: jobs, queues, workers, schedules and statistics.
 */
@NullMarked
package dev.jobs.store.jdbc.read;

import org.jspecify.annotations.NullMarked;
