package dev.jobs.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what an application with default settings, and with the levels that Spring
 * Boot logs at by default, writes while its store is down. Of Jobs itself that is about a
 * line in half a minute. The drivers write about their own tries, Redis' for each of two
 * connections, less often with time, and the pool once about each connection that was in
 * use, with a stack trace.
 */
class OutageLogTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/** The name of a logger of Jobs, which may be shortened. */
	private static final Pattern OWN = Pattern.compile("\\] (dev|d)\\.j(obs)?\\.[\\w.]+ +: ");

	/** Where an entry begins, behind which a stack trace may follow. */
	private static final Pattern ENTRY = Pattern.compile("(?m)^(?=\\d{4}-\\d\\d-\\d\\dT)");

	@TempDir
	private Path directory;

	@Test
	void outageOfAMinuteIsLoggedInFewLinesByRedisAndByPostgres() throws Exception {
		Redis redis = Redis.start();
		Postgres postgres = Postgres.start();
		try (ApplicationProcess onRedis = start("redis",
				List.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + redis.port()));
				ApplicationProcess onPostgres = start("jdbc",
						List.of("--spring.datasource.url=" + postgres.url("postgres"),
								"--jobs.jdbc.initialize-schema=always"))) {
			List<ApplicationProcess> all = List.of(onRedis, onPostgres);
			for (ApplicationProcess each : all) {
				each.await("main returns", 1);
				each.say("quick");
				each.await("quick is done", 1);
			}
			List<Integer> before = new ArrayList<>();
			for (ApplicationProcess each : all) {
				before.add(entries(each).size());
			}
			redis.close();
			postgres.close();
			long begun = System.nanoTime();
			Awaitility.await().atMost(MINUTE.multipliedBy(2)).until(() -> System.nanoTime() - begun > MINUTE.toNanos());
			for (int i = 0; i < all.size(); i++) {
				List<String> written = entries(all.get(i));
				List<String> since = written.subList(before.get(i), written.size());
				assertThat(since).hasSizeLessThan(40);
				assertThat(since.stream().flatMap(String::lines)).hasSizeLessThan(300);
				assertThat(since).filteredOn((entry) -> OWN.matcher(entry).find())
					.hasSizeBetween(1, 5)
					.allMatch((entry) -> entry.lines().count() == 1);
				assertThat(all.get(i).isAlive()).isTrue();
			}
		}
	}

	private ApplicationProcess start(String store, List<String> properties) throws IOException {
		List<String> arguments = new ArrayList<>(properties);
		arguments.addAll(List.of("--jobs.store=" + store, "--spring.application.name=shop",
				"--logging.config=classpath:dev/jobs/build/logback-application.xml"));
		return ApplicationProcess.start(this.directory, WorkerApplication.class, arguments);
	}

	private static List<String> entries(ApplicationProcess process) throws IOException {
		return List.of(ENTRY.split(process.output()));
	}

}
