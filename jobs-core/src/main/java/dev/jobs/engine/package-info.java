/**
 * The engine that claims, runs, settles and rescues jobs.
 */
@NullMarked
package dev.jobs.engine;

import org.jspecify.annotations.NullMarked;
