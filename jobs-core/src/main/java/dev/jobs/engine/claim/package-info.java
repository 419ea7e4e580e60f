/**
 * Claims jobs from the store for a pool.
 */
@NullMarked
package dev.jobs.engine.claim;

import org.jspecify.annotations.NullMarked;
