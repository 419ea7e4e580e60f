/**
 * The endpoint and the health of jobs, with Spring Boot Actuator.
 */
@NullMarked
package dev.jobs.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
