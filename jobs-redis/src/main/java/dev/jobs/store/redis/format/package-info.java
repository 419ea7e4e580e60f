/**
 * How jobs, workers and schedules are written to Redis and read back. Internal to the
 * store.
 */
@NullMarked
package dev.jobs.store.redis.format;

import org.jspecify.annotations.NullMarked;
