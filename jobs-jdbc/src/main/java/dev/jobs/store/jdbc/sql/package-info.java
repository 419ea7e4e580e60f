/**
 * Statements, sessions and transactions, and what differs between databases.
 */
@NullMarked
package dev.jobs.store.jdbc.sql;

import org.jspecify.annotations.NullMarked;
