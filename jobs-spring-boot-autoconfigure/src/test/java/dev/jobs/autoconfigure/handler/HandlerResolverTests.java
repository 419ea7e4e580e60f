package dev.jobs.autoconfigure.handler;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import dev.jobs.Backoff;
import dev.jobs.EnqueueOptions;
import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import dev.jobs.JobHandler;
import dev.jobs.JobHandler.RetryDelay;
import dev.jobs.JobState;
import dev.jobs.RetryPolicy;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.engine.settings.HandlerDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HandlerResolver}.
 */
class HandlerResolverTests {

	private static final Job JOB = Job.builder("1", "x").state(JobState.RUNNING).build();

	private final ApplicationContextRunner runner = Contexts.runner()
		.withUserConfiguration(Handlers.class)
		.withPropertyValues("times.timeout=7m", "retry.type=fixed");

	@Test
	void withoutAnyWordTheBuiltInOptionsApply() {
		withHandler("plain", (plain) -> {
			HandlerOptions options = plain.options();
			assertThat(options.with((set) -> set.retryPolicy(RetryPolicy.defaults())))
				.isEqualTo(HandlerOptions.defaults());
			RetryPolicy policy = options.getRetryPolicy();
			assertThat(policy.getMaxAttempts()).isEqualTo(RetryPolicy.defaults().getMaxAttempts());
			assertThat(policy.isKeepDead()).isTrue();
			assertThat(policy.getOnException()).isEqualTo(OnException.RETRY);
			assertThat(policy.getMaxCrashes()).isEqualTo(RetryPolicy.defaults().getMaxCrashes());
			assertThat(policy.getSnoozeDelay()).isEqualTo(RetryPolicy.defaults().getSnoozeDelay());
			assertThat(policy.getNoRetryFor().test(new Error())).isFalse();
			assertThat(delay(policy, 2)).isBetween(Duration.ofSeconds(31), Duration.ofSeconds(118));
			assertThat(plain.rule()).isEqualTo(EnqueueOptions.defaults());
		});
	}

	@Test
	void annotationIsObeyed() {
		withHandler("annotated", this::assertAnnotated);
	}

	@Test
	void annotationIsStrongerThanDefaults() {
		withHandler("annotated", this::assertAnnotated, "jobs.defaults.priority=9", "jobs.defaults.max-attempts=9",
				"jobs.defaults.timeout=9s", "jobs.defaults.max-concurrency=9", "jobs.defaults.local-concurrency=9",
				"jobs.defaults.max-waiting=9", "jobs.defaults.backoff.type=exponential",
				"jobs.defaults.backoff.delay=9s", "jobs.defaults.no-retry-for=java.lang.Error",
				"jobs.defaults.unique.mode=until-started", "jobs.defaults.backoff.jitter=0.9");
	}

	private void assertAnnotated(HandlerDefinition annotated) {
		HandlerOptions options = annotated.options();
		assertThat(options.getPriority()).isEqualTo(5);
		assertThat(options.getTimeout()).isEqualTo(Duration.ofMinutes(7));
		assertThat(options.getMaxConcurrency()).isEqualTo(6);
		assertThat(options.getLocalConcurrency()).isEqualTo(3);
		RetryPolicy policy = options.getRetryPolicy();
		assertThat(policy.getMaxAttempts()).isEqualTo(8);
		assertThat(policy.isKeepDead()).isFalse();
		assertThat(delay(policy, 3)).isBetween(Duration.ofMillis(9_500), Duration.ofMillis(10_500));
		assertThat(policy.getNoRetryFor().test(new IllegalArgumentException())).isTrue();
		assertThat(policy.getNoRetryFor().test(new NumberFormatException())).isTrue();
		assertThat(policy.getNoRetryFor().test(new Error())).isFalse();
		assertThat(policy.getNoRetryFor().test(new RuntimeException(new IllegalArgumentException()))).isFalse();
		assertThat(annotated.rule().getMaxWaiting()).isEqualTo(100);
		assertThat(annotated.rule().getTags()).containsExactly("team:billing", "within:7m");
		assertThat(annotated.rule().getUnique()).isEqualTo(Unique.byPayload(
				(rule) -> rule.acrossHandlers().window(Duration.ofMinutes(7)).onDuplicate(Unique.OnDuplicate.REPLACE)));
		assertThat(annotated.aliases()).containsExactly("former");
	}

