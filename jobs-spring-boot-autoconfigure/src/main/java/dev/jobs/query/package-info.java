/**
 * How people ask for jobs: the query parameters, and one read of a kind at a time.
 */
@NullMarked
package dev.jobs.query;

import org.jspecify.annotations.NullMarked;
