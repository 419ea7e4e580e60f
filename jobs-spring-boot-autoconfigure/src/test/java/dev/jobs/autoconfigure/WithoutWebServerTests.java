package dev.jobs.autoconfigure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.TestContextManager;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how long applications without a web server live, each in a process.
 */
class WithoutWebServerTests {

	/** What a JVM returns that SIGTERM has ended. */
	private static final int TERMINATED = 143;

	private static Redis server;

	@TempDir
	private Path directory;

	@BeforeAll
	static void startServer() {
		server = Redis.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@ParameterizedTest
	@EnumSource
	void workerStaysUpAndLetsRunningJobsFinishOnceItIsTerminated(Place place) throws Exception {
		try (ApplicationProcess worker = start(place.properties(this.directory))) {
			worker.await("main returns", 1);
			for (int i = 1; i <= 3; i++) {
				worker.say("quick");
				worker.await("quick is done", i);
			}
			worker.say("slow");
			worker.await("slow begins", 1);
			worker.terminate();
			worker.await("Jobs stop: 1 running job(s) have up to 20 s to end", 1);
			worker.say("release");
			assertThat(worker.awaitEnd()).isEqualTo(TERMINATED);
			assertThat(worker.output()).contains("> slow is done")
				.contains("Jobs stopped: 1 running job(s) finished, 0 returned to their queues");
		}
	}

	@Test
	void closedContextEndsTheProcessAlsoAfterARestart() throws Exception {
		try (ApplicationProcess worker = start(Place.MEMORY.properties(this.directory))) {
			worker.say("restart");
			worker.await("restarted", 1);
			worker.say("quick");
			worker.await("quick is done", 1);
			worker.say("close");
			assertThat(worker.awaitEnd()).isZero();
		}
	}

	@Test
	void producerEndsWithItsMain() throws Exception {
		try (ApplicationProcess producer = start(
				List.of("--jobs.store=memory", "--jobs.worker.enabled=false", "--spring.application.name=shop"))) {
			assertThat(producer.awaitEnd()).isZero();
			assertThat(producer.output()).contains("main returns");
		}
	}

	@Test
	void workerEndsWithItsMainIfTheApplicationWantsThat() throws Exception {
		List<String> arguments = new ArrayList<>(Place.MEMORY.properties(this.directory));
		arguments.add("--spring.main.keep-alive=false");
		try (ApplicationProcess worker = start(arguments)) {
			assertThat(worker.awaitEnd()).isZero();
			assertThat(worker.output()).contains("main returns");
		}
	}

	@Test
	void workerInTheContextOfATestKeepsNoProcessUp() throws Exception {
		try (ApplicationProcess tests = ApplicationProcess.start(this.directory, TestRun.class, List.of())) {
			assertThat(tests.awaitEnd()).isZero();
			assertThat(tests.output()).contains("> tests are done").contains("pools default=20");
		}
	}

	private ApplicationProcess start(List<String> properties) throws IOException {
		return ApplicationProcess.start(this.directory, WorkerApplication.class, properties);
	}

	/**
	 * Where jobs are kept.
	 */
	enum Place {

		/** In memory. */
		MEMORY,

		/** In a file. */
		H2,

		/** In Redis. */
		REDIS;

		List<String> properties(Path directory) {
			Stream<String> own = switch (this) {
				case MEMORY -> Stream.of("--jobs.store=memory");
				case H2 -> Stream.of("--spring.datasource.url=jdbc:h2:file:" + directory.resolve("shop"));
				case REDIS ->
					Stream.of("--spring.data.redis.host=127.0.0.1", "--spring.data.redis.port=" + server.port());
			};
			return Stream.concat(own, Stream.of("--spring.application.name=shop", "--jobs.shutdown.grace=20s",
					"--logging.level.dev.jobs.autoconfigure=info"))
				.toList();
		}

	}

	/**
	 * Runs what JUnit would, and leaves the context in its cache, as JUnit does.
	 */
	@SpringBootTest(classes = WorkerApplication.class, webEnvironment = WebEnvironment.NONE, properties = {
			"jobs.store=memory", "spring.application.name=shop", "logging.level.dev.jobs.autoconfigure=info" })
	static class TestRun {

		public static void main(String[] arguments) throws Exception {
			new TestContextManager(TestRun.class).prepareTestInstance(new TestRun());
			WorkerApplication.say("tests are done");
		}

	}

}
