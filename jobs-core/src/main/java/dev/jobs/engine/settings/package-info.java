/**
 * What is set before an engine starts: its settings, pools and handlers, and the rules of
 * enqueues.
 */
@NullMarked
package dev.jobs.engine.settings;

import org.jspecify.annotations.NullMarked;