	@Test
	void propertiesOfTheHandlerAreStrongest() {
		withHandler("annotated", (annotated) -> {
			HandlerOptions options = annotated.options();
			assertThat(options.getPriority()).isEqualTo(1);
			assertThat(options.getTimeout()).isNull();
			assertThat(options.getMaxConcurrency()).isZero();
			assertThat(options.getLocalConcurrency()).isEqualTo(11);
			assertThat(options.isKeepHistory()).isTrue();
			RetryPolicy policy = options.getRetryPolicy();
			assertThat(policy.getMaxAttempts()).isEqualTo(2);
			assertThat(policy.isKeepDead()).isTrue();
			assertThat(policy.getOnException()).isEqualTo(OnException.FAIL);
			assertThat(policy.getSnoozeDelay()).isEqualTo(Duration.ofSeconds(4));
			assertThat(policy.getMaxCrashes()).isEqualTo(6);
			assertThat(policy.getNoRetryFor().test(new IllegalArgumentException())).isFalse();
			assertThat(policy.getNoRetryFor().test(new UncheckedIOException(new IOException()))).isTrue();
			assertThat(annotated.aliases()).containsExactly("a", "b");
		}, "jobs.handlers.annotated.priority=1", "jobs.handlers.annotated.timeout=0",
				"jobs.handlers.annotated.max-concurrency=0", "jobs.handlers.annotated.local-concurrency=11",
				"jobs.handlers.annotated.keep-history=true", "jobs.handlers.annotated.max-attempts=2",
				"jobs.handlers.annotated.keep-dead=true", "jobs.handlers.annotated.on-exception=fail",
				"jobs.handlers.annotated.snooze-delay=4s", "jobs.handlers.annotated.max-crashes=6",
				"jobs.handlers.annotated.no-retry-for=java.io.UncheckedIOException",
				"jobs.handlers.annotated.aliases=a,b", "jobs.defaults.priority=9", "jobs.defaults.max-attempts=9");
	}

	@Test
	void defaultsApplyWhereNothingElseIsSaid() {
		withHandler("plain", (plain) -> {
			assertThat(plain.options().getPriority()).isEqualTo(9);
			assertThat(plain.options().isKeepHistory()).isTrue();
			assertThat(plain.options().getRetryPolicy().getMaxAttempts()).isEqualTo(60);
			assertThat(delay(plain.options().getRetryPolicy(), 60)).isEqualTo(Duration.ofHours(1));
			assertThat(plain.rule())
				.isEqualTo(EnqueueOptions.of((set) -> set.unique(Unique.byPayload((rule) -> rule.untilStarted()))
					.maxWaiting(10)
					.waitForRoom(Duration.ofSeconds(1))));
		}, "jobs.defaults.priority=9", "jobs.defaults.keep-history=true", "jobs.defaults.max-attempts=60",
				"jobs.defaults.backoff.type=exponential", "jobs.defaults.backoff.max-delay=1h",
				"jobs.defaults.unique.mode=until-started", "jobs.defaults.max-waiting=10",
				"jobs.defaults.wait-for-room=1s");
	}

