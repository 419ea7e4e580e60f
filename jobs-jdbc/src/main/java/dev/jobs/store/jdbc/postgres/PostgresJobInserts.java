package dev.jobs.store.jdbc.postgres;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.operation.JobInserts;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements;
import dev.jobs.store.jdbc.postgres.statement.PostgresStatements.Listed;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.JsonColumns;
import dev.jobs.store.jdbc.sql.UnitOfWork;
import dev.jobs.store.support.Standing;

import static dev.jobs.store.jdbc.postgres.statement.PostgresStatements.numbers;
import static dev.jobs.store.jdbc.postgres.statement.PostgresStatements.texts;

/**
 * Inserts jobs and the rows of their queues by one statement.
 */
final class PostgresJobInserts implements JobInserts {

	@Override
	public Set<String> insert(UnitOfWork work, List<NewJob> jobs, long now) {
		PostgresSql sql = work.mayLock() ? PostgresSql.INSERT_JOBS_AND_QUEUES : PostgresSql.INSERT_JOBS;
		List<Standing> standings = jobs.stream().map((job) -> Standing.of(job.headers())).toList();
		Set<String> news = new HashSet<>(PostgresStatements.run(work.statements(), sql, (row, n) -> row.getString(1),
				now, texts(jobs, NewJob::id), texts(jobs, NewJob::name),
				numbers(jobs, (job) -> EpochMillis.of(job.dueAt())),
				numbers(jobs, (job) -> EpochMillis.of(job.createdAt())),
				new Listed("bytea", jobs.stream().map(NewJob::payload).toArray(byte[][]::new)),
				texts(jobs, (job) -> JsonColumns.headers(job.headers())), texts(standings, Standing::lane),
				new Listed("int", standings.stream().map((standing) -> standing.urgency().ordinal()).toArray())));
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
