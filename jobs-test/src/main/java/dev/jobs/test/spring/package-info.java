/**
 * Tools for an application's own Spring Boot tests.
 */
@NullMarked
package dev.jobs.test.spring;

import org.jspecify.annotations.NullMarked;
