/**
 * What all parts of the engine know: the clock, the listeners, the statistics.
 */
@NullMarked
package dev.jobs.engine.context;

import org.jspecify.annotations.NullMarked;
