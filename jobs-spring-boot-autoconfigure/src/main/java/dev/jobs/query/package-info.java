/**
 * What people ask for by the parameters of an address.
 */
@NullMarked
package dev.jobs.query;

import org.jspecify.annotations.NullMarked;
