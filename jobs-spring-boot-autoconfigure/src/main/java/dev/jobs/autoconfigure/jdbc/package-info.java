/**
 * The store in a relational database: its connections and its tables.
 */
@NullMarked
package dev.jobs.autoconfigure.jdbc;

import org.jspecify.annotations.NullMarked;
