/**
 * The loops that drive the parts of the engine.
 */
@NullMarked
package dev.jobs.engine.loop;

import org.jspecify.annotations.NullMarked;
