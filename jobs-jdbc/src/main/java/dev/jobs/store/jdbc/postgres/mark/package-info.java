/**
 * What PostgreSQL need not read again, and why that is certain.
 */
@NullMarked
package dev.jobs.store.jdbc.postgres.mark;

import org.jspecify.annotations.NullMarked;
