package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.store.StoreFault;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is wrong with keys and the server, logged once for as long as it lasts.
 */
final class KeyFaults {

	private static final Logger logger = LoggerFactory.getLogger(KeyFaults.class);

	private static final int MOST = 1000;

	private final Set<String> told = ConcurrentHashMap.newKeySet();

	/**
	 * Read all that was found in a partition.
	 * @param key a key of the partition, which tells what is of this one
	 * @param found what a look replied
	 */
	List<StoreFault> read(byte[] key, Reply found) {
		List<StoreFault> faults = new ArrayList<>();
		while (found.hasMore()) {
			faults.add(new StoreFault(found.flag(), found.text()));
		}
		String name = new String(key, StandardCharsets.UTF_8);
		String tag = name.substring(0, name.indexOf('}') + 1);
		List<String> texts = faults.stream().map(StoreFault::text).toList();
		this.told.removeIf((text) -> text.contains(tag) && !texts.contains(text));
		faults.forEach(this::tell);
		return faults;
	}

	void tell(StoreFault fault) {
		if (this.told.size() < MOST && this.told.add(fault.text())) {
			if (fault.stopsWork()) {
				logger.error(fault.text());
			}
			else {
				logger.warn(fault.text());
			}
		}
	}

}
