/**
 * What every store must pass, and help for tests of applications.
 */
@NullMarked
package dev.jobs.test;

import org.jspecify.annotations.NullMarked;
