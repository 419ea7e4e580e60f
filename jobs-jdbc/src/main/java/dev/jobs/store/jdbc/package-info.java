/**
 * A store that keeps jobs in a relational database.
 */
@NullMarked
package dev.jobs.store.jdbc;

import org.jspecify.annotations.NullMarked;
