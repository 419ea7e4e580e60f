/**
 * What applications import: the client, handlers and the jobs themselves.
 */
@NullMarked
package dev.jobs;

import org.jspecify.annotations.NullMarked;
