/**
 * Collects the log lines of handlers.
 */
@NullMarked
package dev.jobs.autoconfigure.logging;

import org.jspecify.annotations.NullMarked;
