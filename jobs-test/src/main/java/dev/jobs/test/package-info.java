/**
 * What tests of applications use: their jobs in hand, a clock to move, a watch over
 * faults.
 */
@NullMarked
package dev.jobs.test;

import org.jspecify.annotations.NullMarked;
