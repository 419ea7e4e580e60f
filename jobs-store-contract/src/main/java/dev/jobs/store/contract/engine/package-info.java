/**
 * What a whole engine does, whatever the store.
 */
@NullMarked
package dev.jobs.store.contract.engine;

import org.jspecify.annotations.NullMarked;
