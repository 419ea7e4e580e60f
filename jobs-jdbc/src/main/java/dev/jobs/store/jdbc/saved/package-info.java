/**
 * What jobs save while they run.
 */
@NullMarked
package dev.jobs.store.jdbc.saved;

import org.jspecify.annotations.NullMarked;
