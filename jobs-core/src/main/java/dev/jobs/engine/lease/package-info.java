/**
 * The lease of a worker and the beats that keep it.
 */
@NullMarked
package dev.jobs.engine.lease;

import org.jspecify.annotations.NullMarked;
