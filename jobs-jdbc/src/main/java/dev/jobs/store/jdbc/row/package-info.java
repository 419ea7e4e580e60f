/**
 * What the rows of the tables hold, and how it is written.
 */
@NullMarked
package dev.jobs.store.jdbc.row;

import org.jspecify.annotations.NullMarked;
