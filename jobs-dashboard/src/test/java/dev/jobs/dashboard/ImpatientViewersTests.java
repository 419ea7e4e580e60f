package dev.jobs.dashboard;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.build.Ports;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for viewers who look at large dead jobs, give up after a second and ask again, of
 * an application with little memory.
 */
class ImpatientViewersTests {

	private static final List<String> PAGES = List.of("/jobs/api/jobs?state=dead",
			"/jobs/api/jobs?state=dead&limit=200", "/jobs/api/dead", "/jobs/api/jobs?text=zzzzzz",
			"/jobs/api/jobs?error=zzz&limit=200", "/actuator/jobs/list?limit=1000", "/actuator/jobs/list?text=zzzzzz");

	private static final int VIEWERS = 6;

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	/** What reads no payloads takes far less, and what reads them takes longer. */
	private static final Duration WITHOUT_PAYLOADS = Duration.ofMillis(300);

	/**
	 * A busy machine makes some answers late, and code that reads too much all of them.
	 */
	private static final int TRIES = 20;

	private static final Duration LOOKING = Duration.ofSeconds(20);

	@TempDir
	private Path directory;

	@Test
	void viewersHoldUpNeitherBeatsNorEnqueuesInRedis() throws Exception {
		int port = Ports.reserve();
		RedisServer redis = RedisServer.newRedisServer()
			.port(port)
			.bind("127.0.0.1")
			.setting("save \"\"")
			.onShutdownForceStop(true)
			.build();
		redis.start();
		try {
			look("jobs.store=redis", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port,
					"spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration");
		}
		finally {
			redis.stop();
		}
	}

	@Test
	void viewersHoldUpNeitherBeatsNorEnqueuesInPostgres() throws Exception {
		try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setServerConfig("fsync", "off")
			.start()) {
			look("jobs.store=jdbc", "spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
					"jobs.jdbc.initialize-schema=always");
		}
	}

	private void look(String... properties) throws Exception {
		Path output = Files.createTempFile(this.directory, "process", ".out");
		Process process = start(output, properties);
		try {
			Awaitility.await()
				.atMost(Duration.ofMinutes(6))
				.until(() -> !process.isAlive() || Files.readString(output).contains("> port "));
			assertThat(process.isAlive()).as(Files.readString(output)).isTrue();
			String port = Files.readString(output).replaceAll("(?s).*> port (\\d+).*", "$1");
			for (String page : PAGES) {
				Duration most = page.contains("text=") ? PATIENCE : WITHOUT_PAYLOADS;
				assertThat(best(port, page, most)).as(page).isLessThan(most);
			}
			List<String> looked = new ArrayList<>(PAGES);
			String id = firstDead(port);
			looked.addAll(List.of("/jobs/api/job?id=" + id, "/actuator/jobs/job/" + id, "/actuator/jobs/job?id=" + id));
			Set<Integer> statuses = ConcurrentHashMap.newKeySet();
			long end = System.nanoTime() + LOOKING.toNanos();
			CompletableFuture
				.allOf(IntStream.range(0, VIEWERS)
					.mapToObj((viewer) -> CompletableFuture.runAsync(() -> ask(port, looked, viewer, end, statuses),
							(task) -> new Thread(task).start()))
					.toArray(CompletableFuture[]::new))
				.join();
			assertThat(statuses).as(Files.readString(output)).contains(200).isSubsetOf(200, 503);
			process.getOutputStream().write('\n');
			process.getOutputStream().flush();
			assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
			assertThat(Files.readString(output)).contains("> ran ").doesNotContain("> fault ", "> refused ");
		}
		finally {
			process.destroyForcibly();
			process.onExit().join();
		}
	}

	private static Process start(Path output, String... properties) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-XX:+ExitOnOutOfMemoryError", ViewedApplication.class.getName(),
				"--server.port=0", "--server.address=127.0.0.1", "--jobs.dashboard.enabled=true",
				"--jobs.dashboard.access=operate", "--jobs.shutdown.grace=0s", "--spring.main.banner-mode=off",
				"--management.endpoints.web.exposure.include=*", "--management.endpoint.jobs.show-values=always"));
		Stream.of(properties).forEach((property) -> command.add("--" + property));
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
		builder.environment()
			.put("CLASSPATH", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
		return builder.start();
	}

	/**
	 * Return how long a page took for the only viewer, once it took less than the most it
	 * may, or else at best.
	 */
	private static Duration best(String port, String page, Duration most) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + page)).build();
		Duration best = Duration.ofDays(1);
		for (int i = 0; i < TRIES && best.compareTo(most) >= 0; i++) {
			long begin = System.nanoTime();
			int status = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).statusCode();
			Duration took = Duration.ofNanos(System.nanoTime() - begin);
			best = (status == 200 && took.compareTo(best) < 0) ? took : best;
		}
		return best;
	}

	private static String firstDead(String port) throws IOException, InterruptedException {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:" + port + "/jobs/api/jobs?state=dead&limit=1"))
			.build();
		String found = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
		assertThat(found).contains("\"id\":\"");
		return found.replaceAll("(?s).*?\"id\":\"(.*?)\".*", "$1");
	}

	private static void ask(String port, List<String> pages, int viewer, long end, Set<Integer> statuses) {
		HttpClient client = HttpClient.newHttpClient();
		for (int asked = viewer; System.nanoTime() < end; asked++) {
			URI page = URI.create("http://127.0.0.1:" + port + pages.get(asked % pages.size()));
			try {
				statuses
					.add(client.send(HttpRequest.newBuilder(page).timeout(PATIENCE).build(), BodyHandlers.ofString())
						.statusCode());
			}
			catch (HttpTimeoutException ex) {
				// It asks again.
			}
			catch (IOException | InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
	}

}
