/**
 * Auto-configuration of Jobs for Spring Boot applications.
 */
@NullMarked
package dev.jobs.autoconfigure;

import org.jspecify.annotations.NullMarked;
