package dev.jobs.engine;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Brings what handlers write to their logs to the runs it belongs to: a run that has lost
 * its job and goes on is not the one that has it now. Only those that write something are
 * remembered.
 */
final class RunLogs {

	private final Supplier<List<WorkerPool>> pools;

	private final Map<Key, Run> writing = new ConcurrentHashMap<>();

	RunLogs(Supplier<List<WorkerPool>> pools) {
		this.pools = pools;
	}

	void add(String id, String token, String line) {
		Key key = new Key(id, token);
		Run run = this.writing.computeIfAbsent(key, this::find);
		if (run != null && !run.log(line)) {
			this.writing.remove(key, run);
		}
	}

	/**
	 * Forget a run that has ended, and so takes no more lines.
	 */
	void forget(Run run) {
		if (run.logged() != null) {
			this.writing.remove(new Key(run.id(), Long.toString(run.fencingToken())), run);
		}
	}

	@SuppressWarnings("NullAway") // null leaves the map as it is
	private @Nullable Run find(Key key) {
		for (WorkerPool pool : this.pools.get()) {
			Run run = pool.findRun(key.id(), key.token());
			if (run != null) {
				return run;
			}
		}
		return null;
	}

	/**
	 * What tells runs apart: those of one claim share a token.
	 *
	 * @param id the id of the job
	 * @param token the fencing token
	 */
	private record Key(String id, String token) {

	}

}
