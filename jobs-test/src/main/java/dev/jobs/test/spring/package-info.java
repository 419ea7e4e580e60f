/**
 * What an application's own Spring Boot tests use.
 */
@NullMarked
package dev.jobs.test.spring;

import org.jspecify.annotations.NullMarked;
