/**
 * Tools for those who write a store.
 */
@NullMarked
package dev.jobs.store.support;

import org.jspecify.annotations.NullMarked;
