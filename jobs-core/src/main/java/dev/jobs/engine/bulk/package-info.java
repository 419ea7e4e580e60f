/**
 * Actions on many jobs, in small steps.
 */
@NullMarked
package dev.jobs.engine.bulk;

import org.jspecify.annotations.NullMarked;
