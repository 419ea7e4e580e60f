/**
 * What a whole engine does, whatever the store.
 */
@NullMarked
package dev.jobs.test.engine;

import org.jspecify.annotations.NullMarked;
