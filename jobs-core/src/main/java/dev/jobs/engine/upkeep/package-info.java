/**
 * The loops that look after the jobs of others and after what is left.
 */
@NullMarked
package dev.jobs.engine.upkeep;

import org.jspecify.annotations.NullMarked;
