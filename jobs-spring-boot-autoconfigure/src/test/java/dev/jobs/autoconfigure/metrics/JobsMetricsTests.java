package dev.jobs.autoconfigure.metrics;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.jobs.DeadReason;
import dev.jobs.EnqueueOptions;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.autoconfigure.ActuatorServer;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.engine.JobEngine;
import dev.jobs.metrics.JobGauges;
import dev.jobs.metrics.ObservationMeters;
import dev.jobs.metrics.TimedStore;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.SettableClock;
import io.micrometer.core.instrument.Measurement;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationPredicate;
import io.micrometer.observation.ObservationRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationRegistryCustomizer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Tests for the metrics of jobs.
 */
class JobsMetricsTests {

	private final ApplicationContextRunner runner = Contexts.runner()
		.withConfiguration(AutoConfigurations.of(JobsMetricsAutoConfiguration.class))
		.withPropertyValues("jobs.worker.enabled=false", "jobs.metrics.cache-time=1s", "jobs.metrics.timeout=30s")
		.withBean(Handlers.class)
		.withBean(SettableClock.class, () -> SettableClock.at(Instant.parse("2026-01-01T00:00:00Z")))
		.withBean(SimpleMeterRegistry.class);

	@Test
	void whatHappensToJobsIsCountedAndTimed() {
		this.runner.run((context) -> {
			JobClient client = context.getBean(JobClient.class);
			client.enqueue("work", Map.of());
			client.enqueue("fail", Map.of());
			client.enqueue("die", Map.of());
			client.enqueue("snooze", Map.of());
			for (int i = 0; i < 3; i++) {
				client.tryEnqueue(JobRequest.named("nobody").payload(Map.of()).options((set) -> set.maxWaiting(2)));
			}
			context.getBean(SettableClock.class).advance(Duration.ofSeconds(7));
			context.getBean(JobEngine.class).runUntilIdle();
			MeterRegistry registry = registry(context);
			assertThat(registry.get("jobs.enqueued").tag("handler", "work").counter().count()).isOne();
			assertThat(registry.get("jobs.wait").tag("handler", "work").timer().totalTime(TimeUnit.SECONDS))
				.isEqualTo(7);
			assertThat(runs(registry, "work", "succeeded")).isOne();
			assertThat(runs(registry, "fail", "retrying")).isOne();
			assertThat(runs(registry, "die", "dead")).isOne();
			assertThat(runs(registry, "snooze", "postponed")).isOne();
			assertThat(registry.get("jobs.dead").tags("handler", "die", "reason", "exhausted").counter().count())
				.isOne();
			assertThat(registry.get("jobs.rejected").tag("handler", "nobody").counter().count()).isOne();
			assertThat(registry.get("jobs.store.calls").tags("verb", "claim", "outcome", "done").timer().count())
				.isPositive();
		});
	}

	/** What looks for an increase sees none if the first value of a series is 1. */
	@Test
	void countersThatAlertsWaitForAreThereBeforeAnythingHappens() {
		this.runner.withPropertyValues("jobs.schedules.nightly.cron=0 0 3 * * *", "jobs.schedules.nightly.handler=work")
			.run((context) -> {
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				for (DeadReason reason : DeadReason.values()) {
					assertThat(registry.get("jobs.dead")
						.tags("handler", "die", "reason", reason.name().toLowerCase(Locale.ROOT))
						.counter()
						.count()).isZero();
				}
				for (String name : List.of("jobs.rescued", "jobs.rejected", "jobs.stuck", "jobs.lease.lost",
						"jobs.enqueue.failed")) {
					assertThat(values(registry, name, "handler")).as(name)
						.containsExactlyInAnyOrder("work", "fail", "die", "snooze");
				}
				assertThat(registry.get("jobs.schedule.missed").tag("schedule", "nightly").counter().count()).isZero();
				assertThat(runs(registry, "fail", "retrying")).isZero();
			});
	}

