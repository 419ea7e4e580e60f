package dev.jobs.store.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import javax.sql.DataSource;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Pages far from the front of many jobs in several queues and states.
 */
class PostgresPagesTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final int JOBS = 70_000;

	private static JobStore store;

	@BeforeAll
	static void createStore() {
		store = TestDatabase.POSTGRESQL.createStore();
		JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());
		String prefix = TestDatabase.POSTGRESQL.prefix(store);
		jdbc.update("insert into " + prefix
				+ "job (id, queue, state, place, due_at, since, token, attempt, payload, headers) "
				+ "select 'job-' || g, case when g = 4 then 'rare' else 'q' || g % 7 end, "
				+ "case when g % 2 = 0 then 1 when g % 5 = 0 then 3 when g % 997 = 0 then 2 else 0 end, g, t, t, "
				+ "case when g % 997 = 0 then g end, 1, case when g = 69990 then 'needle' else 'hay' end::bytea, '{}' "
				+ "from (select g, ? + case when g between 20000 and 25000 then 0 else (g * 7919::bigint) % 70001 end as t "
				+ "from generate_series(1, ?) g) jobs", NOW.minusSeconds(100).toEpochMilli(), JOBS);
		jdbc.update("insert into " + prefix + "queue (name) select distinct queue from " + prefix + "job");
		jdbc.execute("analyze " + prefix + "job");
	}

	@AfterAll
	static void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(store);
	}

	private static List<Job> all(JobFilter filter, boolean newestFirst, int size) {
		return AllJobs.of(store.inspector(), filter,
				newestFirst ? PageRequest.newestFirst(size) : PageRequest.oldestFirst(size), NOW);
	}

	private static List<String> ids(List<Job> jobs) {
		return jobs.stream().map(Job::id).toList();
	}

	@Test
	void pagesListEachJobOnceUpToTheEnd() {
		List<Job> all = all(JobFilter.all(), false, 900);
		assertThat(ids(all)).doesNotHaveDuplicates().hasSize(JOBS);
		assertThat(all.stream().filter((job) -> job.state() == JobState.SCHEDULED).map(Job::dueAt)).isSorted();
		assertThat(ids(all.stream().filter((job) -> job.state() == JobState.DEAD).toList()))
			.isEqualTo(ids(all(JobFilter.of((only) -> only.states(JobState.DEAD)), false, 900)));
		List<String> newest = new ArrayList<>(ids(all(JobFilter.all(), true, 800)));
		Collections.reverse(newest);
		assertThat(newest).isEqualTo(ids(all));
	}

	@Test
	void readyJobsOfAQueueComeInTheOrderInWhichItGivesThemOut() {
		JobFilter ready = JobFilter.of((only) -> only.states(JobState.READY).name("q2"));
		List<String> ids = ids(all(ready, false, 700));
		List<String> placed = ids.stream().filter((id) -> Integer.parseInt(id.substring(4)) % 2 == 0).toList();
		assertThat(placed).hasSize(JOBS / 14)
			.isSortedAccordingTo((one, other) -> Integer.compare(Integer.parseInt(one.substring(4)),
					Integer.parseInt(other.substring(4))));
		assertThat(ids).doesNotHaveDuplicates().hasSizeGreaterThan(placed.size());
	}

	@Test
	void searchReachesTheEnd() {
		for (boolean newestFirst : new boolean[] { false, true }) {
			assertThat(ids(all(JobFilter.of((only) -> only.text("needle")), newestFirst, 10)))
				.containsExactly("job-69990");
		}
	}

	@Test
	void readThatTakesTooLongSaysThatAndWhatToDo() throws SQLException {
		DataSource dataSource = TestDatabase.POSTGRESQL.dataSource();
		String prefix = TestDatabase.POSTGRESQL.prefix(store);
		try (JdbcJobStore impatient = JdbcJobStore.builder(dataSource)
			.tablePrefix(prefix)
			.timeout(Duration.ofSeconds(1))
			.build(); Connection locking = dataSource.getConnection()) {
			locking.setAutoCommit(false);
			locking.createStatement().execute("lock table " + prefix + "job in access exclusive mode");
			JobInspector inspector = impatient.inspector();
			for (Runnable read : List.<Runnable>of(
					() -> inspector.page(JobFilter.all(), PageRequest.newestFirst(9), NOW),
					() -> inspector.deaths(JobFilter.all(), NOW), () -> inspector.count(JobFilter.all(), 9, NOW))) {
				assertThatExceptionOfType(JobStoreException.class).isThrownBy(read::run)
					.withMessageStartingWith("Reading the jobs took longer than 1000 ms")
					.withMessageContaining("Ask for fewer")
					.matches(JobStoreException::isLate);
			}
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> inspector.job("job-1", NOW))
				.withMessageContaining("jobs.jdbc.timeout")
				.matches(JobStoreException::isTemporary)
				.matches(JobStoreException::isRefused);
			locking.rollback();
		}
	}

	@Test
	void jobsAreCountedUpToABound() {
		assertThat(store.inspector().count(JobFilter.all(), 10_000, NOW)).hasToString("10,000+");
		assertThat(store.inspector().count(JobFilter.of((only) -> only.states(JobState.RUNNING)), 10_000, NOW).exact())
			.isTrue();
		assertThat(store.inspector().count(JobFilter.of((only) -> only.name("q2")), 100_000, NOW))
			.isEqualTo(JobCount.exactly(JOBS / 7));
	}

	@Test
	void moreThanIsCountedIsEstimated() {
		Instant before = NOW.minusSeconds(101);
		for (int bound : new int[] { 1, 10_000 }) {
			JobCount scheduled = store.inspector()
				.count(JobFilter.of((only) -> only.states(JobState.SCHEDULED).retrying(false)), bound, before);
			assertThat(scheduled.exact()).isFalse();
			assertThat(scheduled.estimate()).isBetween(27_000L, 29_000L);
		}
		assertThat(store.inspector()
			.count(JobFilter.of((only) -> only.states(JobState.SCHEDULED).retrying(false).name("q2")), 1, before)
			.estimate()).isOne();
	}

}
