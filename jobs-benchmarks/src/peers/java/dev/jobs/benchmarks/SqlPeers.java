package dev.jobs.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * db-scheduler and JobRunr.
 */
public final class SqlPeers implements Peers {

	@Override
	public Map<String, Subject> on(PostgresStores stores) {
		Map<String, Subject> subjects = new LinkedHashMap<>();
		subjects.put("db-scheduler", new DbSchedulerSubject(stores));
		subjects.put("JobRunr", new JobRunrSubject(stores));
		return subjects;
	}

}