	@Test
	void queuesAreGaugedByStateAndLeaveNoSeriesBehind() {
		this.runner.run((context) -> {
			JobClient client = context.getBean(JobClient.class);
			SettableClock clock = context.getBean(SettableClock.class);
			client.enqueue("nobody", Map.of());
			client.enqueue("nobody", Map.of(), (options) -> options.delay(Duration.ofHours(1)));
			context.getBean(JobOperations.class).queue("nobody").pause();
			clock.advance(Duration.ofSeconds(10));
			MeterRegistry registry = registry(context);
			assertThat(registry.get("jobs.store.up").gauge().value()).isOne();
			assertThat(jobs(registry, "nobody", "ready")).isOne();
			assertThat(jobs(registry, "nobody", "scheduled")).isOne();
			assertThat(registry.get("jobs.queue.oldest").tag("queue", "nobody").gauge().value()).isEqualTo(10);
			assertThat(registry.get("jobs.queue.paused").tag("queue", "nobody").gauge().value()).isOne();
			assertThat(registry.get("jobs.queue.served").tag("queue", "nobody").gauge().value()).isZero();
			client.enqueue("nobody", Map.of());
			assertThat(jobs(registry, "nobody", "ready")).as("cached").isOne();
			clock.advance(Duration.ofSeconds(2));
			assertThat(jobs(registry, "nobody", "ready")).isEqualTo(2);
			context.getBean(JobOperations.class).store().purge();
			clock.advance(Duration.ofSeconds(2));
			registry.get("jobs.store.up").gauge().value();
			assertThat(registry.find("jobs.queue.jobs").gauges()).isEmpty();
			assertThat(registry.find("jobs.queue.oldest").gauges()).isEmpty();
		});
	}

