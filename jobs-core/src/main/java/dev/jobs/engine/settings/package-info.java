/**
 * The settings, pools and handlers of an engine, and the rules of enqueues, all set
 * before it starts.
 */
@NullMarked
package dev.jobs.engine.settings;

import org.jspecify.annotations.NullMarked;
