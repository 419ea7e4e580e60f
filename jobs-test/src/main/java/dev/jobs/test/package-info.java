/**
 * Tools for tests of applications: a way to run their jobs, a settable clock, a watch for
 * faults.
 */
@NullMarked
package dev.jobs.test;

import org.jspecify.annotations.NullMarked;
