/**
 * The dashboard's views of jobs, queues, workers and schedules, as JSON and in words.
 */
@NullMarked
package dev.jobs.dashboard.view;

import org.jspecify.annotations.NullMarked;
