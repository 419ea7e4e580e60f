package dev.jobs.store.jdbc;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.sql.Tables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the statements of PostgreSQL that are files: each is explained by a server
 * whose tables are full.
 */
class PostgresStatementTests {

	private static final int JOBS = 30_000;

	private static final List<String> TABLES = List.of("job", "delivery", "queue", "worker");

	/** Those that run without settings for their plans. */
	private static final Set<PostgresSql> PLANNED_BY_STATISTICS = Set.of(PostgresSql.QUEUE_NAMES,
			PostgresSql.TAGGED_JOBS);

	private static JobStore full;

	/** Its statistics are of a moment without rows; those gone are not yet vacuumed. */
	private static JobStore emptied;

	@BeforeAll
	static void fillTables() {
		full = TestDatabase.POSTGRESQL.createStore();
		fill(TestDatabase.POSTGRESQL.prefix(full));
		emptied = TestDatabase.POSTGRESQL.createStore();
		String prefix = TestDatabase.POSTGRESQL.prefix(emptied);
		fill(prefix);
		JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());
		TABLES.forEach((table) -> jdbc.execute("alter table " + prefix + table + " set (autovacuum_enabled = off)"));
		TABLES.forEach((table) -> jdbc.execute("delete from " + prefix + table));
		analyze(jdbc, prefix);
	}

	private static void fill(String prefix) {
		JdbcTemplate jdbc = new JdbcTemplate(TestDatabase.POSTGRESQL.dataSource());
		jdbc.execute(
				"""
						insert into {job} (id, queue, state, place, due_at, since, created_at, attempt, token, payload, headers)
						select 'job-' || n, 'q-' || mod(n, 20), case when mod(n, 7) = 6 then -2 else mod(n, 7) end, n, n, n, n, 1 + mod(n, 3),
							case when mod(n, 7) = 2 then n end, '', case when mod(n, 100) = 0 then '{"jobs.tags":"a,b"}' end
						from generate_series(1, %d) n"""
					.formatted(JOBS)
					.replace("{job}", prefix + "job"));
		jdbc.execute("insert into " + prefix + "delivery (queue, token, worker, started_at, owner) "
				+ "select queue, token, 'w', 0, 'w' from " + prefix + "job where state = 2");
		jdbc.execute("insert into " + prefix + "queue (name) select distinct queue from " + prefix + "job");
		jdbc.execute("insert into " + prefix + "worker (id, last_beat, lease_until, lease) values ('w', 0, 0, 0)");
		analyze(jdbc, prefix);
	}

	private static void analyze(JdbcTemplate jdbc, String prefix) {
		TABLES.forEach((table) -> jdbc.execute("analyze " + prefix + table));
	}

	@AfterAll
	static void destroyStores() {
		TestDatabase.POSTGRESQL.destroyStore(full);
		TestDatabase.POSTGRESQL.destroyStore(emptied);
	}

	@ParameterizedTest
	@EnumSource(PostgresSql.class)
	void jobsAndDeliveriesAreReadByIndexesOnly(PostgresSql sql) throws SQLException {
		assertThat(unindexedReads(full, sql.text(), settings(sql))).isEmpty();
	}

	/**
	 * A full key may have only entries of rows that are gone, if a long transaction keeps
	 * them from being vacuumed.
	 */
	@ParameterizedTest
	@EnumSource(PostgresSql.class)
	void jobsAndDeliveriesAreReadByIndexesOnlyThoughTheTablesWereEmpty(PostgresSql sql) throws SQLException {
		assertThat(unindexedReads(emptied, sql.text(), settings(sql))).isEmpty();
	}

	private static List<String> settings(PostgresSql sql) {
		if (PLANNED_BY_STATISTICS.contains(sql)) {
			return List.of();
		}
		return (sql == PostgresSql.COUNT_QUEUES) ? List.of(PostgresSql.PLANS, "set local enable_hashjoin = on")
				: List.of(PostgresSql.PLANS);
	}

	/**
	 * By no index, or by one from its beginning to its end.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "select 1 from {job} where payload = ?", "select 1 from {job} order by id",
			"select 1 from {delivery} where worker = ?" })
	void readOfAWholeTableIsFound(String sql) throws SQLException {
		assertThat(unindexedReads(full, sql, List.of(PostgresSql.PLANS))).isNotEmpty();
	}

	private static List<JsonNode> unindexedReads(JobStore store, String sql, List<String> settings)
			throws SQLException {
		String prefix = TestDatabase.POSTGRESQL.prefix(store);
		return scans(explain(prefix, sql, settings)).stream()
			.filter((scan) -> Set.of(prefix + "job", prefix + "delivery")
				.contains(scan.path("Relation Name").asString("")))
			.filter((scan) -> Stream.of("Index Cond", "Recheck Cond", "TID Cond").noneMatch(scan::has))
			.toList();
	}

	/**
	 * Return the plan that the server takes whatever the arguments are.
	 */
	private static JsonNode explain(String prefix, String sql, List<String> settings) throws SQLException {
		List<String> arguments = new ArrayList<>();
		String text = Pattern.compile("\\?")
			.matcher(sql)
			.replaceAll((mark) -> arguments.add("null") ? Matcher.quoteReplacement("$" + arguments.size()) : "");
		String call = arguments.isEmpty() ? "" : "(" + String.join(", ", arguments) + ")";
		try (Connection connection = TestDatabase.POSTGRESQL.dataSource().getConnection();
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			try {
				for (String setting : settings) {
					statement.execute(setting);
				}
				statement.execute("set local plan_cache_mode = force_generic_plan");
				statement.execute("prepare explained as " + new Tables(prefix).in(text));
				ResultSet plan = statement.executeQuery("explain (format json) execute explained" + call);
				plan.next();
				JsonNode root = JsonMapper.builder().build().readTree(plan.getString(1));
				statement.execute("deallocate explained");
				return root;
			}
			finally {
				connection.rollback();
				connection.setAutoCommit(true);
			}
		}
	}

	private static List<JsonNode> scans(JsonNode plan) {
		List<JsonNode> scans = new ArrayList<>();
		if (plan.path("Node Type").asString("").endsWith("Scan")) {
			scans.add(plan);
		}
		plan.forEach((part) -> scans.addAll(part.isContainer() ? scans(part) : Collections.emptyList()));
		return scans;
	}

	@Test
	void everyFileIsAStatement() throws IOException {
		Resource[] files = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:dev/jobs/store/jdbc/postgres/*.sql");
		assertThat(files).extracting(Resource::getFilename)
			.containsExactlyInAnyOrderElementsOf(Stream.of(PostgresSql.values())
				.map((sql) -> sql.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".sql")
				.toList());
	}

}
