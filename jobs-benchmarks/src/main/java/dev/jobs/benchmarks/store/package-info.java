/**
 * Stores in memory, Redis and PostgreSQL, and counters of what reaches a server.
 */
@NullMarked
package dev.jobs.benchmarks.store;

import org.jspecify.annotations.NullMarked;
