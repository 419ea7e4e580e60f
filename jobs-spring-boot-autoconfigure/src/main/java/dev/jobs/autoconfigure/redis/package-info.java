/**
 * The store in Redis.
 */
@NullMarked
package dev.jobs.autoconfigure.redis;

import org.jspecify.annotations.NullMarked;
