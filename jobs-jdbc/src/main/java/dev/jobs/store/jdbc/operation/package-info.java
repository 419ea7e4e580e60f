/**
 * The calls that change jobs and queues, shared by all databases.
 */
@NullMarked
package dev.jobs.store.jdbc.operation;

import org.jspecify.annotations.NullMarked;
