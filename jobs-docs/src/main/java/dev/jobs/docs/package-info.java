/**
 * Makes a site of the pages in {@code docs}.
 */
@NullMarked
package dev.jobs.docs;

import org.jspecify.annotations.NullMarked;
