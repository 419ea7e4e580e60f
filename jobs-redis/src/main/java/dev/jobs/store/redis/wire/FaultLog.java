package dev.jobs.store.redis.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.store.support.StoreFault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs faults of keys and the server, once for as long as each lasts.
 */
public final class FaultLog {

	private static final Logger logger = LoggerFactory.getLogger(FaultLog.class);

	private static final int MOST = 1000;

	private final Set<String> logged = ConcurrentHashMap.newKeySet();

	/**
	 * Read and log the faults that a check found in a partition.
	 * @param partition the partition
	 * @param found the reply of the check
	 * @return the faults
	 */
	public List<StoreFault> read(Partition partition, Reply found) {
		List<StoreFault> faults = new ArrayList<>();
		while (found.hasMore()) {
			faults.add(new StoreFault(found.flag(), found.text()));
		}
		List<String> texts = faults.stream().map(StoreFault::text).toList();
		this.logged.removeIf((text) -> text.contains(partition.prefix()) && !texts.contains(text));
		faults.forEach(this::log);
		return faults;
	}

	public void log(StoreFault fault) {
		if (this.logged.size() < MOST && this.logged.add(fault.text())) {
			if (fault.stopsWork()) {
				logger.error(fault.text());
			}
			else {
				logger.warn(fault.text());
			}
		}
	}

}
