package dev.jobs.store.view;

import java.util.Map;

import dev.jobs.StoreStatus;

/**
 * Describes a store for operators.
 *
 * @param kind where it keeps jobs, such as {@code redis}
 * @param lasting whether jobs outlive the processes that use the store
 * @param durability what is guaranteed once an enqueue returns, in a few words
 * @param repairs how often this process has repaired each kind of inconsistency in it
 */
public record StoreView(String kind, boolean lasting, String durability,
		Map<String, Long> repairs) implements StoreStatus {

	public StoreView {
		repairs = Map.copyOf(repairs);
	}

}
