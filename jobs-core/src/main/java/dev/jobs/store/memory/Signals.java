package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.store.StoreListener;

/**
 * The signals to send once the lock is released, each once.
 */
final class Signals {

	private final Set<Signal> pending = new LinkedHashSet<>();

	void ready(String queue, Instant at) {
		this.pending.add(new Ready(queue, at));
	}

	void room(String queue) {
		this.pending.add(new Room(queue));
	}

	void restricted(String queue) {
		this.pending.add(new Restricted(queue));
	}

	void ticks(Instant at) {
		this.pending.add(new Ticks(at));
	}

	void cancelled(String worker) {
		this.pending.add(new Cancelled(worker));
	}

	void ended(Set<String> jobs) {
		this.pending.add(new Ended(jobs));
	}

	void settingsChanged() {
		this.pending.add(new SettingsChanged());
	}

	List<Signal> drain() {
		if (this.pending.isEmpty()) {
			return List.of();
		}
		List<Signal> drained = new ArrayList<>(this.pending);
		this.pending.clear();
		return drained;
	}

	/**
	 * A signal for a listener.
	 */
	sealed interface Signal extends Consumer<StoreListener> {

	}

	private record Ready(String queue, Instant at) implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.ready(this.queue, this.at);
		}

	}

	private record Room(String queue) implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.room(this.queue);
		}

	}

	private record Restricted(String queue) implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.restricted(this.queue);
		}

	}

	private record Ticks(Instant at) implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.ticks(this.at);
		}

	}

	private record SettingsChanged() implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.settingsChanged();
		}

	}

	private record Cancelled(String worker) implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.cancelled(this.worker);
		}

	}

	private record Ended(Set<String> jobs) implements Signal {

		@Override
		public void accept(StoreListener listener) {
			listener.ended(this.jobs);
		}

	}

}
