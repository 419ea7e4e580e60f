/**
 * What is measured where processes share a server: their starts, their ends and its
 * memory.
 */
@NullMarked
package dev.jobs.benchmarks.server;

import org.jspecify.annotations.NullMarked;
