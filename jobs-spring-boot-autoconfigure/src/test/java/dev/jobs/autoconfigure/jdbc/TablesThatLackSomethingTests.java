package dev.jobs.autoconfigure.jdbc;

import java.nio.file.Path;
import java.util.List;

import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Greeter;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcSchema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an application whose tables are not as this version of Jobs wants them. Those
 * of {@link JobTablesTests} are on PostgreSQL.
 */
@ExtendWith(OutputCaptureExtension.class)
class TablesThatLackSomethingTests {

	private static final String NEVER = "jobs.jdbc.initialize-schema=never";

	@TempDir
	private Path directory;

	private String url(Database database) {
		return (database == Database.H2) ? "jdbc:h2:" + this.directory.resolve("jobs")
				: "jdbc:sqlite:" + this.directory.resolve("jobs.db");
	}

	private static JdbcTemplate jdbc(String url) {
		return new JdbcTemplate(new DriverManagerDataSource(url));
	}

	private static ApplicationContextRunner runner(String url) {
		return new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JobsAutoConfiguration.class))
			.withUserConfiguration(Greeter.class)
			.withPropertyValues("spring.application.name=shop", "spring.datasource.url=" + url, "jobs.store=jdbc",
					"jobs.shutdown.grace=0s");
	}

	private static void assertThatJobsRun(ApplicationContextRunner runner) {
		runner.run((context) -> {
			Contexts.client(context).enqueue("greet", "Ada");
			assertThat(context.getBean(Greeter.class).greeted.next()).isEqualTo("Ada");
		});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			H2     | drop sequence jobs_token                      | sequence jobs_token
			SQLITE | delete from jobs_counter where name = 'token' | row 'token' of table jobs_counter
			""")
	void whateverIsMissingInAFileIsNamedOrAdded(Database database, String statement, String name) {
		String url = url(database);
		assertThatJobsRun(runner(url));
		jdbc(url).execute("drop table jobs_tally");
		assertThatStartNames(url, "table jobs_tally");
		assertThatJobsRun(runner(url));
		jdbc(url).execute(statement);
		assertThatStartNames(url, name);
		assertThatJobsRun(runner(url));
		jdbc(url).execute("delete from jobs_schema");
		assertThatStartNames(url, "version");
		assertThatJobsRun(runner(url));
		assertThatJobsRun(runner(url).withPropertyValues(NEVER));
		jdbc(url).execute("alter table jobs_queue drop column paused");
		runner(url).run((context) -> assertThat(Contexts.analysis(context)).contains("a column of table jobs_queue")
			.containsIgnoringCase("paused"));
	}

	private static void assertThatStartNames(String url, String... missing) {
		runner(url).withPropertyValues(NEVER)
			.run((context) -> assertThat(Contexts.analysis(context)).contains(missing)
				.contains("jobs.jdbc.initialize-schema=always"));
	}

	@ParameterizedTest
	@EnumSource(names = { "H2", "SQLITE" })
	void tablesOfALaterVersionAreUsedWithAWarning(Database database, CapturedOutput output) {
		String url = url(database);
		assertThatJobsRun(runner(url));
		assertThat(output).doesNotContain("later version of Jobs");
		jdbc(url).execute("insert into jobs_schema (version) values (99)");
		assertThatJobsRun(runner(url));
		assertThat(output).contains("The tables of the jobs were created by a later version of Jobs than this one, "
				+ "which needs version " + JdbcSchema.VERSION + " of them, and they have 99. Use the later version");
	}

	@Test
	void rightThatAUserOfH2LacksIsNamed() {
		String url = url(Database.H2);
		asClerk(url, "select, insert, update");
		runner(url).withPropertyValues(NEVER, "spring.datasource.username=clerk", "spring.datasource.password=secret")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("delete on table jobs_job")
				.contains("grant"));
	}

	@Test
	void userOfH2WhoIsNoAdministratorIsWarned(CapturedOutput output) {
		String url = url(Database.H2);
		asClerk(url, "select, insert, update, delete");
		assertThatJobsRun(runner(url).withPropertyValues(NEVER, "spring.datasource.username=clerk",
				"spring.datasource.password=secret"));
		assertThat(output).contains("The user of H2 is no administrator")
			.contains("lost if the process is killed")
			.contains("alter user ... admin true");
	}

	@Test
	void administratorOfH2IsNotWarned(CapturedOutput output) {
		assertThatJobsRun(runner(url(Database.H2)));
		assertThat(output).doesNotContain("administrator");
	}

	/**
	 * Create the tables, and a user who has some rights on them. The first user of a file
	 * is an administrator.
	 */
	private static void asClerk(String url, String rights) {
		JdbcTemplate administrator = jdbc(url);
		administrator.execute(JdbcSchema.of(Database.H2, "jobs_"));
		administrator.execute("create user clerk password 'secret'");
		List<String> tables = administrator.queryForList(
				"select table_name from information_schema.tables where table_schema = 'PUBLIC'", String.class);
		tables.forEach((table) -> administrator.execute("grant " + rights + " on " + table + " to clerk"));
	}

}
