/**
 * Finds the job handlers among the beans of an application.
 */
@NullMarked
package dev.jobs.autoconfigure.handler;

import org.jspecify.annotations.NullMarked;
