/**
 * Measures how fast the stores and the engine are, side by side with the least that could
 * do the same work.
 */
@NullMarked
package dev.jobs.benchmarks;

import org.jspecify.annotations.NullMarked;
