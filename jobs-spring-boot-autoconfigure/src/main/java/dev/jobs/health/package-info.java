/**
 * The health of jobs.
 */
@NullMarked
package dev.jobs.health;

import org.jspecify.annotations.NullMarked;
