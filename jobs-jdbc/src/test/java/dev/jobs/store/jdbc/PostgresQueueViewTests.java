package dev.jobs.store.jdbc;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.SettingsView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the views of queues with more jobs than are counted.
 */
class PostgresQueueViewTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());

	private JobStore store;

	private String table;

	@BeforeEach
	void createStore() {
		this.store = TestDatabase.POSTGRESQL.createStore();
		this.table = TestDatabase.POSTGRESQL.prefix(this.store) + "job";
		this.jdbc.update("insert into " + this.table + " (id, queue, state, due_at, attempt, payload) "
				+ "select g, case when g % 4 = 0 then 'b' else 'a' end, 0, ?, 1 + g % 2, '' "
				+ "from generate_series(1, 40000) g", NOW.plusSeconds(3600).toEpochMilli());
		this.jdbc
			.update("insert into " + TestDatabase.POSTGRESQL.prefix(this.store) + "queue (name) values ('a'), ('b')");
	}

	@AfterEach
	void destroyStore() {
		TestDatabase.POSTGRESQL.destroyStore(this.store);
	}

	private QueueView view(String queue, int seconds) {
		return this.store.inspector()
			.queues(NOW.plusSeconds(seconds))
			.stream()
			.filter((view) -> view.name().equals(queue))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void jobsOfAStateAreCountedUpToABound() {
		QueueView view = view("a", 0);
		assertThat(view).isEqualTo(QueueView.of("a", false).withJobs(0, 10_000, 10_000, 0, 0, 0).countedUpTo(10_000));
		assertThat(view.atLeast()).containsExactly("retrying", "scheduled");
	}

	@Test
	void fewAreCountedExactlyAtOnce() {
		this.jdbc.update("delete from " + this.table + " where queue = 'a' and id::int > 20");
		QueueView view = view("a", 1);
		assertThat(view).isEqualTo(QueueView.of("a", false).withJobs(0, 15, 10, 0, 0, 0));
		assertThat(view.atLeast()).isEmpty();
		this.jdbc.update("delete from " + this.table + " where queue = 'a'");
		assertThat(view("a", 1)).isEqualTo(QueueView.of("a", false));
	}

	@Test
	void fewLargeQueuesAmongVeryManyAreCountedAsFarAsTheirLists() {
		queues(1200, 15);
		assertThat(view("q1", 0).dead()).isEqualTo(1200);
		assertThat(view("q1", 0).atLeast()).isEmpty();
	}

	@Test
	void oneQueueIsCountedAsFarAsItsListHoweverManyThereAre() {
		queues(1200, 16);
		assertThat(view("q1", 0).atLeast()).containsExactly("dead");
		QueueView one = this.store.inspector().queue("q1", NOW).orElseThrow();
		assertThat(one.dead()).isEqualTo(1200);
		assertThat(one.atLeast()).isEmpty();
	}

	private void queues(int jobs, int large) {
		this.jdbc.update("delete from " + this.table);
		this.jdbc.update("insert into " + TestDatabase.POSTGRESQL.prefix(this.store)
				+ "queue (name) select 'q' || g from generate_series(1, 200) g");
		this.jdbc.update("insert into " + this.table + " (id, queue, state, due_at, payload) "
				+ "select q || '-' || g, 'q' || q, ?, 0, '' from generate_series(1, ?) q, generate_series(1, ?) g",
				StateColumn.DEAD, large, jobs);
	}

	@Test
	void firstReadyJobIsSeenWhereverItIs() {
		ready("generate_series(100, 9000)");
		assertThat(view("a", 0).oldestReady()).isEqualTo(NOW.plusSeconds(100));
		this.jdbc.update("delete from " + this.table + " where state = 1 and place < 200");
		assertThat(view("a", 1).oldestReady()).isEqualTo(NOW.plusSeconds(200));
		ready("generate_series(150, 151)");
		assertThat(view("a", 2).oldestReady()).isEqualTo(NOW.plusSeconds(150));
		ready("generate_series(-1, -1)");
		assertThat(view("a", 3).oldestReady()).isEqualTo(NOW.plusSeconds(-1));
		this.jdbc.update("delete from " + this.table + " where state = 1");
		assertThat(view("a", 4).oldestReady()).isNull();
	}

	private void ready(String places) {
		this.jdbc.update("insert into " + this.table + " (id, queue, place, due_at, payload) "
				+ "select 'r' || g, 'a', g, ? + 1000 * g, '' from " + places + " g", NOW.toEpochMilli());
	}

	@Test
	void tagIsFoundByItsIndexAmongManyJobs() {
		this.jdbc.update("update " + this.table + " set headers = ? where id in ('7', '8')",
				"{\"a\":\"b\",\"jobs.tags\":\"customer:42,urgent\"}");
		this.jdbc.execute("analyze " + this.table);
		JobPage page = this.store.inspector()
			.page(JobFilter.of((only) -> only.tag("urgent")), PageRequest.newestFirst(10), NOW);
		assertThat(page.jobs()).extracting(Job::id).containsExactlyInAnyOrder("7", "8");
		assertThat(page.next()).isNull();
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.jdbc.queryForObject("select idx_scan from pg_stat_user_indexes where indexrelname = ?",
					Long.class, this.table + "_tags") > 0);
	}

	@Test
	void tagOfVeryManyJobsIsFoundWithoutTheIndex() {
		this.jdbc.update("update " + this.table + " set headers = ? where id::int % 3 = 0", "{\"jobs.tags\":\"many\"}");
		this.jdbc.execute("analyze " + this.table);
		JobStore patient = JdbcJobStore.builder(TestDatabase.POSTGRESQL.dataSource())
			.tablePrefix(TestDatabase.POSTGRESQL.prefix(this.store))
			.timeout(Duration.ofMinutes(1))
			.build();
		assertThat(AllJobs.of(patient.inspector(), JobFilter.of((only) -> only.tag("many")), NOW)).hasSize(13_333)
			.extracting(Job::id)
			.doesNotHaveDuplicates()
			.isSorted();
	}

}
