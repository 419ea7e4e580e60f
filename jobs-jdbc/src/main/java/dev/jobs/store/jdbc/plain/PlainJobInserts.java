package dev.jobs.store.jdbc.plain;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.store.NewJob;
import dev.jobs.store.jdbc.operation.JobInserts;
import dev.jobs.store.jdbc.row.NewJobRow;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.UnitOfWork;

/**
 * Inserts jobs in a batch, except those that exist already.
 */
final class PlainJobInserts implements JobInserts {

	@Override
	public Set<String> insert(UnitOfWork work, List<NewJob> jobs, long now) {
		Statements statements = work.statements();
		Set<String> ids = new LinkedHashSet<>();
		jobs.forEach((job) -> ids.add(job.id()));
		Set<String> known = new HashSet<>(
				statements.query("select id from {job} where id in (??)", (row, n) -> row.getString(1), ids));
		List<NewJob> added = new ArrayList<>();
		Set<String> news = new HashSet<>();
		for (NewJob job : jobs) {
			if (!known.contains(job.id()) && news.add(job.id())) {
				added.add(job);
			}
		}
		List<Long> places = work.dialect().next(statements, "place", added.size());
		statements.batch(NewJobRow.INSERT,
				IntStream.range(0, added.size())
					.mapToObj((i) -> NewJobRow.of(added.get(i), null, places.get(i), now))
					.toList());
		added.stream().map(NewJob::name).distinct().forEach(work::openQueue);
		return news;
	}

}
