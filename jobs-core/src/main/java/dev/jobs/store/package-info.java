/**
 * The interface between the engine and a store of jobs.
 */
@NullMarked
package dev.jobs.store;

import org.jspecify.annotations.NullMarked;
