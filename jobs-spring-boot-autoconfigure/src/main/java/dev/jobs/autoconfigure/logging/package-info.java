/**
 * What handlers write to their logs.
 */
@NullMarked
package dev.jobs.autoconfigure.logging;

import org.jspecify.annotations.NullMarked;
