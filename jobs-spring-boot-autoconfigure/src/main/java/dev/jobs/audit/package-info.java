/**
 * Records the actions of operators in the same way for every surface.
 */
@NullMarked
package dev.jobs.audit;

import org.jspecify.annotations.NullMarked;
