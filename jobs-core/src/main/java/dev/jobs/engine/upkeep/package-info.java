/**
 * The loops that take over other workers' jobs and tidy up.
 */
@NullMarked
package dev.jobs.engine.upkeep;

import org.jspecify.annotations.NullMarked;
