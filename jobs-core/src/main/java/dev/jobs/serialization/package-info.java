/**
 * Turning payloads into bytes and back.
 */
@NullMarked
package dev.jobs.serialization;

import org.jspecify.annotations.NullMarked;
