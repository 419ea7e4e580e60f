/**
 * The store in PostgreSQL.
 */
@NullMarked
package dev.jobs.store.jdbc.postgres;

import org.jspecify.annotations.NullMarked;
