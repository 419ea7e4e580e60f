/**
 * Low-water marks: rows that PostgreSQL need not read again, and the proof that they are
 * gone.
 */
@NullMarked
package dev.jobs.store.jdbc.postgres.mark;

import org.jspecify.annotations.NullMarked;
