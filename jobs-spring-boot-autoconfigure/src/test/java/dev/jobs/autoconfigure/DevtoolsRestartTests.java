package dev.jobs.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for an application that DevTools restarts, in a process of its own.
 */
class DevtoolsRestartTests {

	private static Redis server;

	@TempDir
	private Path directory;

	@TempDir
	private Path watched;

	@BeforeAll
	static void startServer() {
		server = Redis.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Test
	void restartWaitsForNoJobAndRunsAllWithTheNewClasses() throws Exception {
		try (ApplicationProcess application = ApplicationProcess.startWithDevtools(this.watched, this.directory,
				RestartedApplication.class,
				properties("--", "spring.devtools.restart.poll-interval=300ms",
						"spring.devtools.restart.quiet-period=100ms", "jobs.concurrency=1",
						"logging.level.dev.jobs.autoconfigure=info"))) {
			application.await("> ready", 1);
			enqueue(List.of(new RestartedApplication.Slow(0)));
			application.await("slow begins with Slow[number=0] of RestartClassLoader true", 1);
			enqueue(IntStream.rangeClosed(1, 5).mapToObj(RestartedApplication.Quick::new).toList());
			long restart = System.nanoTime();
			Files.writeString(this.watched.resolve("changed.properties"), "a=b");
			application.await("Jobs stopped: 0 running job(s) finished, 1 returned to their queues", 1);
			assertThat(Duration.ofNanos(System.nanoTime() - restart)).isLessThan(Duration.ofSeconds(15));
			application.await("> slow is done", 1);
			application.await("> quick is done", 5);
			assertThat(lines(application, "> slow begins")).hasSize(2);
			assertThat(lines(application, "> quick is done")).hasSize(5)
				.allMatch((line) -> line.endsWith(" of RestartClassLoader true"));
			assertThat(lines(application, "> ready")).hasSize(2)
				.allSatisfy((line) -> assertThat(line.split(" ")).doesNotHaveDuplicates());
		}
	}

	private static void enqueue(List<?> jobs) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JobsAutoConfiguration.class))
			.withPropertyValues(properties("", "jobs.worker.enabled=false").toArray(String[]::new))
			.run((context) -> Contexts.client(context).enqueueAll(jobs));
	}

	private static List<String> properties(String prefix, String... more) {
		return Stream
			.concat(Stream.of("spring.application.name=shop", "spring.data.redis.host=127.0.0.1",
					"spring.data.redis.port=" + server.port()), Arrays.stream(more))
			.map((property) -> prefix + property)
			.toList();
	}

	private static List<String> lines(ApplicationProcess application, String start) throws IOException {
		return application.output().lines().filter((line) -> line.startsWith(start)).toList();
	}

}
