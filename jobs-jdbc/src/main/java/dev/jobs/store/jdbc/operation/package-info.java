/**
 * The calls of the store that change jobs and queues, as all databases share them.
 */
@NullMarked
package dev.jobs.store.jdbc.operation;

import org.jspecify.annotations.NullMarked;
