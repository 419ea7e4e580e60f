/**
 * Waiting for the results of jobs.
 */
@NullMarked
package dev.jobs.engine.result;

import org.jspecify.annotations.NullMarked;
