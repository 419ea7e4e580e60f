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
import java.util.concurrent.atomic.LongAdder;

import dev.jobs.engine.settings.HandlerRegistry;
import dev.jobs.engine.settings.HandlerRegistry.Registered;

/**
 * Counts the jobs of each handler that this process holds, for the limits per process.
 */
public final class LocalLimits {

	private final Map<String, Held> byQueue = new HashMap<>();

	/** Whether some handlers have several queues, which share a limit. */
	private final boolean shared;

	private final AtomicInteger turn = new AtomicInteger();

	public LocalLimits(HandlerRegistry registry) {
		Map<String, LongAdder> byName = new HashMap<>();
		for (String queue : registry.queues()) {
			Registered registered = registry.find(queue);
			if (registered != null) {
				this.byQueue.put(queue, new Held(registered,
						byName.computeIfAbsent(registered.definition().name(), (name) -> new LongAdder())));
			}
		}
		this.shared = byName.size() < this.byQueue.size();
	}

	/**
	 * Return how many more jobs of a queue this process may hold.
	 */
	public int room(String queue) {
		Held held = this.byQueue.get(queue);
		int limit = (held != null) ? held.limit() : 0;
		return (held != null && limit > 0) ? Math.max(0, limit - held.count().intValue()) : Integer.MAX_VALUE;
	}

	/**
	 * Leave out all but one of the queues that share a limit, a different one each time,
	 * since each alone may give as many jobs as the limit allows.
	 */
	public Collection<String> onePerLimit(Collection<String> queues) {
		if (!this.shared) {
			return queues;
		}
		List<String> rotated = new ArrayList<>(queues);
		Collections.rotate(rotated, this.turn.getAndIncrement());
		Set<LongAdder> seen = new HashSet<>();
		rotated.removeIf((queue) -> {
			Held held = this.byQueue.get(queue);
			return held != null && held.limit() > 0 && !seen.add(held.count());
		});
		return rotated;
	}

	void acquire(String queue) {
		Held held = this.byQueue.get(queue);
		if (held != null) {
			held.count().increment();
		}
	}

	public void release(String queue) {
		Held held = this.byQueue.get(queue);
		if (held != null) {
			held.count().decrement();
		}
	}

	/**
	 * The held jobs of a handler.
	 *
	 * @param handler the handler, whose limit may change
	 * @param count how many its queues hold together
	 */
	private record Held(Registered handler, LongAdder count) {

		int limit() {
			return this.handler.options().getLocalConcurrency();
		}

	}

}
