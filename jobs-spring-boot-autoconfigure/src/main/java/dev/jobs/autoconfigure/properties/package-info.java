/**
 * The properties of Jobs and the settings of handlers: what they are, and what is wrong
 * about them.
 */
@NullMarked
package dev.jobs.autoconfigure.properties;

import org.jspecify.annotations.NullMarked;
