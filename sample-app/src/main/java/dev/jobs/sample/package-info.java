/**
 * A small application that uses Jobs.
 */
@NullMarked
package dev.jobs.sample;

import org.jspecify.annotations.NullMarked;
