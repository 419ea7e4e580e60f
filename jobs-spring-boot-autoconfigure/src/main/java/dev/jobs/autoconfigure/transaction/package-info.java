/**
 * Connects enqueues and handlers with Spring's transactions, including the outbox.
 */
@NullMarked
package dev.jobs.autoconfigure.transaction;

import org.jspecify.annotations.NullMarked;
