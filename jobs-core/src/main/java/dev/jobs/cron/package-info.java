/**
 * Recurring jobs, their schedules and what became of their ticks.
 */
@NullMarked
package dev.jobs.cron;

import org.jspecify.annotations.NullMarked;
