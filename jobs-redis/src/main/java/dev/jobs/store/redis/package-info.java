/**
 * A store that keeps jobs in Redis. Applications use this package and {@code check}; the
 * other packages are internal.
 */
@NullMarked
package dev.jobs.store.redis;

import org.jspecify.annotations.NullMarked;
