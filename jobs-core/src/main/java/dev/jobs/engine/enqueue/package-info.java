/**
 * Enqueues jobs into the store.
 */
@NullMarked
package dev.jobs.engine.enqueue;

import org.jspecify.annotations.NullMarked;
