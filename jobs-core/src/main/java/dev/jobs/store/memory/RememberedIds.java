package dev.jobs.store.memory;

import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The ids of jobs, each remembered for a while after the job is gone. Guarded by the
 * store's lock.
 */
final class RememberedIds {

	private final Map<String, Instant> ends = new LinkedHashMap<>();

	boolean contains(String id, Instant now) {
		Instant end = this.ends.get(id);
		return end != null && end.isAfter(now);
	}

	/**
	 * Remember an id, and forget expired ones.
	 */
	void add(String id, Instant end, Instant now) {
		this.ends.remove(id);
		this.ends.put(id, end);
		Iterator<Instant> oldest = this.ends.values().iterator();
		while (oldest.hasNext() && !oldest.next().isAfter(now)) {
			oldest.remove();
		}
	}

}
