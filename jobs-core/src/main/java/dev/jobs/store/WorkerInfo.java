package dev.jobs.store;

import java.time.Instant;
import java.util.List;

/**
 * What a worker is, for people to see and for knowing which queues are served.
 *
 * @param host its host name
 * @param pid its process id
 * @param version the version of the application, or empty
 * @param startedAt when it started
 * @param pools its pools
 */
public record WorkerInfo(String host, long pid, String version, Instant startedAt, List<Pool> pools) {

	/**
	 * A pool of a worker.
	 *
	 * @param name its name
	 * @param concurrency how many jobs it runs at once
	 * @param busy how many it ran when it told
	 * @param queues the queues it serves, sorted
	 */
	public record Pool(String name, int concurrency, int busy, List<String> queues) {

	}

}
