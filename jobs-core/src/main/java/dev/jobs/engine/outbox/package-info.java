/**
 * The way of a job from the application's database into the store.
 */
@NullMarked
package dev.jobs.engine.outbox;

import org.jspecify.annotations.NullMarked;
