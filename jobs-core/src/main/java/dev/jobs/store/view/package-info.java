/**
 * The views that a store returns to operators and monitoring.
 */
@NullMarked
package dev.jobs.store.view;

import org.jspecify.annotations.NullMarked;
