/**
 * The query parameters by which jobs are selected.
 */
@NullMarked
package dev.jobs.query;

import org.jspecify.annotations.NullMarked;
