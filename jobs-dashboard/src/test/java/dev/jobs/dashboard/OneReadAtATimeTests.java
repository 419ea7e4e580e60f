package dev.jobs.dashboard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import dev.jobs.JobClient;
import dev.jobs.operations.JobOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for a dashboard that reads one list of a kind at a time.
 */
class OneReadAtATimeTests {

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void viewerWhoGetsNoTurnIsToldWhenToAskAgainAndNothingElseWaits(WebApplicationType type) throws Exception {
		Class<?> application = (type == WebApplicationType.SERVLET) ? SlowServlet.class : SlowReactive.class;
		try (Server server = Server.start(type, application, "jobs.dashboard.access=operate")) {
			String id = server.bean(JobClient.class)
				.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)))
				.id();
			SlowLists slow = server.bean(SlowLists.class);
			slow.held = "page";
			CompletableFuture<HttpResponse<String>> first = CompletableFuture
				.supplyAsync(() -> server.get("/api/jobs"));
			slow.reading.await();
			HttpResponse<String> refused = server.get("/api/jobs");
			assertThat(refused.statusCode()).isEqualTo(503);
			assertThat(refused.headers().firstValue("Retry-After")).contains("1");
			assertThat(Server.json(refused).path("error").asString()).contains("Others read lists of jobs",
					"Ask again in a second");
			assertThat(server.get("/api/job?id=" + id).statusCode()).isEqualTo(200);
			assertThat(server.get("/api/dead").statusCode()).isEqualTo(200);
			assertThat(server.get("/api/bulk").statusCode()).isEqualTo(200);
			assertThat(server.get("/api/lanes?queue=nightly").statusCode()).isEqualTo(200);
			assertThat(server.act("cancel", "{\"ids\":[\"" + id + "\"]}").statusCode()).isEqualTo(200);
			slow.held = "";
			slow.mayEnd.countDown();
			assertThat(first.get().statusCode()).isEqualTo(200);
			assertThat(server.get("/api/jobs").statusCode()).isEqualTo(200);
		}
	}

	@Test
	void jobIsReadWhileNoOtherIs() throws Exception {
		try (Server server = Server.start(WebApplicationType.SERVLET, SlowServlet.class,
				"jobs.dashboard.access=operate")) {
			String job = "/api/job?id=" + server.bean(JobClient.class)
				.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)))
				.id();
			SlowLists slow = server.bean(SlowLists.class);
			slow.held = "find";
			CompletableFuture<HttpResponse<String>> first = CompletableFuture.supplyAsync(() -> server.get(job));
			slow.reading.await();
			assertThat(server.get(job).statusCode()).isEqualTo(503);
			assertThat(server.get("/api/jobs").statusCode()).isEqualTo(200);
			slow.held = "";
			slow.mayEnd.countDown();
			assertThat(first.get().statusCode()).isEqualTo(200);
			assertThat(server.get(job).statusCode()).isEqualTo(200);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Applications.Servlet.class, SlowLists.class })
	static class SlowServlet {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Applications.Reactive.class, SlowLists.class })
	static class SlowReactive {

	}

	/**
	 * Reads jobs only once the test lets it.
	 */
	static class SlowLists implements BeanPostProcessor {

		final CountDownLatch reading = new CountDownLatch(1);

		final CountDownLatch mayEnd = new CountDownLatch(1);

		volatile String held = "";

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof JobOperations) ? slow(JobOperations.class, bean) : bean;
		}

		private Object slow(Class<?> type, Object operations) {
			return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						if (method.getName().equals(this.held)) {
							this.reading.countDown();
							this.mayEnd.await();
						}
						try {
							Object result = method.invoke(operations, arguments);
							Class<?> noun = method.getReturnType();
							boolean isNoun = noun.getPackage() == JobOperations.class.getPackage();
							return isNoun ? slow(noun, result) : result;
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					});
		}

	}

}
