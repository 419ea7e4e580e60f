package dev.jobs.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.JobResult;
import dev.jobs.JobHandler.Lanes;
import dev.jobs.Signal;
import dev.jobs.audit.OperatorActionEvent;
import dev.jobs.audit.OperatorRefusalEvent;
import dev.jobs.operations.JobOperations;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * An application with a real web server, and how tests talk to its Actuator.
 */
public final class ActuatorServer implements AutoCloseable {

	private final HttpClient http = HttpClient.newHttpClient();

	private final ConfigurableApplicationContext context;

	private final String base;

	private ActuatorServer(ConfigurableApplicationContext context) {
		this.context = context;
		String port = context.getEnvironment().getProperty("local.management.port", "");
		this.base = "http://localhost:" + port + "/actuator";
	}

	/** Reactor Netty may stop reading from a connection that is used again. */
	public static ActuatorServer start(WebApplicationType type, String... properties) {
		List<String> all = new ArrayList<>(List.of("server.port=0", "spring.application.name=shop", "jobs.store=memory",
				"jobs.shutdown.grace=1s", "management.endpoints.web.exposure.include=*", "spring.main.banner-mode=off",
				"jobs.schedules.report.cron=0 0 0 1 1 *", "jobs.schedules.report.handler=work",
				"jobs.schedules.report.payload.depth=3", "server.netty.max-keep-alive-requests=1"));
		all.addAll(List.of(properties));
		return new ActuatorServer(
				new SpringApplicationBuilder(App.class).web(type).properties(all.toArray(String[]::new)).run());
	}

	public <T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	public JobClient client() {
		return bean(JobClient.class);
	}

	public JobOperations operations() {
		return bean(JobOperations.class);
	}

	public Answer get(String path) {
		return send(HttpRequest.newBuilder(uri(path)).header("Accept", "application/json").build());
	}

	public Answer post(String path, Map<String, ?> body) {
		return post(path, JsonMapper.shared().writeValueAsString(body));
	}

	public Answer post(String path, String body) {
		return send(HttpRequest.newBuilder(uri(path))
			.header("Content-Type", "application/json")
			.header("Accept", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body))
			.build());
	}

	private URI uri(String path) {
		return URI.create(this.base + path);
	}

	private Answer send(HttpRequest request) {
		try {
			HttpResponse<String> response = this.http.send(request, HttpResponse.BodyHandlers.ofString());
			return new Answer(response.statusCode(), response.body());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		bean(App.class).open.countDown();
		this.context.close();
	}

	/**
	 * What the server answered.
	 *
	 * @param status the status
	 * @param text the body
	 */
	public record Answer(int status, String text) {

		public JsonNode body() {
			return JsonMapper.shared().readTree(this.text);
		}

		public JsonNode at(String pointer) {
			return body().at(pointer);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = { DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class })
	public static class App {

		final CountDownLatch open = new CountDownLatch(1);

		public final List<OperatorActionEvent> acts = new CopyOnWriteArrayList<>();

		public final List<OperatorRefusalEvent> refusals = new CopyOnWriteArrayList<>();

		@EventListener
		void note(OperatorActionEvent event) {
			this.acts.add(event);
		}

		@EventListener
		void note(OperatorRefusalEvent event) {
			this.refusals.add(event);
		}

		/** The server stops at once, without waiting for more requests. */
		@Bean
		ReactorResourceFactory reactorResources() {
			ReactorResourceFactory resources = new ReactorResourceFactory();
			resources.setShutdownQuietPeriod(Duration.ZERO);
			return resources;
		}

		@Bean
		Handlers handlers() {
			return new Handlers(this.open);
		}

	}

	static class Handlers {

		private final CountDownLatch open;

		Handlers(CountDownLatch open) {
			this.open = open;
		}

		@JobHandler("work")
		void work(Map<String, Object> payload) {
		}

		@JobHandler(value = "break", maxAttempts = 1)
		void fail(Map<String, Object> payload) {
			LoggerFactory.getLogger(Handlers.class).warn("about to break");
			throw new IllegalStateException("<script>alert(1)</script>");
		}

		@JobHandler("approval")
		void approve(JobContext context) {
			context.await(Signal.of("approved", Map.class), 7, Duration.ofDays(14));
		}

		@JobHandler(value = "saves", maxAttempts = 1)
		void save(Map<String, Object> payload, JobContext context) {
			context.step("charge", Map.class, () -> payload);
			context.step("mail", () -> {
			});
			throw new IllegalStateException("no parcel");
		}

		@JobHandler(value = "fails-at-first", backoff = @JobHandler.RetryDelay(type = "fixed", delay = "1h"))
		void failAtFirst() {
			throw new IllegalStateException("not yet");
		}

		@JobHandler(value = "keep", keepHistory = "true")
		void keep() {
		}

		@JobHandler(value = "in-order", lanes = @Lanes(ordered = true))
		JobResult runInOrder(String result) {
			return switch (result) {
				case "discard" -> JobResult.discard();
				case "hold back" -> JobResult.holdBack(Duration.ofHours(1));
				default -> JobResult.done();
			};
		}

		@JobHandler("unused")
		void remainUnused() {
		}

		@JobHandler("hang")
		void hang(Map<String, Object> payload, JobContext context) throws InterruptedException {
			context.checkIn("halfway");
			context.progress(5, 10);
			this.open.await();
		}

	}

}
