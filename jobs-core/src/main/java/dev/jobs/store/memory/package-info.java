/**
 * A store that keeps jobs in memory and is the readable specification of all others.
 */
@NullMarked
package dev.jobs.store.memory;

import org.jspecify.annotations.NullMarked;
