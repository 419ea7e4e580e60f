package dev.jobs.store.support;

import dev.jobs.StoreStatus;

/**
 * Something in a store that an operator must correct.
 *
 * @param stopsWork whether jobs wait for it
 * @param text what it is, where, and what to do
 */
public record StoreFault(boolean stopsWork, String text) implements StoreStatus.Fault {

}
