/**
 * The way of a job from the store to a pool.
 */
@NullMarked
package dev.jobs.engine.claim;

import org.jspecify.annotations.NullMarked;
