package dev.jobs.metrics;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values of a tag, bounded: the first names up to the bound keep their own value, all
 * others become {@code other}.
 */
final class MeterNames {

	private static final String OTHER = "other";

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final int most;

	MeterNames(int most) {
		this.most = most;
	}

	String of(String name) {
		if (this.names.contains(name)) {
			return name;
		}
		synchronized (this.names) {
			return (this.names.size() < this.most && this.names.add(name)) ? name : OTHER;
		}
	}

	/**
	 * Forget the names that are gone, so that new ones find room.
	 * @param present the names that are still there
	 */
	void retain(Set<String> present) {
		synchronized (this.names) {
			this.names.retainAll(present);
		}
	}

}
