package dev.jobs.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Brings what handlers write to their logs to the runs it belongs to. Only those that
 * write something are remembered.
 */
final class RunLogs {

	private final Supplier<List<WorkerPool>> pools;

	private final Map<String, Run> writing = new ConcurrentHashMap<>();

	RunLogs(Supplier<List<WorkerPool>> pools) {
		this.pools = pools;
	}

	void add(String id, String line) {
		Run run = this.writing.computeIfAbsent(id, this::find);
		if (run != null && !run.log(line)) {
			this.writing.remove(id, run);
		}
	}

	/**
	 * Forget a run that has ended, and so takes no more lines.
	 */
	void forget(Run run) {
		if (run.logged() != null) {
			this.writing.remove(run.id(), run);
		}
	}

	@SuppressWarnings("NullAway") // null leaves the map as it is
	private @Nullable Run find(String id) {
		for (WorkerPool pool : this.pools.get()) {
			Run run = pool.findRun(id);
			if (run != null) {
				return run;
			}
		}
		return null;
	}

}
