/**
 * The verbs of the store on one partition, the only one on a single server. Internal to
 * the store.
 */
@NullMarked
package dev.jobs.store.redis.partition;

import org.jspecify.annotations.NullMarked;
