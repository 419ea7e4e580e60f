/**
 * The verbs of the store over several partitions, as on a cluster. Internal to the store.
 */
@NullMarked
package dev.jobs.store.redis.cluster;

import org.jspecify.annotations.NullMarked;
