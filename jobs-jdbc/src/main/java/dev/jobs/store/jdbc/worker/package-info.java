/**
 * The rows of workers: their leases, their deliveries and their reports.
 */
@NullMarked
package dev.jobs.store.jdbc.worker;

import org.jspecify.annotations.NullMarked;
