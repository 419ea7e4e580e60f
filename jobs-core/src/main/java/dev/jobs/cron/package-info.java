/**
 * Recurring jobs and their schedules.
 */
@NullMarked
package dev.jobs.cron;

import org.jspecify.annotations.NullMarked;
