/**
 * What there is to do: jobs, what they carry, and how their arrivals are counted and
 * timed.
 */
@NullMarked
package dev.jobs.benchmarks.load;

import org.jspecify.annotations.NullMarked;
