package dev.jobs.autoconfigure.handler;

import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

import dev.jobs.EnqueueInterceptor;
import dev.jobs.Enqueued;
import dev.jobs.JobContext;
import dev.jobs.JobHandler;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Received;
import dev.jobs.cron.Misfire;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.ScheduleView;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for schedules from annotations and properties.
 */
@ExtendWith(OutputCaptureExtension.class)
class RecurringJobsTests {

	private final ApplicationContextRunner runner = Contexts.runner()
		.withBean(Received.class)
		.withBean(Ticking.class)
		.withPropertyValues("tick.cron=@every 50ms");

	@Test
	void annotationEnqueuesWithoutPayload() {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Received.class).next()).isEqualTo("tick");
			assertThat(schedules(context.getBean(JobInspector.class))).containsExactly("tick");
		});
	}

	@Test
	void propertyOverridesExpressionZoneAndMisfire() {
		this.runner
			.withPropertyValues("jobs.handlers.tick.cron=0 0 7 * * *", "jobs.handlers.tick.zone=Asia/Tokyo",
					"jobs.handlers.tick.misfire=skip")
			.run((context) -> {
				JobInspector inspector = context.getBean(JobInspector.class);
				Awaitility.await().until(() -> !inspector.schedules().isEmpty());
				assertThat(inspector.schedules()).extracting(ScheduleView::definition)
					.singleElement()
					.asString()
					.contains("0 0 7 * * *")
					.contains("Asia/Tokyo");
				assertThat(context.getBean(Received.class).isEmpty()).isTrue();
			});
	}

	@Test
	void hyphenAndEmptyTextSwitchOff() {
		this.runner.withPropertyValues("tick.cron=-", "jobs.schedules.nightly.cron=-").run((context) -> {
			JobEngine engine = context.getBean(JobEngine.class);
			Awaitility.await().until(engine::isRunning);
			assertThat(schedules(context.getBean(JobInspector.class))).isEmpty();
		});
		this.runner.withPropertyValues("tick.cron=@every 50ms", "jobs.handlers.tick.cron=")
			.run((context) -> assertThat(schedules(context.getBean(JobInspector.class))).isEmpty());
	}

	@Test
	void disabledHandlerIsNotScheduled() {
		this.runner.withPropertyValues("jobs.handlers.tick.enabled=false").run((context) -> {
			assertThat(context.getBean(JobEngine.class).handlers()).containsExactly("calculate-caches");
			assertThat(schedules(context.getBean(JobInspector.class))).isEmpty();
		});
	}

	@Test
	void scheduleOfPropertiesHasItsPayload() {
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("spring.config.location=classpath:everything.yml", "jobs.handlers.tick.cron=-",
					"jobs.pools.slow.handlers=tick", "jobs.schedules.calculate-caches.cron=@every 50ms")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				JsonNode payload = (JsonNode) context.getBean(Received.class).next();
				assertThat(payload).isEqualTo(JsonMapper.shared()
					.valueToTree(Map.of("depth", 3, "customerId", "c-1", "ratio", 0.5, "regions",
							List.of("north", "south"), "nested", Map.of("deep", true, "lines",
									List.of(Map.of("sku", "a", "amount", 2), Map.of("sku", "b", "amount", 3))))));
			});
	}

	@Test
	void scheduleTakesItsNameForThatOfTheJob() {
		this.runner
			.withPropertyValues("jobs.handlers.tick.cron=-", "jobs.schedules.calculate-caches.cron=@every 50ms",
					"jobs.schedules.calculate-caches.payload.a=1")
			.run((context) -> assertThat(((JsonNode) context.getBean(Received.class).next()).path("a").asString())
				.isEqualTo("1"));
	}

	@Test
	void scheduleWithoutThePayloadThatItsHandlerTakesFailsTheStart() {
		this.runner
			.withPropertyValues("jobs.schedules.nightly.cron=@daily", "jobs.schedules.nightly.handler=calculate-caches")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("enqueues jobs 'calculate-caches' without a payload"));
	}

	@Test
	void scheduleForJobsOfOthersIsWarnedAbout(CapturedOutput output) {
		this.runner.withPropertyValues("jobs.schedules.nightly.cron=@daily", "jobs.schedules.nightly.handler=export")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("jobs.schedules.nightly enqueues jobs 'export', for which there is no handler here")
			.contains("The handlers of this application are calculate-caches, tick.");
	}

	@Test
	void scheduleNamedLikeHandlerWithCronFailsTheStart() {
		this.runner.withPropertyValues("jobs.schedules.tick.cron=@daily")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("The schedule 'tick' is defined twice")
				.contains("jobs.schedules.tick")
				.contains("jobs.handlers.tick.cron"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "-", "" })
	void disabledScheduleNamedLikeHandlerWithCronFailsTheStart(String cron) {
		this.runner.withPropertyValues("tick.cron=@daily", "jobs.schedules.tick.cron=" + cron)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("The schedule 'tick' is defined twice")
				.contains("jobs.schedules.tick")
				.contains("set jobs.handlers.tick.cron=- instead"));
		this.runner.withPropertyValues("jobs.handlers.tick.cron=-", "jobs.schedules.tick.cron=" + cron)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	/** What is stopped here does not run, so that all that is received is a thread. */
	@Test
	void interceptorsSeeTicksOnTheThreadOfSchedules() {
		Received threads = new Received();
		this.runner.withBean(EnqueueInterceptor.class, () -> (requests, next) -> {
			threads.add(Thread.currentThread().getName() + ": " + requests.size());
			return List.of(Enqueued.of("", Enqueued.Outcome.STOPPED, Instant.EPOCH));
		}).run((context) -> {
			assertThat(threads.next()).isEqualTo("jobs-cron: 1");
			assertThat(context.getBean(Received.class).isEmpty()).isTrue();
		});
	}

	@Test
	void oneRunMakesUpForMissedTicksByDefault() {
		this.runner.withPropertyValues("tick.cron=@daily", "jobs.schedules.nightly.cron=@daily")
			.run((context) -> assertThat(context.getBean(JobEngine.class).recurringJobs()).hasSize(2)
				.allSatisfy((recurring) -> assertThat(recurring.misfire()).isEqualTo(Misfire.runOnce())));
	}

	@Test
	void ticksComeFromTheClockBean() {
		this.runner.withBean(InstantSource.class, () -> InstantSource.fixed(Instant.parse("2026-01-01T00:00:00Z")))
			.run((context) -> {
				JobInspector inspector = context.getBean(JobInspector.class);
				Awaitility.await().until(() -> !inspector.schedules().isEmpty());
				assertThat(context.getBean(Received.class).isEmpty()).isTrue();
			});
	}

	@Test
	void clockBeanThatStandsStillIsWarnedAbout(CapturedOutput output) {
		this.runner.withBean("still", Clock.class, () -> Clock.fixed(Instant.EPOCH, ZoneId.of("Europe/Paris")))
			.run((context) -> assertThat(output).containsOnlyOnce("WARN")
				.contains("The engine's clock, bean 'still'")
				.contains("stands still at 1970-01-01T00:00:00Z"));
	}

	@Test
	void clockBeanThatRunsIsNotWarnedAbout(CapturedOutput output) {
		this.runner.withBean(Clock.class, Clock::systemUTC)
			.run((context) -> assertThat(output).doesNotContain("stands still"));
	}

	private static List<String> schedules(JobInspector inspector) {
		return inspector.schedules().stream().map(ScheduleView::name).toList();
	}

	static class Ticking {

		private final Received received;

		Ticking(Received received) {
			this.received = received;
		}

		@JobHandler(value = "tick", cron = "${tick.cron}")
		void tick(JobContext context) {
			this.received.add(context.name());
		}

		@JobHandler("calculate-caches")
		void calculate(JsonNode payload) {
			this.received.add(payload);
		}

	}

}
