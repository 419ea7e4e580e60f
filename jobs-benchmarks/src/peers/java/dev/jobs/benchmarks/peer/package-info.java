/**
 * Other libraries that are measured in the same run.
 */
@NullMarked
package dev.jobs.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
