package dev.jobs.autoconfigure.jdbc;

import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * Tests for several processes that find no tables in a MariaDB, all at the same moment.
 */
class MariadbStartTogetherTests {

	private static final String URL = System.getenv("JOBS_TEST_MARIADB");

	private final String prefix = "s" + UUID.randomUUID().toString().substring(0, 8) + "_";

	private final JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(URL));

	@TempDir
	private Path directory;

	@AfterEach
	void dropTables() {
		List<String> all = this.jdbc
			.queryForList(
					"select concat(if(table_type = 'SEQUENCE', 'sequence ', 'table '), table_name)"
							+ " from information_schema.tables where table_name like ?",
					String.class, this.prefix + "%");
		all.forEach((each) -> this.jdbc.execute("drop " + each));
	}

	@Test
	void processesThatStartTogetherCreateTheTablesOnce() throws Exception {
		StartTogetherTests.expectStarts(this.directory, URL, this.prefix);
	}

}
