package dev.jobs.autoconfigure.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for several processes that find no tables in a file, all at the same moment. On
 * PostgreSQL it makes no difference where connections come from, so
 * {@link JobTablesTests} starts several contexts instead.
 */
class StartTogetherTests {

	private static final int PROCESSES = 3;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "h2", "sqlite" })
	void processesThatStartTogetherCreateTheTablesOnce(String kind) throws Exception {
		if (kind.equals("h2")) {
			String url = "jdbc:h2:" + this.directory.resolve("jobs") + ";AUTO_SERVER=TRUE";
			try (Connection open = DriverManager.getConnection(url)) {
				expectStarts(url);
				assertThat(open.isValid(1)).isTrue();
			}
		}
		else {
			expectStarts("jdbc:sqlite:" + this.directory.resolve("jobs.db"));
		}
	}

	private void expectStarts(String url) throws Exception {
		expectStarts(this.directory, url, "jobs_");
	}

	/**
	 * Start processes at the same moment and expect that each stores a job in the same
	 * tables.
	 */
	static void expectStarts(Path directory, String url, String prefix) throws Exception {
		List<Process> processes = new ArrayList<>();
		try {
			for (int i = 0; i < PROCESSES; i++) {
				processes.add(start(url, prefix, directory.resolve("output" + i)));
			}
			while (ready(directory) < PROCESSES && processes.stream().allMatch(Process::isAlive)) {
				processes.get(0).waitFor(50, TimeUnit.MILLISECONDS);
			}
			for (Process process : processes) {
				process.getOutputStream().write('\n');
				process.getOutputStream().flush();
			}
			for (int i = 0; i < PROCESSES; i++) {
				assertThat(processes.get(i).waitFor(120, TimeUnit.SECONDS)).isTrue();
				assertThat(processes.get(i).exitValue()).as(Files.readString(directory.resolve("output" + i))).isZero();
			}
		}
		finally {
			processes.forEach(Process::destroyForcibly);
		}
		JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(url));
		assertThat(jdbc.queryForObject("select count(*) from " + prefix + "job", Integer.class)).isEqualTo(PROCESSES);
		assertThat(jdbc.queryForObject("select count(*) from " + prefix + "schema", Integer.class))
			.isEqualTo(JdbcSchema.VERSION);
	}

	private static Process start(String url, String prefix, Path output) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx128m",
						"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dspring.devtools.restart.enabled=false",
						Shop.class.getName(), "--spring.datasource.url=" + url, "--spring.application.name=shop",
						"--jobs.jdbc.table-prefix=" + prefix, "--jobs.jdbc.initialize-schema=always",
						"--jobs.worker.enabled=false", "--spring.main.web-application-type=none"));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
		builder.environment()
			.put("CLASSPATH", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
		return builder.start();
	}

	private static long ready(Path directory) throws IOException {
		long ready = 0;
		try (Stream<Path> outputs = Files.list(directory)) {
			for (Path output : outputs.filter((file) -> file.getFileName().toString().startsWith("output")).toList()) {
				ready += Files.readString(output).contains("ready") ? 1 : 0;
			}
		}
		return ready;
	}

	/**
	 * The application that is started: it waits for a word, and ends when it has enqueued
	 * a job.
	 */
	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, JobsAutoConfiguration.class })
	static class Shop {

		public static void main(String[] arguments) throws IOException {
			System.out.println("ready");
			if (System.in.read() >= 0) {
				try (ConfigurableApplicationContext context = SpringApplication.run(Shop.class, arguments)) {
					context.getBean(JobClient.class).enqueue("greet", "Ada");
				}
			}
		}

		@JobHandler("greet")
		void greet(String name) {
			throw new IllegalStateException("No worker is enabled");
		}

	}

}
