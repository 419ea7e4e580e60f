/**
 * What all parts of the engine share: the clock, the listeners, the statistics.
 */
@NullMarked
package dev.jobs.engine.context;

import org.jspecify.annotations.NullMarked;
