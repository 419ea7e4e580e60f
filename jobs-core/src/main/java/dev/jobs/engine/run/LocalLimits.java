package dev.jobs.engine.run;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.HandlerRegistry.Registered;

/**
 * Counts the jobs this process holds of those handlers that have a limit for a process.
 * Others cost nothing.
 */
public final class LocalLimits {

	private final Map<String, Held> byQueue = new HashMap<>();

	private final AtomicInteger turn = new AtomicInteger();

	public LocalLimits(HandlerRegistry registry) {
		Map<String, Held> byName = new HashMap<>();
		for (String queue : registry.queues()) {
			Registered registered = registry.find(queue);
			if (registered != null && registered.definition().options().getLocalConcurrency() > 0) {
				int limit = registered.definition().options().getLocalConcurrency();
				this.byQueue.put(queue,
						byName.computeIfAbsent(registered.definition().name(), (name) -> new Held(limit)));
			}
		}
	}

	/**
	 * Return how many more jobs of a queue this process may hold.
	 */
	public int room(String queue) {
		Held held = this.byQueue.get(queue);
		return (held != null) ? Math.max(0, held.limit - held.count.get()) : Integer.MAX_VALUE;
	}

	/**
	 * Leave out queues so that of those that share a limit one is left, another one each
	 * time, since each may give as many jobs as the limit allows.
	 */
	public Collection<String> onePerLimit(Collection<String> queues) {
		if (this.byQueue.isEmpty()) {
			return queues;
		}
		List<String> rotated = new ArrayList<>(queues);
		Collections.rotate(rotated, this.turn.getAndIncrement());
		Set<Held> seen = new HashSet<>();
		rotated.removeIf((queue) -> {
			Held held = this.byQueue.get(queue);
			return held != null && !seen.add(held);
		});
		return rotated;
	}

	void acquire(String queue) {
		Held held = this.byQueue.get(queue);
		if (held != null) {
			held.count.incrementAndGet();
		}
	}

	public void release(String queue) {
		Held held = this.byQueue.get(queue);
		if (held != null) {
			held.count.decrementAndGet();
		}
	}

	private static final class Held {

		private final int limit;

		private final AtomicInteger count = new AtomicInteger();

		Held(int limit) {
			this.limit = limit;
		}

	}

}
