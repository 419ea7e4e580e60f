/**
 * What enqueues and handlers have to do with Spring's transactions, the outbox included.
 */
@NullMarked
package dev.jobs.autoconfigure.transaction;

import org.jspecify.annotations.NullMarked;