	@Test
	void defaultOfNoneSaysThatJobsAreNotUnique() {
		withHandler("plain", (plain) -> {
			assertThat(plain.rule().isNotUnique()).isTrue();
			assertThat(plain.rule().getUnique()).isNull();
		}, "jobs.defaults.unique.mode=none");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			plain     | 3 |                                                      | 96000   | 212000
			plain     | 9 | backoff.max-delay=10s                                | 10000   | 10000
			plain     | 3 | backoff.type=fixed                                   | 5000    | 5000
			plain     | 3 | backoff.type=fixed;backoff.delay=2s                  | 2000    | 2000
			plain     | 3 | backoff.type=fixed;backoff.jitter=0.5                | 2500    | 7500
			plain     | 3 | backoff.type=exponential                             | 20000   | 20000
			plain     | 3 | backoff.type=exponential;backoff.multiplier=3        | 45000   | 45000
			plain     | 9 | backoff.type=exponential;backoff.max-delay=30s       | 30000   | 30000
			plain     | 3 | backoff.bean=minuteBackoff                           | 60000   | 60000
			annotated | 3 | backoff.delay=20s                                    | 19000   | 21000
			annotated | 3 | backoff.type=exponential                             | 38000   | 42000
			annotated | 3 | backoff.bean=minuteBackoff                           | 60000   | 60000
			with-bean | 3 |                                                      | 60000   | 60000
			with-bean | 3 | backoff.delay=1s                                     | 60000   | 60000
			with-bean | 3 | backoff.type=fixed;backoff.delay=1s                  | 1000    | 1000
			""")
	void backoffIsTheStrongestWord(String name, int failures, String settings, long least, long most) {
		String[] properties = (settings == null) ? new String[0]
				: List.of(settings.split(";"))
					.stream()
					.map((setting) -> "jobs.handlers." + name + "." + setting)
					.toArray(String[]::new);
		withHandler(name, (handler) -> assertThat(delay(handler.options().getRetryPolicy(), failures).toMillis())
			.isBetween(least, most), properties);
	}

	@Test
	void backoffBeanThatIsMissingNamesTheProperty() {
		this.runner.withPropertyValues("jobs.handlers.plain.backoff.bean=nowhere")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.handlers.plain.backoff.bean")
				.contains("'nowhere'")
				.contains("dev.jobs.Backoff"));
	}

	@Test
	void backoffBeanThatIsMissingNamesTheMethod() {
		Contexts.runner()
			.withBean(MissingBean.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("MissingBean.run()")
				.contains("'nowhere'"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
			BadTimeout    | 'timeout' must be a duration such as 500ms, 30s, 5m or 2h but was "soon"
			BadPriority   | 'priority' must be from 1 to 100000 but was 100001
			BadAttempts   | 'maxAttempts' must be at least 1 but was -1
			BadType       | 'backoff.type' must be one of polynomial, fixed, exponential but was "linear"
			BadDelay      | 'backoff.delay' must not be negative but was PT-1S
			BadMultiplier | 'backoff.multiplier' must be at least 1 but was 0.5
			BadJitter     | 'backoff.jitter' must be from 0 to 1 but was 2.0
			BadMaxWaiting     | 'maxWaiting' must be at least 0 but was -1
			Unitless      | 'timeout' needs a unit, such as 5s or 500ms but was "5"
			BadCron       | Invalid schedule "every day"
			BadZone       | 'zone' must be a time zone such as UTC or Europe/Paris but was "Mars"
			BadMisfire    | Accepted are skip, run-once and run-all
			""")
	void annotationThatIsNotValidNamesTheMethod(String type, String reason) throws ClassNotFoundException {
		Class<?> handler = Class.forName(getClass().getName() + "$" + type);
		Contexts.runner()
			.withBean(handler)
			.run((context) -> assertThat(Contexts.analysis(context))
				.contains("The @JobHandler on " + handler.getName() + ".run() is not valid: ")
				.contains(reason)
				.contains("jobs.handlers.<name>"));
	}

