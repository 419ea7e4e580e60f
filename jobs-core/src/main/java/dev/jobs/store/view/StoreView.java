package dev.jobs.store.view;

import java.util.Map;

import dev.jobs.StoreStatus;

/**
 * What a store is, for operators to see.
 *
 * @param kind what it keeps jobs in, such as {@code redis}
 * @param lasting whether jobs outlive the processes that use the store
 * @param durability what is certain once an enqueue returns, in a few words
 * @param repairs how often this process found and repaired each thing in it that did not
 * fit together
 */
public record StoreView(String kind, boolean lasting, String durability,
		Map<String, Long> repairs) implements StoreStatus {

	public StoreView {
		repairs = Map.copyOf(repairs);
	}

}
