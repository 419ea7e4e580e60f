/**
 * The threads that run jobs, and what happens to a run.
 */
@NullMarked
package dev.jobs.engine.run;

import org.jspecify.annotations.NullMarked;
