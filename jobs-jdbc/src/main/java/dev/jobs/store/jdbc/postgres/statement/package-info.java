/**
 * PostgreSQL's statements and their files.
 */
@NullMarked
package dev.jobs.store.jdbc.postgres.statement;

import org.jspecify.annotations.NullMarked;
