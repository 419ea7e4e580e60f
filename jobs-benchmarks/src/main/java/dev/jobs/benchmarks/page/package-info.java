/**
 * What is measured of the pages that operators see, and what they show.
 */
@NullMarked
package dev.jobs.benchmarks.page;

import org.jspecify.annotations.NullMarked;
