package dev.jobs.store.jdbc.sql;

import org.jspecify.annotations.Nullable;

/**
 * How transactions run on a database.
 *
 * @param isolation the isolation to ask the driver for
 * @param snapshotIsolation the isolation to ask the driver for if all statements of a
 * transaction must see the same moment
 * @param first the first statement of a writing transaction, or {@code null} for none
 * @param firstOfSnapshot the first statement of a transaction that reads a snapshot, or
 * {@code null} for none
 * @param oneWriter whether only one transaction can write at a time
 * @param autoCommit whether a statement that commits itself is cheaper than a transaction
 * with one statement
 */
public record TransactionSettings(int isolation, int snapshotIsolation, @Nullable String first,
		@Nullable String firstOfSnapshot, boolean oneWriter, boolean autoCommit) {

}
