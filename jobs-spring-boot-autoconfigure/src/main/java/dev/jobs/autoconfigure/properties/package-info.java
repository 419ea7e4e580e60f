/**
 * The properties of Jobs and the settings of handlers, and the checks of both.
 */
@NullMarked
package dev.jobs.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;
