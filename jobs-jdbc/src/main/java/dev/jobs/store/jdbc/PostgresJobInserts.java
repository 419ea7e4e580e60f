package dev.jobs.store.jdbc;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.NewJob;

import dev.jobs.store.jdbc.PostgresStatements.Listed;

import static dev.jobs.store.jdbc.PostgresStatements.numbers;
import static dev.jobs.store.jdbc.PostgresStatements.texts;

/**
 * Inserts jobs and the rows of their queues by one statement.
 */
final class PostgresJobInserts implements JobInserts {

	@Override
	public Set<String> insert(UnitOfWork work, List<NewJob> jobs, long now) {
		PostgresSql sql = work.mayLock() ? PostgresSql.INSERT_JOBS_AND_QUEUES : PostgresSql.INSERT_JOBS;
		Set<String> news = new HashSet<>(PostgresStatements.run(work.statements(), sql.text(),
				(row, n) -> row.getString(1), now, texts(jobs, NewJob::id), texts(jobs, NewJob::name),
				numbers(jobs, (job) -> EpochMillis.of(job.dueAt())),
				numbers(jobs, (job) -> EpochMillis.of(job.createdAt())),
				new Listed("bytea", jobs.stream().map(NewJob::payload).toArray(byte[][]::new)),
				texts(jobs, (job) -> JsonColumns.headers(job.headers()))));
		if (!work.mayLock()) {
			jobs.stream()
				.filter((job) -> news.contains(job.id()))
				.map(NewJob::name)
				.distinct()
				.forEach(work::openQueue);
		}
		return news;
	}

}
