/**
 * Records what operators do, in the same way wherever they do it.
 */
@NullMarked
package dev.jobs.audit;

import org.jspecify.annotations.NullMarked;
