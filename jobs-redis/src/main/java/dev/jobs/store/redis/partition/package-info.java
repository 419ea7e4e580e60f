/**
 * The verbs of the store on one partition, which is all there is on a single server.
 * Internal to the store.
 */
@NullMarked
package dev.jobs.store.redis.partition;

import org.jspecify.annotations.NullMarked;
