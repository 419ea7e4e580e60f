/**
 * Processes that tests kill and freeze, clocks and networks that they break, and what
 * every store on a server must do then.
 */
@NullMarked
package dev.jobs.store.contract.process;

import org.jspecify.annotations.NullMarked;
