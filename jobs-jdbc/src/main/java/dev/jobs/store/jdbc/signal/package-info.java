/**
 * Signals to the listeners of this process and of others.
 */
@NullMarked
package dev.jobs.store.jdbc.signal;

import org.jspecify.annotations.NullMarked;