	@Test
	void poolsAndLoopsOfThisProcessAreGauged() {
		this.runner.withPropertyValues("jobs.worker.enabled=true", "jobs.concurrency=3").run((context) -> {
			MeterRegistry registry = registry(context);
			SettableClock clock = context.getBean(SettableClock.class);
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				clock.advance(Duration.ofSeconds(2));
				registry.get("jobs.store.up").gauge().value();
				assertThat(registry.get("jobs.pool.size").tag("pool", "default").gauge().value()).isEqualTo(3);
				assertThat(registry.get("jobs.pool.busy").tag("pool", "default").gauge().value()).isZero();
				assertThat(registry.get("jobs.loop.lag").tag("loop", "beat").gauge().value()).isNotNegative();
			});
			context.getBean(JobEngine.class).stopNow();
			clock.advance(Duration.ofSeconds(2));
			registry.get("jobs.store.up").gauge().value();
			assertThat(registry.find("jobs.pool.size").gauges()).isEmpty();
			assertThat(registry.find("jobs.loop.lag").gauges()).isEmpty();
		});
	}

	@Test
	void workersThatAreWantedAreGauged() {
		this.runner.withPropertyValues("jobs.worker.enabled=true").run((context) -> {
			SettableClock clock = context.getBean(SettableClock.class);
			JobOperations operations = context.getBean(JobOperations.class);
			JobClient client = context.getBean(JobClient.class);
			Awaitility.await().until(() -> !operations.pools().isEmpty());
			for (String queue : List.of("work", "snooze")) {
				client.enqueue(queue, Map.of(), (options) -> options.delay(Duration.ofDays(1)));
				operations.queue(queue).pause();
				IntStream.range(0, 10).forEach((i) -> client.enqueue(queue, Map.of()));
			}
			MeterRegistry registry = registry(context);
			Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
				clock.advance(Duration.ofSeconds(2));
				assertThat(jobs(registry, "work", "ready")).isEqualTo(10);
				assertThat(registry.get("jobs.queue.wanted").tag("queue", "work").gauge().value()).isZero();
				assertThat(registry.get("jobs.workers.wanted").tag("pool", "default").gauge().value()).isZero();
			});
		});
	}

	@Test
	void scrapeReadsTheStoreOnceForAllGauges() {
		this.runner.run((context) -> {
			Map<String, Integer> calls = new ConcurrentHashMap<>();
			JobInspector inspector = context.getBean(JobInspector.class);
			JobInspector counted = (JobInspector) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { JobInspector.class }, (proxy, method, arguments) -> {
						calls.merge(method.getName(), 1, Integer::sum);
						return method.invoke(inspector, arguments);
					});
			context.getBean(JobClient.class).enqueue("work", Map.of());
			MeterRegistry registry = new SimpleMeterRegistry();
			new JobGauges(counted, List::of, Map::of, (pool) -> Duration.ofSeconds(30),
					context.getBean(SettableClock.class), 100, Duration.ofSeconds(5), Duration.ofSeconds(30))
				.bindTo(registry);
			for (int i = 0; i < 3; i++) {
				registry.getMeters().forEach((meter) -> meter.measure().forEach(Measurement::getValue));
			}
			calls.remove("store");
			assertThat(calls).containsOnly(Map.entry("queues", 1), Map.entry("workers", 1), Map.entry("statistics", 1));
		});
	}

	@Test
	void firstScrapeFindsQueuesPoolsAndLoops() {
		try (ActuatorServer server = ActuatorServer.start(WebApplicationType.NONE)) {
			MeterRegistry registry = server.bean(MeterRegistry.class);
			assertThat(registry.find("jobs.queue.jobs").tag("queue", "work").gauges()).hasSize(7);
			assertThat(registry.find("jobs.queue.oldest").tag("queue", "work").gauges()).hasSize(1);
			assertThat(jobs(registry, "work", "ready")).isZero();
			assertThat(registry.find("jobs.pool.size").gauges()).isNotEmpty();
			assertThat(registry.find("jobs.pool.busy").gauges()).isNotEmpty();
			assertThat(registry.find("jobs.loop.lag").tag("loop", "beat").gauges()).hasSize(1);
		}
	}

	/**
	 * A concurrent scrape would find a row twice, and Prometheus refuses that.
	 */
	@Test
	void seriesThatStayAreNotTakenAwayAndPutBack() {
		this.runner.withPropertyValues("jobs.worker.enabled=true").run((context) -> {
			SettableClock clock = context.getBean(SettableClock.class);
			context.getBean(JobClient.class).enqueue("nobody", Map.of());
			MeterRegistry registry = registry(context);
			Awaitility.await().atMost(Duration.ofSeconds(30)).ignoreExceptions().untilAsserted(() -> {
				clock.advance(Duration.ofSeconds(2));
				assertThat(jobs(registry, "nobody", "ready")).isOne();
			});
			List<String> removed = new CopyOnWriteArrayList<>();
			registry.config().onMeterRemoved((meter) -> removed.add(meter.getId().getName()));
			context.getBean(JobClient.class).enqueue("nobody", Map.of());
			clock.advance(Duration.ofSeconds(2));
			assertThat(jobs(registry, "nobody", "ready")).isEqualTo(2);
			assertThat(removed).isEmpty();
		});
	}

	@Test
	void numberOfSeriesIsBounded() {
		this.runner.withPropertyValues("jobs.metrics.max-names=6").run((context) -> {
			JobClient client = context.getBean(JobClient.class);
			for (int i = 0; i < 8; i++) {
				client.enqueue("queue-" + i, Map.of());
			}
			context.getBean(SettableClock.class).advance(Duration.ofSeconds(2));
			MeterRegistry registry = registry(context);
			registry.get("jobs.store.up").gauge().value();
			assertThat(values(registry, "jobs.queue.jobs", "queue")).hasSize(7).contains("other");
			assertThat(registry.find("jobs.queue.jobs")
				.tag("state", "ready")
				.gauges()
				.stream()
				.mapToDouble((gauge) -> gauge.value())
				.sum()).isEqualTo(8);
			assertThat(values(registry, "jobs.dead", "handler")).containsExactlyInAnyOrder("work", "fail", "die",
					"snooze", "queue-0", "queue-1", "other");
		});
	}

	@Test
	void observationsHaveNoMetersUnlessTheyAreAskedFor() {
		observed().run((context) -> {
			context.getBean(JobClient.class).enqueue("work", Map.of());
			context.getBean(JobEngine.class).runUntilIdle();
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			assertThat(runs(registry, "work", "succeeded")).isOne();
			assertThat(registry.getMeters()).extracting((meter) -> meter.getId().getName())
				.noneMatch((name) -> name.matches("jobs\\.(enqueue|process)(\\.active)?"));
		});
	}

	@Test
	void jobsAreObservedOnlyIfMoreThanMetersListens() {
		assertThat(observations(observed())).isEmpty();
		assertThat(observations(observed().withPropertyValues("management.observations.enable.jobs=true")))
			.isEqualTo(ObservationMeters.OBSERVATIONS);
		assertThat(observations(observed().withPropertyValues("management.metrics.enable.jobs.process=true")))
			.isEqualTo(ObservationMeters.OBSERVATIONS);
		assertThat(observations(observed().withBean("listener", ObservationHandler.class, () -> (context) -> false)))
			.isEqualTo(ObservationMeters.OBSERVATIONS);
		assertThat(observations(observed().withBean("customizer", ObservationRegistryCustomizer.class,
				() -> (registry) -> registry.observationConfig().observationHandler((context) -> false))))
			.isEqualTo(ObservationMeters.OBSERVATIONS);
	}

	/**
	 * Return which observations of a job are begun.
	 */
	private Set<String> observations(ApplicationContextRunner runner) {
		Set<String> begun = ConcurrentHashMap.newKeySet();
		runner
			.withBean(ObservationPredicate.class,
					() -> (name, observed) -> !ObservationMeters.OBSERVATIONS.contains(name) || begun.add(name))
			.run((context) -> {
				context.getBean(JobClient.class).enqueue("work", Map.of());
				context.getBean(JobEngine.class).runUntilIdle();
			});
		return begun;
	}

	/** To make and refuse them for each job would cost more than all other meters. */
	@Test
	void metersOfObservationsAreTriedOnlyIfAskedFor() {
		observed().withPropertyValues("management.observations.enable.jobs=true").run((context) -> {
			List<String> tried = new CopyOnWriteArrayList<>();
			context.getBean(MeterRegistry.class).config().meterFilter(new MeterFilter() {

				@Override
				public Meter.Id map(Meter.Id id) {
					tried.add(id.getName());
					return id;
				}

			});
			context.getBean(JobClient.class).enqueue("work", Map.of());
			context.getBean(JobEngine.class).runUntilIdle();
			Observation.createNotStarted("shop.order", context.getBean(ObservationRegistry.class)).observe(() -> {
			});
			assertThat(tried).contains("shop.order").doesNotContainAnyElementsOf(ObservationMeters.OBSERVATIONS);
		});
	}

	@Test
	void metersOfObservationsAreBoundedToo() {
		observed()
			.withPropertyValues("management.metrics.enable.jobs.enqueue=true",
					"management.metrics.enable.jobs.process=true", "jobs.metrics.max-names=2")
			.run((context) -> {
				JobClient client = context.getBean(JobClient.class);
				for (int i = 0; i < 5; i++) {
					client.enqueue("queue-" + i, Map.of());
				}
				client.enqueue("work", Map.of());
				context.getBean(JobEngine.class).runUntilIdle();
				MeterRegistry registry = context.getBean(MeterRegistry.class);
				assertThat(values(registry, "jobs.enqueue", "handler")).containsExactlyInAnyOrder("queue-0", "queue-1",
						"other");
				assertThat(values(registry, "jobs.enqueue.active", "handler")).hasSizeLessThan(4);
				assertThat(registry.find("jobs.enqueue").timers().stream().mapToLong(Timer::count).sum()).isEqualTo(6);
				assertThat(registry.get("jobs.process").tag("handler", "other").timer().count()).isOne();
			});
	}

	private ApplicationContextRunner observed() {
		return Contexts.runner()
			.withConfiguration(
					AutoConfigurations.of(MetricsAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class,
							CompositeMeterRegistryAutoConfiguration.class, ObservationAutoConfiguration.class,
							JobsMetricsAutoConfiguration.class, JobsObservationAutoConfiguration.class))
			.withPropertyValues("jobs.worker.enabled=false")
			.withBean(Handlers.class);
	}

	@Test
	void timedStorePassesEveryVerbOn() {
		for (Method verb : JobStore.class.getMethods()) {
			assertThatCode(() -> TimedStore.class.getDeclaredMethod(verb.getName(), verb.getParameterTypes()))
				.doesNotThrowAnyException();
		}
	}

	@Test
	void nothingIsMeasuredIfMetricsOfJobsAreSwitchedOff() {
		this.runner.withPropertyValues("management.metrics.enable.jobs=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("jobCounts"));
	}

	private static MeterRegistry registry(ApplicationContext context) {
		MeterRegistry registry = context.getBean(MeterRegistry.class);
		if (registry.find("jobs.store.up").gauge() == null) {
			context.getBean(JobGauges.class).bindTo(registry);
		}
		return registry;
	}

	private static Set<String> values(MeterRegistry registry, String name, String tag) {
		return registry.find(name)
			.meters()
			.stream()
			.map(Meter::getId)
			.map((id) -> String.valueOf(id.getTag(tag)))
			.collect(Collectors.toSet());
	}

	private static double jobs(MeterRegistry registry, String queue, String state) {
		return registry.get("jobs.queue.jobs").tags("queue", queue, "state", state).gauge().value();
	}

	private static long runs(MeterRegistry registry, String handler, String outcome) {
		return registry.get("jobs.run").tags("handler", handler, "outcome", outcome).timer().count();
	}

	static class Handlers {

		@JobHandler("work")
		void work() {
		}

		@JobHandler("fail")
		void fail() {
			throw new IllegalStateException("broken");
		}

		@JobHandler(value = "die", maxAttempts = 1)
		void die() {
			throw new IllegalStateException("broken");
		}

		@JobHandler("snooze")
		JobResult snooze() {
			return JobResult.snooze(Duration.ofHours(1));
		}

	}

}
