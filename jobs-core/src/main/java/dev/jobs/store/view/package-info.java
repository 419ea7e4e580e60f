/**
 * What a store answers to questions of people and monitoring.
 */
@NullMarked
package dev.jobs.store.view;

import org.jspecify.annotations.NullMarked;
