/**
 * Writes values of Jobs as JSON, wherever they are shown.
 */
@NullMarked
package dev.jobs.json;

import org.jspecify.annotations.NullMarked;
