/**
 * The contents of the tables' rows, and their written form.
 */
@NullMarked
package dev.jobs.store.jdbc.row;

import org.jspecify.annotations.NullMarked;
