package dev.jobs.dashboard;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobState;
import dev.jobs.build.Ports;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the dashboard and Actuator over a Redis with garbage of another program in
 * its keys.
 */
class RedisGarbageHttpTests {

	private static final Duration PATIENCE = Duration.ofSeconds(180);

	private static final List<String> GARBAGE = List.of("not json", "\u0000\u00ff{garbage: 12:x", "");

	private final HttpClient http = HttpClient.newHttpClient();

	private RedisServer redis;

	private RedisClient client;

	private RedisCommands<String, String> commands;

	private ConfigurableApplicationContext context;

	@BeforeEach
	void start() throws IOException {
		int port = Ports.reserve();
		this.redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").onShutdownForceStop(true).build();
		this.redis.start();
		this.client = RedisClient.create(RedisURI.create("127.0.0.1", port));
		this.commands = this.client.connect().sync();
		this.context = new SpringApplicationBuilder(App.class).web(WebApplicationType.SERVLET)
			.properties("server.port=0", "spring.application.name=shop", "jobs.namespace=shop", "jobs.store=redis",
					"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port, "jobs.shutdown.grace=0s",
					"jobs.dashboard.enabled=true", "jobs.dashboard.access=operate", "spring.main.banner-mode=off",
					"management.endpoints.web.exposure.include=*", "management.endpoint.jobs.show-values=always")
			.run();
	}

	@AfterEach
	void stop() throws IOException {
		this.context.close();
		this.client.shutdown();
		this.redis.stop();
	}

	private static String key(String name) {
		return "{shop:0}:" + name;
	}

	private void plant(String queue) {
		GARBAGE.forEach((garbage) -> this.commands.lpush(key("q:" + queue + ":ready"), garbage));
		GARBAGE.forEach((garbage) -> this.commands.rpush(key("q:" + queue + ":ready"), garbage));
		for (String set : List.of("scheduled", "retry", "dead", "running", "done")) {
			for (int i = 0; i < GARBAGE.size(); i++) {
				double score = List.of(0d, 1e300, Double.POSITIVE_INFINITY).get(i);
				this.commands.zadd(key("q:" + queue + ":" + set), score, GARBAGE.get(i));
			}
		}
		for (String hash : List.of("jobs", "trail", "queues", "progress", "tokens", "workers", "schedules")) {
			this.commands.hset(key(hash), "not json", GARBAGE.get(1));
		}
	}

	private String get(String path) throws Exception {
		String port = this.context.getEnvironment().getProperty("local.server.port");
		HttpResponse<String> response = this.http
			.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
				.header("Accept", "application/json")
				.build(), HttpResponse.BodyHandlers.ofString());
		assertThat(response.statusCode()).as(path + ": " + response.body()).isEqualTo(200);
		return response.body();
	}

	private void awaitState(String id, JobState state) {
		JobClient jobs = this.context.getBean(JobClient.class);
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(jobs.find(id))
				.hasValueSatisfying((job) -> assertThat(job.state()).isEqualTo(state)));
	}

	@Test
	void everyListAnswersAndShowsTheRestAndDueJobsRun() throws Exception {
		JobClient jobs = this.context.getBean(JobClient.class);
		String dead = jobs.enqueue("fail", "x").id();
		String retried = jobs.enqueue("fails-at-first", "x").id();
		String later = jobs.enqueue("work", "x", (options) -> options.delay(Duration.ofHours(1))).id();
		String ready = jobs.enqueue("unserved", "x").id();
		awaitState(dead, JobState.DEAD);
		awaitState(retried, JobState.SCHEDULED);
		Awaitility.await().atMost(PATIENCE).until(() -> get("/actuator/jobs/list?state=retrying").contains(retried));
		String due = jobs.enqueue("work", "due", (options) -> options.delay(Duration.ofSeconds(2))).id();
		for (String queue : List.of("fail", "fails-at-first", "work", "unserved")) {
			plant(queue);
		}
		for (String list : List.of("/actuator/jobs/list?limit=1000", "/jobs/api/jobs?limit=200")) {
			assertThat(get(list)).contains(dead, retried, later, ready);
			assertThat(get(list + "&state=dead")).contains(dead);
			assertThat(get(list + "&state=retrying")).contains(retried);
			assertThat(get(list + "&state=scheduled")).contains(later);
			assertThat(get(list + "&state=ready")).contains(ready);
			get(list + "&state=running");
			assertThat(get(list + "&text=boom")).contains(dead);
		}
		for (String id : List.of(dead, retried, later, ready)) {
			assertThat(get("/actuator/jobs/job/" + id)).contains(id);
			assertThat(get("/jobs/api/job?id=" + id)).contains(id);
		}
		for (String path : List.of("/actuator/jobs", "/actuator/jobs/queues", "/jobs/api/overview",
				"/jobs/api/queues")) {
			assertThat(get(path)).contains("\"fail\"", "\"fails-at-first\"", "\"work\"", "\"unserved\"");
		}
		assertThat(get("/actuator/jobs/workers")).contains("\"host\"");
		assertThat(get("/actuator/jobs/schedules")).contains("nightly");
		assertThat(get("/jobs/api/schedules")).contains("nightly");
		assertThat(get("/jobs/api/dead")).contains("boom");
		for (String path : List.of("/actuator/jobs/store", "/jobs/api/stats", "/jobs/api/statistics",
				"/actuator/health", "/jobs/api/jobs?state=succeeded")) {
			get(path);
		}
		Awaitility.await().atMost(PATIENCE).until(() -> jobs.find(due).isEmpty());
		assertThat(this.context.getBean(Work.class).ran).contains("due");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
	@Import(Work.class)
	static class App {

	}

	static class Work {

		private final List<String> ran = new CopyOnWriteArrayList<>();

		@JobHandler("work")
		void work(String text) {
			this.ran.add(text);
		}

		@JobHandler(value = "fail", maxAttempts = 1)
		void fail(String text) {
			throw new IllegalStateException("boom");
		}

		@JobHandler(value = "fails-at-first", backoff = @JobHandler.RetryDelay(type = "fixed", delay = "1h"))
		void failAtFirst(String text) {
			throw new IllegalStateException("not yet");
		}

		@JobHandler(value = "nightly", cron = "0 30 2 * * *")
		void nightly() {
		}

	}

}
