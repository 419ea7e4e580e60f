package dev.jobs.store.memory;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.store.StoreListener;

/**
 * The signals to send once the lock is released, each once.
 */
final class Signals {

	/** By what they say. */
	private final Map<List<Object>, Consumer<StoreListener>> pending = new LinkedHashMap<>();

	void ready(String queue, Instant at) {
		this.pending.put(List.of("ready", queue, at), (listener) -> listener.ready(queue, at));
	}

	void room(String queue) {
		this.pending.put(List.of("room", queue), (listener) -> listener.room(queue));
	}

	void restricted(String queue) {
		this.pending.put(List.of("restricted", queue), (listener) -> listener.restricted(queue));
	}

	void ticks(Instant at) {
		this.pending.put(List.of("ticks", at), (listener) -> listener.ticks(at));
	}

	void cancelled(String worker) {
		this.pending.put(List.of("cancelled", worker), (listener) -> listener.cancelled(worker));
	}

	void ended(Set<String> jobs) {
		this.pending.put(List.of("ended", jobs), (listener) -> listener.ended(jobs));
	}

	void settingsChanged() {
		this.pending.put(List.of("settings"), StoreListener::settingsChanged);
	}

	List<Consumer<StoreListener>> drain() {
		List<Consumer<StoreListener>> drained = List.copyOf(this.pending.values());
		this.pending.clear();
		return drained;
	}

}