	@Test
	void wrongUniqueJobOfAMethodIsToldAsSuch() {
		Contexts.runner()
			.withBean(BadWindow.class)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("The @UniqueJob on "
					+ BadWindow.class.getName()
					+ ".run() is not valid: 'window' must be a duration such as 500ms, 30s, 5m or 2h but was \"always\"")
				.doesNotContain("@JobHandler"));
	}

	@Test
	void allWrongAttributesAreToldTogether() {
		Contexts.runner()
			.withBean(BadInMany.class)
			.run((context) -> assertThat(Contexts.analysis(context))
				.containsOnlyOnce("The @JobHandler on " + BadInMany.class.getName() + ".run() is not valid:")
				.contains("    - 'priority' must be", "    - 'maxAttempts' must be", "    - 'timeout' must be",
						"    - 'zone' must be", "    - 'backoff.jitter' must be",
						"    - Invalid schedule \"every day\"",
						"The @UniqueJob on " + BadInMany.class.getName() + ".run() is not valid: 'window' needs a unit")
				.contains("2 things are wrong"));
	}

	@Test
	void wrongAttributeThatAPropertyOverridesIsAccepted() {
		Contexts.runner()
			.withBean(BadTimeout.class)
			.withPropertyValues("jobs.handlers.x.timeout=3s")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void customizersHaveTheLastWordInTheirOrder() {
		this.runner.withUserConfiguration(Customizers.class).run((context) -> {
			HandlerDefinition plain = definition(context, "plain");
			assertThat(plain.options().getPriority()).isEqualTo(12);
			assertThat(plain.options().getRetryPolicy().getNoRetryFor().test(new IOException("410 Gone"))).isTrue();
			assertThat(plain.options().getRetryPolicy().getNoRetryFor().test(new IOException("503"))).isFalse();
		});
	}

	private void withHandler(String name, Consumer<HandlerDefinition> assertions, String... properties) {
		this.runner.withPropertyValues(properties).run((context) -> {
			assertThat(context).hasNotFailed();
			assertions.accept(definition(context, name));
		});
	}

	private static HandlerDefinition definition(ApplicationContext context, String name) {
		return context.getBean(JobHandlerRegistrar.class)
			.handlers()
			.stream()
			.map(DeclaredHandler::definition)
			.filter((definition) -> definition.name().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static Duration delay(RetryPolicy policy, int failures) {
		return policy.getBackoff().delay(JOB, failures, new Random(1));
	}

	@Configuration(proxyBeanMethods = false)
	static class Handlers {

		@Bean
		Backoff minuteBackoff() {
			return Backoff.fixed(Duration.ofMinutes(1));
		}

		@JobHandler("plain")
		void plain() {
		}

		@JobHandler(value = "annotated", aliases = "former", priority = 5, maxAttempts = 8,
				timeout = "${times.timeout}", maxConcurrency = 6, localConcurrency = 3, maxWaiting = 100,
				tags = { "team:billing", "within:${times.timeout}" },
				backoff = @RetryDelay(type = "${retry.type}", delay = "10s", jitter = 0.05),
				keepDead = "${dead.kept:false}", noRetryFor = IllegalArgumentException.class)
		@UniqueJob(value = Unique.Mode.UNTIL_DONE, scope = Unique.Scope.NAMESPACE, window = "${times.timeout}",
				onDuplicate = Unique.OnDuplicate.REPLACE)
		void annotated() {
		}

		@JobHandler(value = "with-bean", backoff = @RetryDelay(bean = "minuteBackoff"))
		void withBean() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Customizers {

		@Bean
		@Order(2)
		HandlerCustomizer second() {
			return (name, options) -> options.priority(12);
		}

		@Bean
		@Order(1)
		HandlerCustomizer first() {
			return (name, options) -> options.priority(10)
				.retry((retry) -> retry.noRetryFor((ex) -> String.valueOf(ex.getMessage()).startsWith("410")));
		}

	}

	static class MissingBean {

		@JobHandler(value = "x", backoff = @RetryDelay(bean = "nowhere"))
		void run() {
		}

	}

	static class BadTimeout {

		@JobHandler(value = "x", timeout = "soon")
		void run() {
		}

	}

	static class BadPriority {

		@JobHandler(value = "x", priority = 100_001)
		void run() {
		}

	}

	static class BadAttempts {

		@JobHandler(value = "x", maxAttempts = -1)
		void run() {
		}

	}

	static class BadType {

		@JobHandler(value = "x", backoff = @RetryDelay(type = "linear"))
		void run() {
		}

	}

	static class BadDelay {

		@JobHandler(value = "x", backoff = @RetryDelay(type = "fixed", delay = "-1s"))
		void run() {
		}

	}

	static class BadMultiplier {

		@JobHandler(value = "x", backoff = @RetryDelay(type = "exponential", multiplier = 0.5))
		void run() {
		}

	}

	static class BadJitter {

		@JobHandler(value = "x", backoff = @RetryDelay(jitter = 2))
		void run() {
		}

	}

	static class BadMaxWaiting {

		@JobHandler(value = "x", maxWaiting = -1)
		void run() {
		}

	}

	static class Unitless {

		@JobHandler(value = "x", timeout = "5")
		void run() {
		}

	}

	static class BadInMany {

		@JobHandler(value = "x", priority = 0, maxAttempts = 0, timeout = "soon", zone = "Mars", cron = "every day",
				backoff = @RetryDelay(jitter = 2))
		@UniqueJob(window = "5")
		void run() {
		}

	}

	static class BadWindow {

		@JobHandler("x")
		@UniqueJob(window = "always")
		void run() {
		}

	}

	static class BadCron {

		@JobHandler(value = "x", cron = "every day")
		void run() {
		}

	}

	static class BadZone {

		@JobHandler(value = "x", cron = "@daily", zone = "Mars")
		void run() {
		}

	}

	static class BadMisfire {

		@JobHandler(value = "x", cron = "@daily", misfire = "later")
		void run() {
		}

	}

}
