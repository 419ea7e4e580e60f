package dev.jobs.autoconfigure.properties;

import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import dev.jobs.HandlerOptions.OnDead;
import dev.jobs.JobHandler;
import dev.jobs.OnExpiry;
import dev.jobs.RetryPolicy.OnException;
import dev.jobs.Unique;
import dev.jobs.Urgency;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.properties.HandlerSettings.BackoffType;
import dev.jobs.autoconfigure.properties.HandlerSettings.UniqueMode;
import dev.jobs.autoconfigure.properties.JobsProperties.Redis.Durability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JobsProperties} and {@link PropertyCheck}.
 */
class JobsPropertiesTests {

	private final ApplicationContextRunner runner = Contexts.runner();

	@Test
	void nothingNeedsToBeSet() {
		ApplicationContextRunner bare = new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class));
		bare.run((context) -> {
			JobsProperties properties = context.getBean(JobsProperties.class);
			assertThat(properties.enabled()).isTrue();
			assertThat(properties.store()).isEqualTo(JobsProperties.Store.AUTO);
			assertThat(properties.namespace()).isNull();
			assertThat(properties.concurrency()).isEqualTo(20);
			assertThat(properties.maxPayloadSize()).isEqualTo(DataSize.ofMegabytes(1));
			assertThat(properties.publishEvents()).isFalse();
			assertThat(properties.worker()).isEqualTo(new JobsProperties.Worker(true, Duration.ofSeconds(15),
					Duration.ofSeconds(4), Duration.ofSeconds(5)));
			assertThat(properties.rescue().enabled()).isTrue();
			assertThat(properties.retention())
				.isEqualTo(new JobsProperties.Retention(Duration.ofDays(90), 10_000, Duration.ofDays(1), 1000, null));
			assertThat(properties.transactions()).isEqualTo(JobsProperties.Transactions.AFTER_COMMIT);
			assertThat(properties.redis())
				.isEqualTo(new JobsProperties.Redis(Durability.DEFAULT, 1, Duration.ofSeconds(1)));
			assertThat(properties.jdbc())
				.isEqualTo(new JobsProperties.Jdbc(JobsProperties.Jdbc.InitializeSchema.EMBEDDED, "jobs_", null, 4,
						Duration.ofSeconds(5), JobsProperties.Jdbc.Listen.AUTO));
			assertThat(properties.health()).isEqualTo(new JobsProperties.Health(Duration.ofMinutes(1), null, null,
					Duration.ofMinutes(10), Duration.ofSeconds(2), Duration.ofSeconds(1)));
			assertThat(properties.metrics())
				.isEqualTo(new JobsProperties.Metrics(100, Duration.ofSeconds(2), Duration.ofSeconds(5)));
			assertThat(properties.misfireGrace()).isEqualTo(Duration.ofSeconds(5));
			assertThat(properties.shutdown().grace()).isEqualTo(Duration.ofSeconds(20));
			assertThat(properties.pools()).isEmpty();
			assertThat(properties.handlers()).isEmpty();
			assertThat(properties.schedules()).isEmpty();
			assertThat(properties.defaults().maxAttempts()).isNull();
		});
	}

	@Test
	void everythingCanBeSetInYaml() {
		this.runner.withBean(Exporter.class)
			.withInitializer(new ConfigDataApplicationContextInitializer())
			.withPropertyValues("spring.config.location=classpath:everything.yml")
			.run((context) -> {
				JobsProperties properties = context.getBean(JobsProperties.class);
				assertThat(properties.pools()).containsOnlyKeys("slow");
				assertThat(properties.pools().get("slow"))
					.isEqualTo(new JobsProperties.Pool(2, Set.of("export"), Duration.ofSeconds(30)));
				assertThat(properties.transactions()).isEqualTo(JobsProperties.Transactions.IGNORE);
				assertThat(properties.redis())
					.isEqualTo(new JobsProperties.Redis(Durability.REPLICATED, 2, Duration.ofMillis(500)));
				assertThat(properties.jdbc()).isEqualTo(new JobsProperties.Jdbc(
						JobsProperties.Jdbc.InitializeSchema.NEVER, "shop.jobs_", JobsProperties.Jdbc.Platform.SQLITE,
						0, Duration.ofSeconds(3), JobsProperties.Jdbc.Listen.OFF));
				assertThat(properties.defaults().maxAttempts()).isEqualTo(7);
				assertThat(properties.defaults().zone()).isEqualTo(ZoneId.of("Europe/Paris"));
				HandlerSettings handler = properties.handlers().get("send-email");
				assertThat(handler).isEqualTo(new HandlerSettings(true, List.of("mail", "send"), "0 0 * * * *",
						ZoneId.of("Asia/Tokyo"), "run-all:10", 5, 3, Duration.ofMinutes(5), 10, 2, "100/1m burst 10",
						new HandlerSettings.LaneSettings(3, true, OnDead.SKIP, "10/1s", 500, List.of("tenant:gold=4")),
						1000, Duration.ofSeconds(2), Duration.ofMinutes(5), Duration.ofHours(1), OnExpiry.DEAD,
						new HandlerSettings.UniqueSettings(UniqueMode.UNTIL_DONE, Unique.Scope.NAMESPACE,
								Duration.ofMinutes(10), Unique.OnDuplicate.REPLACE_AND_RESCHEDULE),
						List.of("mail"), Urgency.HIGH, true, Duration.ofHours(2), false, OnException.FAIL,
						List.of(IllegalArgumentException.class, IOException.class),
						new HandlerSettings.BackoffSettings(BackoffType.EXPONENTIAL, Duration.ofSeconds(1),
								Duration.ofHours(1), 1.5, 0.2, null),
						Duration.ofSeconds(3), 4, false));
				assertThat(properties.schedules().get("calculate-caches").payload()).containsEntry("depth", 3);
			});
	}

	@Test
	void hintsForANativeImageAreFoundOnTheirBean() {
		Contexts.runner()
			.run((context) -> assertThat(context.getBeanNamesForAnnotation(ImportRuntimeHints.class))
				.extracting(context::getType)
				.contains(JobsProperties.class));
	}

	@Test
	void nothingIsConcludedFromAValueThatIsRefused() {
		this.runner.withPropertyValues("jobs.worker.lease=5")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.worker.lease")
				.contains("needs a unit")
				.doesNotContain("jobs.worker.beat"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					jobs.concurrency                         | 0          | must be from 1 to 100000
					jobs.concurrency                         | 100001     | must be from 1 to 100000
					jobs.max-payload-size                    | 0B         | must be from 1B to 2147483647B
					jobs.max-payload-size                    | 3GB        | must be from 1B to 2147483647B
					jobs.namespace                           | my app     | letters, digits, dots, dashes
					jobs.misfire-grace                       | -1s        | must not be negative
					jobs.shutdown.grace                      | -1s        | must not be negative
					jobs.worker.poll                         | 0s         | must be a positive duration
					jobs.worker.beat                         | 6s         | must be at most a third of jobs.worker.lease
					jobs.retention.dead-age                  | -1d        | must not be negative
					jobs.retention.dead-count                | -1         | must be at least 0
					jobs.retention.stranded-age              | -1d        | must not be negative
					jobs.health.timeout                      | 0s         | must be a positive duration
					jobs.health.max-wait                     | -1s        | must not be negative
					jobs.health.loop-lag                     | -1s        | must not be negative
					jobs.metrics.max-names                   | 0          | must be from 1 to 100000
					jobs.metrics.cache-time                  | 0s         | must be at least 100ms
					jobs.metrics.timeout                     | 0s         | must be a positive duration
					jobs.redis.replicas                      | 0          | must be from 1 to 100000
					jobs.redis.replication-timeout           | 0s         | must be at least 1ms
					jobs.pools.slow.concurrency              | 0          | must be from 1 to 100000
					jobs.pools.default.concurrency           | 5          | jobs.concurrency
					jobs.defaults.max-attempts               | 0          | must be at least 1
					jobs.defaults.cron                       | @daily     | is for one handler only: set jobs.handlers.<name>.cron
					jobs.defaults.aliases                    | mail       | is for one handler only: set jobs.handlers.<name>.aliases
					jobs.defaults.enabled                    | false      | is for one handler only: set jobs.handlers.<name>.enabled
					jobs.defaults.misfire                    | later      | skip, run-once and run-all
					jobs.handlers.send-email.priority        | 0          | must be from 1 to 100000
					jobs.handlers.send-email.priority        | 100001     | must be from 1 to 100000
					jobs.handlers.send-email.max-attempts    | 0          | must be at least 1
					jobs.handlers.send-email.timeout         | -1s        | must not be negative
					jobs.handlers.send-email.max-concurrency | -1         | must be at least 0
					jobs.handlers.send-email.local-concurrency | -1       | must be at least 0
					jobs.handlers.send-email.max-waiting      | -1         | must be at least 0
					jobs.handlers.send-email.wait-for-room   | -1s        | must not be negative
					jobs.handlers.send-email.expires-in      | -1s        | must not be negative
					jobs.handlers.send-email.deadline-in     | -1s        | must not be negative
					jobs.handlers.send-email.snooze-delay   | -1s        | must not be negative
					jobs.handlers.send-email.keep-result     | -1s        | must not be negative
					jobs.handlers.send-email.keep-result     | 366d       | must be from 0 to 365 days
					jobs.handlers.send-email.max-crashes     | 0          | must be at least 1
					jobs.handlers.send-email.backoff.multiplier | 0.5     | must be at least 1
					jobs.handlers.send-email.backoff.jitter  | 1.5        | must be from 0 to 1
					jobs.handlers.send-email.backoff.delay   | -1s        | must not be negative
					jobs.handlers.send-email.unique.window   | -1s        | must not be negative
					jobs.handlers.send-email.aliases         | a b        | letters, digits, dots, dashes
					jobs.handlers.send-email.cron            | * * *      | Accepted are 6 cron fields
					jobs.schedules.caches.cron               | every hour | Accepted are 6 cron fields
					jobs.schedules.caches.handler            | a b        | letters, digits, dots, dashes
					""")
	void valueThatIsNotAcceptedIsReportedWithItsProperty(String property, String value, String accepted) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(Contexts.analysis(context)).contains("Property: " + property)
				.contains("Value: \"" + value)
				.containsPattern("Reason: .*" + Pattern.quote(accepted)));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jobs.store                               | disk       | redis
			jobs.handlers.send-email.on-exception    | ignore     | retry
			jobs.handlers.send-email.on-expiry       | archive    | discard
			jobs.handlers.send-email.backoff.type    | linear     | exponential
			jobs.handlers.send-email.unique.mode     | always     | until-done
			jobs.handlers.send-email.unique.on-duplicate | drop   | replace
			jobs.handlers.send-email.timeout         | soon       | a duration such as
			jobs.handlers.send-email.no-retry-for    | x.Missing  | x.Missing
			jobs.handlers.send-email.zone            | Mars/Base  | Mars/Base
			""")
	void valueThatCannotBeConvertedIsReportedWithItsProperty(String property, String value, String expected) {
		this.runner.withPropertyValues(property + "=" + value)
			.run((context) -> assertThat(Contexts.analysis(context)).contains(property).contains(expected));
	}

	@Test
	void scheduleNeedsCron() {
		this.runner.withPropertyValues("jobs.schedules.caches.handler=x")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.schedules.caches.cron")
				.contains("must be set"));
	}

	@Test
	void poolNeedsHandlers() {
		this.runner.withPropertyValues("jobs.pools.slow.concurrency=2")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.pools.slow.handlers")
				.contains("must name at least one handler"));
	}

	@Test
	void handlerInTwoPoolsIsReported() {
		this.runner.withPropertyValues("jobs.pools.a.handlers=export", "jobs.pools.b.handlers=export")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.pools.b.handlers")
				.contains("must not name 'export', which jobs.pools.a.handlers names"));
	}

	@Test
	void nameInBracketsIsReportedInBrackets() {
		this.runner.withPropertyValues("jobs.handlers[Mail.send].priority=0")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.handlers[Mail.send].priority")
				.contains("must be from 1 to 100000"));
	}

	@Test
	void severalMistakesAreReportedTogether() {
		this.runner.withPropertyValues("jobs.concurrency=0", "jobs.handlers.a.priority=0")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("jobs.concurrency")
				.contains("jobs.handlers.a.priority"));
	}

	@Test
	void limitsOfTheRangesAreAccepted() {
		this.runner
			.withPropertyValues("jobs.worker.enabled=false", "jobs.concurrency=100000",
					"jobs.handlers.a.priority=100000", "jobs.handlers.a.max-attempts=1", "jobs.handlers.a.timeout=0",
					"jobs.handlers.a.max-waiting=0", "jobs.handlers.a.backoff.jitter=1",
					"jobs.handlers.a.backoff.multiplier=1", "jobs.handlers.a.cron=-", "jobs.handlers.a.unique.window=0",
					"jobs.retention.dead-age=0", "jobs.retention.dead-count=0", "jobs.shutdown.grace=0",
					"jobs.misfire-grace=0", "jobs.worker.beat=5s", "jobs.worker.lease=15s",
					"jobs.max-payload-size=2147483647B")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Exporter {

		@JobHandler("export")
		void export() {
		}

	}

}
