/**
 * What every store must pass: the contract of its verbs, and parity with the store in
 * memory.
 */
@NullMarked
package dev.jobs.store.contract;

import org.jspecify.annotations.NullMarked;
