/**
 * Connections to Redis, calls of scripts and their replies. Internal to the store.
 */
@NullMarked
package dev.jobs.store.redis.wire;

import org.jspecify.annotations.NullMarked;
