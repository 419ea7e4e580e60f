/**
 * The jobs of schedules.
 */
@NullMarked
package dev.jobs.engine.schedule;

import org.jspecify.annotations.NullMarked;
