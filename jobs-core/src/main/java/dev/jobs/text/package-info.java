/**
 * Tools for texts: masks, bounds and the form of tags. Internal to Jobs; applications do
 * not use them.
 */
@NullMarked
package dev.jobs.text;

import org.jspecify.annotations.NullMarked;
