/**
 * The partitions of a namespace and the names of its keys. Internal to the store.
 */
@NullMarked
package dev.jobs.store.redis.layout;

import org.jspecify.annotations.NullMarked;
