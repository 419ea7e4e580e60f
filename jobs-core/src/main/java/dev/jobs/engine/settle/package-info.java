/**
 * What becomes of a job whose delivery ended, and the writing of it.
 */
@NullMarked
package dev.jobs.engine.settle;

import org.jspecify.annotations.NullMarked;
