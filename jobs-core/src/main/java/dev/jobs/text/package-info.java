/**
 * Tools for texts: masks and bounds. Internal to Jobs; applications do not use them.
 */
@NullMarked
package dev.jobs.text;

import org.jspecify.annotations.NullMarked;
