/**
 * Checks whether the servers behind a store are fit for keeping jobs.
 */
@NullMarked
package dev.jobs.store.redis.check;

import org.jspecify.annotations.NullMarked;
