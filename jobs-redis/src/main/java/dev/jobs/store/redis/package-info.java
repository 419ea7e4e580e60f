/**
 * A store that keeps jobs in Redis.
 */
@NullMarked
package dev.jobs.store.redis;

import org.jspecify.annotations.NullMarked;
