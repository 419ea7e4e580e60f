package dev.jobs.dashboard;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import dev.jobs.JobClient;
import dev.jobs.operations.JobOperations;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SharedOverview}.
 */
class SharedOverviewTests {

	/** One for each task, since a pool of one would be held up itself. */
	private static final Executor THREADS = (task) -> new Thread(task).start();

	private final AtomicInteger reads = new AtomicInteger();

	private final AtomicLong nanos = new AtomicLong();

	private Supplier<String> store = () -> "{}";

	private final SharedOverview shared = new SharedOverview(() -> {
		this.reads.incrementAndGet();
		return this.store.get();
	}, Duration.ofMillis(500), this.nanos::get);

	@Test
	void pageThatAsksAPeriodAfterItsAnswerGetsANewOne() {
		for (int i = 0; i < 3; i++) {
			this.shared.latest();
			this.nanos.addAndGet(Duration.ofMillis(499).toNanos());
			this.shared.latest();
			assertThat(this.reads).hasValue(i + 1);
			this.nanos.addAndGet(Duration.ofMillis(1).toNanos());
		}
	}

	@Test
	void failedReadIsNotRepeatedAtOnce() {
		this.store = () -> {
			throw new IllegalStateException("down");
		};
		for (int i = 0; i < 100; i++) {
			assertThatExceptionOfType(IllegalStateException.class).isThrownBy(this.shared::latest);
		}
		assertThat(this.reads).hasValue(1);
		this.store = () -> "{}";
		this.nanos.addAndGet(Duration.ofMillis(500).toNanos());
		assertThat(this.shared.latest()).isEqualTo("{}");
	}

	@Test
	void readThatBeganBeforeAnActionDoesNotShowAfterIt() {
		this.store = () -> {
			this.shared.forget();
			return "before";
		};
		this.shared.latest();
		this.store = () -> "after";
		assertThat(this.shared.latest()).isEqualTo("after");
		assertThat(this.shared.latest()).isEqualTo("after");
		assertThat(this.reads).hasValue(2);
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void openPagesShareOneReadOfTheStore(WebApplicationType type) {
		try (Server server = start(type)) {
			Store store = server.bean(Store.class);
			String overview = server.get("/api/overview").body();
			List<CompletableFuture<String>> pages = IntStream.range(0, 40)
				.mapToObj((i) -> CompletableFuture.supplyAsync(() -> server.get("/api/overview").body(), THREADS))
				.toList();
			assertThat(pages).allSatisfy((page) -> assertThat(page.join()).isEqualTo(overview));
			assertThat(store.reads).hasValue(1);
		}
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void actionShowsAtOnce(WebApplicationType type) {
		try (Server server = start(type)) {
			server.bean(JobClient.class).enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
			assertThat(isPaused(server)).isFalse();
			assertThat(server.act("pause", "{\"queue\":\"nightly\"}").statusCode()).isEqualTo(200);
			assertThat(isPaused(server)).isTrue();
		}
	}

	private static boolean isPaused(Server server) {
		return server.json("/api/overview")
			.path("queues")
			.valueStream()
			.filter((queue) -> queue.path("name").asString().equals("nightly"))
			.map((queue) -> queue.path("paused"))
			.findFirst()
			.map(JsonNode::asBoolean)
			.orElseThrow();
	}

	@ParameterizedTest
	@EnumSource(names = { "SERVLET", "REACTIVE" })
	void slowReadHoldsUpNobodyForLong(WebApplicationType type) throws Exception {
		try (Server server = start(type)) {
			Store store = server.bean(Store.class);
			store.mayEnd = new CountDownLatch(1);
			CompletableFuture<HttpResponse<String>> first = CompletableFuture
				.supplyAsync(() -> server.get("/api/overview"), THREADS);
			try {
				store.reading.await();
				HttpResponse<String> refused = server.get("/api/overview");
				assertThat(refused.statusCode()).isEqualTo(503);
				assertThat(refused.headers().firstValue("Retry-After")).contains("1");
				assertThat(server.get("/api/jobs").statusCode()).isEqualTo(200);
				assertThat(first).isNotDone();
			}
			finally {
				store.mayEnd.countDown();
			}
			assertThat(first.get().statusCode()).isEqualTo(200);
			assertThat(server.get("/api/overview").body()).isEqualTo(first.get().body());
		}
	}

	private static Server start(WebApplicationType type) {
		return Server.start(type, (type == WebApplicationType.SERVLET) ? Servlet.class : Reactive.class,
				"jobs.dashboard.access=operate", "jobs.dashboard.refresh=1h");
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Applications.Servlet.class, Store.class })
	static class Servlet {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Applications.Reactive.class, Store.class })
	static class Reactive {

	}

	/**
	 * Counts the reads of all queues, and lets them wait.
	 */
	static class Store implements BeanPostProcessor {

		final AtomicInteger reads = new AtomicInteger();

		final CountDownLatch reading = new CountDownLatch(1);

		volatile CountDownLatch mayEnd = new CountDownLatch(0);

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof JobOperations) ? Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { JobOperations.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("queues")) {
							this.reads.incrementAndGet();
							this.reading.countDown();
							this.mayEnd.await();
						}
						try {
							return method.invoke(bean, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					}) : bean;
		}

	}

}
