/**
 * What operators do, told in one way wherever they do it.
 */
@NullMarked
package dev.jobs.audit;

import org.jspecify.annotations.NullMarked;
