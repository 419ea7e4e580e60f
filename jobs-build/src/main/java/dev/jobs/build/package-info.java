/**
 * What the build of Jobs itself needs; nothing of it is published.
 */
@NullMarked
package dev.jobs.build;

import org.jspecify.annotations.NullMarked;
