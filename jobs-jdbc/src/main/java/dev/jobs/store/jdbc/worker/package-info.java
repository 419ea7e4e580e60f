/**
 * The rows of workers: their leases, what they hold and what they report.
 */
@NullMarked
package dev.jobs.store.jdbc.worker;

import org.jspecify.annotations.NullMarked;
