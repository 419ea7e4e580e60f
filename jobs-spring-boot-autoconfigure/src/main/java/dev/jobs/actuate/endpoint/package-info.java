/**
 * The Actuator endpoint.
 */
@NullMarked
package dev.jobs.actuate.endpoint;

import org.jspecify.annotations.NullMarked;
