package dev.jobs.benchmarks.peer;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.jobs.benchmarks.store.PostgresStores;
import dev.jobs.benchmarks.subject.Peers;
import dev.jobs.benchmarks.subject.Subject;

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
