package dev.jobs.engine.schedule;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Why schedules that were put at run time do not tick here. Each is logged when that
 * changes, and forgotten unless it is found again.
 */
public final class ScheduleFaults {

	private static final Logger logger = LoggerFactory.getLogger(ScheduleFaults.class);

	private static final int MOST = 1000;

	private final Map<String, Fault> byName = new ConcurrentHashMap<>();

	/**
	 * Record why a schedule does not tick.
	 * @param name its name
	 * @param reason why, and what to do
	 * @param now the current time
	 * @param kept how long it is remembered
	 */
	void add(String name, String reason, Instant now, Duration kept) {
		if (this.byName.size() >= MOST) {
			forget(now);
		}
		Fault known = this.byName.get(name);
		if (known == null && this.byName.size() >= MOST) {
			return;
		}
		this.byName.put(name, new Fault(reason, now.plus(kept)));
		if (known == null || !known.reason.equals(reason)) {
			logger.warn("Schedule '{}' does not tick on this worker, and others continue: {}", name, reason);
		}
	}

	void remove(String name) {
		this.byName.remove(name);
	}

	/**
	 * Return why schedules do not tick, by their names.
	 */
	public SortedMap<String, String> all(Instant now) {
		forget(now);
		SortedMap<String, String> reasons = new TreeMap<>();
		this.byName.forEach((name, fault) -> reasons.put(name, fault.reason));
		return reasons;
	}

	private void forget(Instant now) {
		this.byName.values().removeIf((fault) -> fault.until.isBefore(now));
	}

	private record Fault(String reason, Instant until) {

	}

}
