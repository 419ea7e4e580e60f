/**
 * Tools for authors of stores.
 */
@NullMarked
package dev.jobs.store.support;

import org.jspecify.annotations.NullMarked;
