/**
 * The store by plain SQL.
 */
@NullMarked
package dev.jobs.store.jdbc.plain;

import org.jspecify.annotations.NullMarked;
