/**
 * The reading side of the store. Internal to the store.
 */
@NullMarked
package dev.jobs.store.redis.page;

import org.jspecify.annotations.NullMarked;
