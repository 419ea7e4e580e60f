/**
 * What operators see and do, grouped by noun: a queue, a schedule, a worker, a job, the
 * jobs that a filter selects, and the store. Start with
 * {@link dev.jobs.operations.JobOperations}. The interfaces grow, so applications do not
 * implement them.
 */
@NullMarked
package dev.jobs.operations;

import org.jspecify.annotations.NullMarked;
