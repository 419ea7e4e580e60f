/**
 * Carries jobs from the application's database into the store.
 */
@NullMarked
package dev.jobs.engine.outbox;

import org.jspecify.annotations.NullMarked;
