/**
 * Decides what becomes of a job whose delivery ended, and writes it.
 */
@NullMarked
package dev.jobs.engine.settle;

import org.jspecify.annotations.NullMarked;
