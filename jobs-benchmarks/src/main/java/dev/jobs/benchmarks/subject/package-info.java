/**
 * What is measured side by side: the engine on a store, and what it is compared with.
 */
@NullMarked
package dev.jobs.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
