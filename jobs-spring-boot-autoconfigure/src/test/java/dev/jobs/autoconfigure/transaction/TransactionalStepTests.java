package dev.jobs.autoconfigure.transaction;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import javax.sql.DataSource;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.JobResult;
import dev.jobs.JobState;
import dev.jobs.SavedStep;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.Change;
import dev.jobs.store.JobStore;
import dev.jobs.store.Transition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for steps whose effects are committed together with what shows that they are
 * done: with the jobs in the application's database, and with jobs in Redis and marks in
 * that database.
 */
class TransactionalStepTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static Postgres postgres;

	private static Redis redis;

	private static final ApplicationContextRunner empty = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, DataSourceAutoConfiguration.class,
				JdbcTemplateAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class, JobsAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("jobs.defaults.backoff.delay=1ms", "jobs.defaults.backoff.type=fixed",
				"jobs.worker.poll=100ms", "jobs.shutdown.grace=1s", "jobs.jdbc.initialize-schema=always",
				"spring.data.redis.host=127.0.0.1");

	@BeforeAll
	static void startServers() {
		redis = Redis.start();
		postgres = Postgres.start();
	}

	@AfterAll
	static void stopServers() {
		redis.close();
		postgres.close();
	}

	static Stream<Named<ApplicationContextRunner>> all() {
		return Stream.concat(joined(), marked());
	}

	static Stream<Named<ApplicationContextRunner>> joined() {
		return Stream.of(Named.of("jobs in PostgreSQL", onPostgres(empty).withPropertyValues("jobs.store=jdbc")),
				Named.of("jobs in H2", onH2(empty).withPropertyValues("jobs.store=jdbc")));
	}

	static Stream<Named<ApplicationContextRunner>> marked() {
		return Stream.of(Named.of("jobs in Redis, data in PostgreSQL", onPostgres(inRedis())),
				Named.of("jobs in Redis, data in H2", onH2(inRedis())));
	}

	private static ApplicationContextRunner inRedis() {
		return empty.withPropertyValues("jobs.store=redis", "jobs.outbox.enabled=true",
				"jobs.namespace=" + UUID.randomUUID(), "spring.data.redis.port=" + redis.port());
	}

	private static ApplicationContextRunner onPostgres(ApplicationContextRunner runner) {
		return runner.withPropertyValues("spring.datasource.url=" + postgres.createDatabase());
	}

	private static ApplicationContextRunner onH2(ApplicationContextRunner runner) {
		return runner.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
	}

	private static void run(ApplicationContextRunner runner, Body body) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			Application application = context.getBean(Application.class);
			application.jdbc.execute("create table effects (name varchar(100))");
			body.run(application, context);
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void effectAndValueAreCommittedTogetherAndLaterRunsGetTheValue(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = (job) -> {
				String number = job.transactionalStep("charge", String.class, () -> application.effect("charge"));
				job.transactionalStep("tell", () -> application.effect("tell " + number));
				return (application.runs.get() < 3) ? JobResult.retry() : JobResult.done();
			};
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge", "tell charge 1");
			assertThat(application.published(JobEvent.StepSaved.class)).extracting(JobEvent.StepSaved::step)
				.containsExactly("charge", "tell");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void exceptionRollsBackAndTheStepIsDoneAgain(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = (job) -> {
				job.transactionalStep("charge", () -> {
					application.effect("charge");
					if (job.attempt() == 1) {
						throw new IllegalStateException("no");
					}
				});
				return JobResult.done();
			};
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge");
			assertThat(application.published(JobEvent.Retrying.class)).singleElement()
				.matches((event) -> event.error().contains("no"));
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void transactionMarkedForRollbackIsAFailedAttempt(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			TransactionTemplate inner = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			application.work = (job) -> {
				job.transactionalStep("charge", () -> {
					application.effect("charge");
					if (job.attempt() == 1) {
						inner.executeWithoutResult((status) -> status.setRollbackOnly());
					}
				});
				return JobResult.done();
			};
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge");
			assertThat(application.published(JobEvent.Retrying.class)).singleElement()
				.matches((event) -> event.error().contains("step 'charge' was rolled back"));
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void processThatIsKilledBeforeOrAfterTheCommitLeavesOneEffect(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			context.getBean(JobEngine.class).testPoints().add("charge", false);
			context.getBean(JobEngine.class).testPoints().add("charge", true);
			application.work = charging(application);
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.runs).hasValue(3);
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void valueThatIsTooLargeUndoesTheEffect(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = (job) -> {
				job.transactionalStep("charge", String.class, () -> application.effect("charge") + "x".repeat(1 << 20));
				return JobResult.done();
			};
			String id = application.enqueue();
			application.await(JobEvent.Died.class);
			assertThat(application.effects()).isEmpty();
			assertThat(application.client.find(id)).get()
				.matches((job) -> job.trail().end().reason() == DeadReason.DISCARDED);
		});
	}

	/**
	 * The stale run commits last.
	 */
	@ParameterizedTest
	@MethodSource("all")
	void staleRunRollsBackWhatItsSuccessorHasDone(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			CountDownLatch second = new CountDownLatch(1);
			AtomicInteger begun = new AtomicInteger();
			application.work = (job) -> {
				job.transactionalStep("charge", () -> {
					application.effect("charge");
					if (begun.incrementAndGet() == 1) {
						release(context, job);
						assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
					}
				});
				second.countDown();
				return JobResult.done();
			};
			application.enqueue();
			application.await(JobEvent.LeaseLost.class);
			application.await(JobEvent.Succeeded.class);
			assertThat(begun).hasValue(2);
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	/**
	 * The stale run commits first, which only marks allow: a store takes no value of a
	 * run that has lost its job.
	 */
	@ParameterizedTest
	@MethodSource("marked")
	void successorRollsBackWhatTheStaleRunHasDoneAndGetsItsValue(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			CountDownLatch second = new CountDownLatch(1);
			CountDownLatch first = new CountDownLatch(1);
			AtomicInteger begun = new AtomicInteger();
			List<String> values = new CopyOnWriteArrayList<>();
			application.work = (job) -> {
				int run = application.runs.get();
				try {
					values.add(run + job.transactionalStep("charge", String.class, () -> {
						String value = application.effect("charge");
						if (begun.incrementAndGet() == 1) {
							release(context, job);
							assertThat(second.await(30, TimeUnit.SECONDS)).isTrue();
						}
						else {
							second.countDown();
							assertThat(first.await(30, TimeUnit.SECONDS)).isTrue();
						}
						return value;
					}));
				}
				finally {
					first.countDown();
				}
				return JobResult.done();
			};
			application.enqueue();
			application.await(JobEvent.LeaseLost.class);
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge");
			assertThat(values).containsExactly("2charge 1");
		});
	}

	/**
	 * End the run for the store, so that the job begins again elsewhere.
	 */
	private static void release(ApplicationContext context, JobContext job) {
		context.getBean(JobStore.class)
			.settle(List.of(Transition.of(job.id(), job.name(), job.fencingToken(), Transition.To.FRONT, Instant.now(),
					job.job().trail())), Instant.now());
	}

	@ParameterizedTest
	@MethodSource("all")
	void commitWhoseAnswerGetsLostIsFoundOutAtOnce(ApplicationContextRunner runner) {
		run(runner.withUserConfiguration(TransactionalHandlerTests.LostAnswers.class), (application, context) -> {
			application.work = charging(application);
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.runs).hasValue(1);
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void commitThatIsLostIsAFailedAttempt(ApplicationContextRunner runner) {
		run(runner.withUserConfiguration(LostCommit.class), (application, context) -> {
			application.work = charging(application);
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.published(JobEvent.Retrying.class)).singleElement()
				.matches((event) -> event.error().contains("It is unknown"));
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void stepWhoseTransactionCannotBeBegunUsesNoAttempt(ApplicationContextRunner runner) {
		run(runner.withUserConfiguration(TransactionalHandlerTests.NotBegun.class)
			.withPropertyValues("jobs.defaults.max-attempts=1", "jobs.defaults.snooze-delay=10ms"),
				(application, context) -> {
					application.work = charging(application);
					application.enqueue();
					application.await(JobEvent.Succeeded.class);
					assertThat(application.runs).hasValue(2);
					assertThat(application.effects()).containsExactly("charge");
					assertThat(application.published(JobEvent.Postponed.class)).hasSize(1);
				});
	}

	@ParameterizedTest
	@MethodSource("marked")
	void storeThatLosesTheValueDoesNotLoseTheMark(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = charging(application, JobResult.snooze(Duration.ofHours(1)));
			String id = application.enqueue();
			application.await(JobEvent.Postponed.class);
			context.getBean(JobStore.class).change(List.of(new Change.ForgetSaved(id, "charge")), Instant.now());
			application.runAgain(id);
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void stepThatAnOperatorForgetsIsDoneAgain(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = charging(application, JobResult.snooze(Duration.ofHours(1)));
			String id = application.enqueue();
			application.await(JobEvent.Postponed.class);
			assertThat(application.operations.job(id).steps()).extracting(SavedStep::name).containsExactly("charge");
			assertThat(application.operations.job(id).forgetStep("charge")).isTrue();
			assertThat(application.operations.job(id).forgetStep("charge")).isFalse();
			application.runAgain(id);
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge", "charge");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void jobThatGetsAnotherPayloadDoesItsStepsAgain(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = charging(application, JobResult.snooze(Duration.ofHours(1)));
			String id = application.enqueue();
			application.await(JobEvent.Postponed.class);
			assertThat(application.operations.job(id).replacePayload("other")).isTrue();
			application.runAgain(id);
			application.await(JobEvent.Succeeded.class);
			assertThat(application.effects()).containsExactly("charge", "charge");
		});
	}

	@ParameterizedTest
	@MethodSource("all")
	void stepIsRefusedWhileATransactionIsOpen(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			TransactionTemplate transaction = new TransactionTemplate(
					context.getBean(PlatformTransactionManager.class));
			application.work = (job) -> {
				if (job.attempt() == 1) {
					transaction.executeWithoutResult((status) -> job.transactionalStep("charge", () -> {
					}));
				}
				job.transactionalStep("charge", () -> {
					application.effect("charge");
					if (job.attempt() == 2) {
						job.step("within", () -> application.effect("within"));
					}
				});
				return JobResult.done();
			};
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.published(JobEvent.Retrying.class)).hasSize(2)
				.allMatch((event) -> event.error().contains("has a transaction open"));
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	@ParameterizedTest
	@MethodSource("marked")
	void oldMarksOfJobsThatHaveEndedAreRemoved(ApplicationContextRunner runner) {
		run(runner, (application, context) -> {
			application.work = charging(application, JobResult.snooze(Duration.ofHours(1)));
			String sleeping = application.enqueue();
			application.await(JobEvent.Postponed.class);
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.marks()).hasSize(2);
			application.jdbc.update("update jobs_step set done_at = 1");
			context.getBean(JobEngine.class).stopNow();
			context.getBean(JobEngine.class).start();
			Awaitility.await().atMost(PATIENCE).until(() -> application.marks().size() < 2);
			assertThat(application.marks()).containsExactly(sleeping);
		});
	}

	@Test
	void inMemoryTheCommitIsEnough() {
		run(onH2(empty).withPropertyValues("jobs.store=memory"), (application, context) -> {
			context.getBean(JobEngine.class).testPoints().add("charge", false);
			application.work = charging(application);
			application.enqueue();
			application.await(JobEvent.Succeeded.class);
			assertThat(application.runs).hasValue(2);
			assertThat(application.effects()).containsExactly("charge");
		});
	}

	@Test
	void whatAStepLacksIsNamed() {
		expectFailure(onH2(inRedis()).withPropertyValues("jobs.outbox.enabled=false"), "'jobs.outbox.enabled=true'");
		expectFailure(onH2(inRedis()).withUserConfiguration(TransactionalHandlerTests.Elsewhere.class),
				"does not manage the data source");
		expectFailure(
				onH2(empty).withPropertyValues("jobs.store=jdbc")
					.withUserConfiguration(TransactionalHandlerTests.Elsewhere.class),
				"does not manage the data source");
		expectFailure(onH2(inRedis()).withUserConfiguration(TransactionalHandlerTests.Several.class),
				"more than one transaction manager");
	}

	private static void expectFailure(ApplicationContextRunner runner, String words) {
		run(runner.withPropertyValues("jobs.defaults.max-attempts=1"), (application, context) -> {
			application.work = (job) -> {
				job.transactionalStep("charge", () -> application.effect("charge"));
				return JobResult.done();
			};
			String id = application.enqueue();
			application.await(JobEvent.Died.class);
			assertThat(application.effects()).isEmpty();
			Job dead = application.client.find(id).orElseThrow();
			assertThat(dead.state()).isEqualTo(JobState.DEAD);
			assertThat(dead.trail().end().message()).contains(words);
		});
	}

	private static Work charging(Application application) {
		return charging(application, JobResult.done());
	}

	/**
	 * The result is that of the first run.
	 */
	private static Work charging(Application application, JobResult first) {
		return (job) -> {
			job.transactionalStep("charge", () -> application.effect("charge"));
			return (application.runs.get() == 1) ? first : JobResult.done();
		};
	}

	@FunctionalInterface
	interface Body {

		void run(Application application, ApplicationContext context) throws Exception;

	}

	@FunctionalInterface
	interface Work {

		JobResult run(JobContext job) throws Exception;

	}

	@Configuration(proxyBeanMethods = false)
	static class Application implements JobListener {

		private final JobClient client;

		private final JobOperations operations;

		private final JdbcTemplate jdbc;

		private final List<JobEvent> events = new CopyOnWriteArrayList<>();

		private final AtomicInteger runs = new AtomicInteger();

		private volatile Work work;

		Application(JobClient client, JobOperations operations, DataSource dataSource) {
			this.client = client;
			this.operations = operations;
			this.jdbc = new JdbcTemplate(dataSource);
		}

		@JobHandler("work")
		JobResult work(String payload, JobContext job) throws Exception {
			this.runs.incrementAndGet();
			return this.work.run(job);
		}

		@Override
		public void on(JobEvent event) {
			this.events.add(event);
		}

		String enqueue() {
			return this.client.enqueue("work", "x").id();
		}

		void runAgain(String id) {
			assertThat(this.operations.job(id).reschedule(Instant.now())).isTrue();
		}

		/**
		 * Write a row, and return its name with the number of the run.
		 */
		String effect(String name) {
			this.jdbc.update("insert into effects (name) values (?)", name);
			return name + " " + this.runs.get();
		}

		List<String> effects() {
			return this.jdbc.queryForList("select name from effects", String.class);
		}

		List<String> marks() {
			return this.jdbc.queryForList("select job from jobs_step", String.class);
		}

		<T extends JobEvent> List<T> published(Class<T> type) {
			return this.events.stream().filter(type::isInstance).map(type::cast).toList();
		}

		void await(Class<? extends JobEvent> type) {
			Awaitility.await().atMost(PATIENCE).until(() -> !published(type).isEmpty());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LostCommit {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			AtomicInteger commits = new AtomicInteger();
			return new DataSourceTransactionManager(dataSource) {

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
					if (commits.incrementAndGet() > 1) {
						super.doCommit(status);
						return;
					}
					super.doRollback(status);
					throw new TransactionSystemException("lost", new SQLException("connection reset", "08006"));
				}

			};
		}

	}

}
