package dev.jobs.autoconfigure.transaction;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import dev.jobs.DeadReason;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobCount;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.JobResult;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.Received;
import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.run.HandlerTransactions;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.store.JobStore;
import dev.jobs.store.Transition;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.WorkerView;
import dev.jobs.test.ExpectsFaults;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import jakarta.persistence.EntityManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for handlers whose writes are committed together with the end of their jobs.
 */
class TransactionalHandlerTests {

	private static EmbeddedPostgres postgres;

	private final ApplicationContextRunner empty = Contexts.runner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				JdbcClientAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withUserConfiguration(Application.class)
		.withPropertyValues("jobs.defaults.backoff.delay=1ms", "jobs.defaults.backoff.type=fixed",
				"jobs.worker.poll=100ms");

	private final ApplicationContextRunner runner = this.empty.withUserConfiguration(Stored.class)
		.withPropertyValues("spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
				"spring.datasource.hikari.maximum-pool-size=5");

	@BeforeAll
	static void startPostgres() throws IOException {
		postgres = EmbeddedPostgres.builder().setPort(Ports.reserve()).setServerConfig("fsync", "off").start();
	}

	@AfterAll
	static void stopPostgres() throws IOException {
		postgres.close();
	}

	private void run(ApplicationContextRunner runner, Body body) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			body.run(context.getBean(Application.class), context);
		});
	}

	private void run(Body body) {
		run(this.runner, body);
	}

	@Test
	void writesAndTheEndOfTheJobAreCommittedTogether() {
		run((application, context) -> {
			application.work = (job) -> {
				application.insert(1);
				application.client.enqueue("next", "2");
				assertThat(application.countOutside()).isZero();
				assertThat(application.client.find(job.id())).isPresent();
				return JobResult.done();
			};
			String id = application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.next.next()).isEqualTo("2");
			assertThat(application.count()).isEqualTo(1);
			assertThat(application.client.find(id)).isEmpty();
			assertThat(application.published(JobEvent.Started.class)).hasSize(1);
		});
	}

	@Test
	void exceptionRollsBackAndIsAFailedAttempt() {
		run((application, context) -> {
			application.work = (job) -> {
				application.insert(job.attempt());
				application.client.enqueue("next", "" + job.attempt());
				if (job.attempt() == 1) {
					throw new IllegalStateException("no");
				}
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			application.awaitEvent(JobEvent.Retrying.class);
			assertThat(application.published(JobEvent.Retrying.class)).hasSize(1);
			assertThat(application.count()).isEqualTo(1);
			assertThat(application.next.next()).isEqualTo("2");
			assertThat(application.next.isEmpty()).isTrue();
		});
	}

	@Test
	void otherResultsCommitTheWritesToo() {
		run((application, context) -> {
			application.work = (job) -> {
				application.insert(application.count() + 1);
				return switch (application.count()) {
					case 1 -> JobResult.retryIn(Duration.ZERO).message("again");
					case 2 -> JobResult.snooze(Duration.ofMillis(1));
					default -> JobResult.discard().message("enough");
				};
			};
			String id = application.enqueue();
			application.awaitEvent(JobEvent.Died.class);
			assertThat(application.count()).isEqualTo(3);
			application.awaitEvent(JobEvent.Retrying.class);
			assertThat(application.published(JobEvent.Retrying.class)).hasSize(1);
			application.awaitEvent(JobEvent.Postponed.class);
			assertThat(application.published(JobEvent.Postponed.class)).hasSize(1);
			assertThat(application.client.find(id)).get()
				.matches((job) -> Objects.requireNonNull(job.trail().end()).reason() == DeadReason.DISCARDED);
		});
	}

	@Test
	void jobThatIsNoLongerHeldCommitsNothing() {
		run((application, context) -> {
			application.work = (job) -> {
				application.insert(1);
				context.getBean(JobStore.class)
					.settle(List.of(Transition.of(job.id(), job.name(), job.fencingToken(), Transition.To.REMOVED,
							Instant.now(), job.job().trail())), Instant.now());
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.LeaseLost.class);
			assertThat(application.count()).isZero();
			assertThat(application.published(JobEvent.Succeeded.class)).isEmpty();
		});
	}

	@Test
	@ExpectsFaults("It is unknown whether the transaction")
	void connectionKilledJustBeforeTheCommitLeavesOneEffect() {
		run((application, context) -> {
			application.work = (job) -> {
				application.insert(application.runs.get());
				if (application.runs.get() == 1) {
					int backend = application.jdbc.sql("select pg_backend_pid()").query(Integer.class).single();
					beforeCompletion(() -> application.killBackend(backend));
				}
				return JobResult.done();
			};
			String id = application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			application.awaitEvent(JobEvent.Rescued.class);
			assertThat(application.runs).hasValue(2);
			assertThat(application.ids()).containsExactly(2);
			assertThat(application.published(JobEvent.Rescued.class)).singleElement()
				.matches((event) -> event.job().trail().abandonments() == 1 && event.job().trail().failures() == 0);
			assertThat(application.client.find(id)).isEmpty();
		});
	}

	@Test
	@ExpectsFaults("It is unknown whether the transaction")
	void commitWhoseAnswerGetsLostIsFoundOut() {
		run(this.runner.withUserConfiguration(LostAnswers.class), (application, context) -> {
			application.work = (job) -> {
				application.insert(1);
				return JobResult.done();
			};
			String id = application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.client.find(id)).isEmpty();
			assertThat(application.count()).isEqualTo(1);
			assertThat(application.runs).hasValue(1);
			assertThat(application.published(JobEvent.Rescued.class)).isEmpty();
		});
	}

	@Test
	@ExpectsFaults("A callback after the commit")
	void callbackThatFailsAfterTheCommitChangesNothing() {
		run((application, context) -> {
			application.work = (job) -> {
				application.insert(1);
				TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCommit() {
						throw new IllegalStateException("no");
					}

				});
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.count()).isEqualTo(1);
		});
	}

	@Test
	void transactionMarkedForRollbackIsAFailedAttempt() {
		run((application, context) -> {
			TransactionTemplate inner = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
			application.work = (job) -> {
				application.insert(job.attempt());
				if (job.attempt() == 1) {
					inner.executeWithoutResult((status) -> status.setRollbackOnly());
				}
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.ids()).containsExactly(2);
			application.awaitEvent(JobEvent.Retrying.class);
			assertThat(application.published(JobEvent.Retrying.class)).singleElement()
				.matches((event) -> event.error().contains("UnexpectedRollbackException"));
		});
	}

	@Test
	void constraintThatFailsInTheCommitIsAFailedAttempt() {
		run(this.runner.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
			.withUserConfiguration(JoinedTransactionTests.Entities.class), (application, context) -> {
				EntityManager entities = context.getBean(EntityManager.class);
				application.insert(1);
				application.work = (job) -> {
					entities.persist(new JoinedTransactionTests.Order(job.attempt()));
					return JobResult.done();
				};
				application.enqueue();
				application.awaitEvent(JobEvent.Succeeded.class);
				assertThat(application.ids()).containsExactlyInAnyOrder(1, 2);
				application.awaitEvent(JobEvent.Retrying.class);
				assertThat(application.published(JobEvent.Retrying.class)).hasSize(1);
				assertThat(application.published(JobEvent.Rescued.class)).isEmpty();
			});
	}

	@Test
	void runThatTakesTooLongIsRolledBack() {
		run(this.runner.withPropertyValues("jobs.handlers.work.timeout=300ms", "jobs.handlers.work.max-attempts=1"),
				(application, context) -> {
					application.work = (job) -> {
						application.insert(1);
						return waitUntilInterrupted();
					};
					application.enqueue();
					application.awaitEvent(JobEvent.Died.class);
					assertThat(application.count()).isZero();
				});
	}

	@Test
	void cancelledRunIsRolledBack() {
		run((application, context) -> {
			CountDownLatch inserted = new CountDownLatch(1);
			application.work = (job) -> {
				application.insert(1);
				inserted.countDown();
				return waitUntilInterrupted();
			};
			String id = application.enqueue();
			assertThat(inserted.await(30, TimeUnit.SECONDS)).isTrue();
			assertThat(application.client.cancel(id)).isTrue();
			application.awaitEvent(JobEvent.Cancelled.class);
			assertThat(application.count()).isZero();
			assertThat(application.client.find(id)).isEmpty();
		});
	}

	@Test
	void transactionLongerThanALeaseKeepsItsJob() {
		run(this.empty.withUserConfiguration(Apart.class)
			.withPropertyValues("spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
					"spring.datasource.hikari.maximum-pool-size=1", "jobs.worker.lease=1500ms",
					"jobs.worker.beat=300ms"),
				(application, context) -> {
					JobStore store = context.getBean(JobStore.class);
					application.work = (job) -> {
						application.insert(1);
						job.progress(1, 2);
						application.client.cancel("another");
						Instant begin = Instant.now();
						await().atMost(Duration.ofSeconds(30))
							.until(() -> store.inspector().workers(Instant.now()),
									(workers) -> workers.stream()
										.map(WorkerView::lastBeat)
										.anyMatch((beat) -> beat.isAfter(begin.plusMillis(2500))));
						return JobResult.done();
					};
					application.enqueue();
					application.awaitEvent(JobEvent.Succeeded.class);
					assertThat(application.runs).hasValue(1);
					assertThat(application.count()).isEqualTo(1);
					assertThat(application.published(JobEvent.LeaseLost.class)).isEmpty();
				});
	}

	@Test
	void transactionThatCannotBeBegunUsesNoAttempt() {
		run(this.runner.withUserConfiguration(NotBegun.class)
			.withPropertyValues("jobs.handlers.work.max-attempts=1", "jobs.handlers.work.snooze-delay=1ms"),
				(application, context) -> {
					application.work = (job) -> {
						application.insert(1);
						return JobResult.done();
					};
					application.enqueue();
					application.awaitEvent(JobEvent.Succeeded.class);
					application.awaitEvent(JobEvent.Postponed.class);
					assertThat(application.published(JobEvent.Postponed.class)).hasSize(1);
					assertThat(application.runs).hasValue(1);
				});
	}

	@Test
	void managerOfAnotherDatabaseFailsTheJob() {
		run(this.runner.withUserConfiguration(Elsewhere.class), (application, context) -> {
			application.work = (job) -> JobResult.done();
			application.enqueue();
			await().atMost(Duration.ofSeconds(30))
				.until(() -> !application.published(JobEvent.Retrying.class).isEmpty());
			assertThat(application.published(JobEvent.Retrying.class).get(0).error())
				.contains("does not manage the data source in which the jobs are kept");
			assertThat(application.runs).hasValue(0);
		});
	}

	@Test
	void markedManagerIsTakenIfThereAreSeveral() {
		this.runner.withUserConfiguration(Several.class).run((context) -> {
			assertThat(context).hasFailed();
			assertThat(Contexts.analysis(context)).contains("more than one transaction manager", "@JobsTransactions");
		});
		run(this.runner.withUserConfiguration(Several.class, Marked.class), (application, context) -> {
			application.work = (job) -> {
				application.insert(1);
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.count()).isEqualTo(1);
		});
	}

	@Test
	void storeThatCannotJoinFailsTheStart() {
		this.empty.withPropertyValues("jobs.store=auto", "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID())
			.run((context) -> {
				assertThat(context).hasFailed();
				assertThat(Contexts.analysis(context)).contains("'work'", "is transactional", "InMemoryJobStore",
						"jobs.handlers.work.transactional");
			});
	}

	@Test
	void transactionEndsBeforeTheJobIfMemoryIsAskedFor() {
		ApplicationContextRunner inMemory = this.empty.withPropertyValues("jobs.store=memory",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
		run(inMemory, (application, context) -> {
			application.jdbc.sql("create table orders (id integer primary key)").update();
			application.work = (job) -> {
				assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
				application.insert(job.attempt());
				application.client.enqueue("next", "" + job.attempt());
				if (job.attempt() == 1) {
					throw new IOException("no");
				}
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.published(JobEvent.Retrying.class)).hasSize(1);
			assertThat(application.ids()).containsExactly(2);
			assertThat(application.next.next()).isEqualTo("2");
			assertThat(application.next.isEmpty()).isTrue();
		});
	}

	@Test
	void handlerThatReturnsNullIsDoneInMemoryToo() {
		HandlerTransactions committed = (work) -> new HandlerTransactions.End(
				work.getAsBoolean() ? HandlerTransactions.Fate.COMMITTED : HandlerTransactions.Fate.ROLLED_BACK, null);
		HandlerDefinition definition = TransactionBeforeTheEnd
			.of(HandlerDefinition.of("work", String.class, (payload, context) -> null), committed);
		JobEngine engine = new JobEngineBuilder(new InMemoryJobStore()).handler(definition).build();
		engine.client().enqueue("work", "x");
		assertThat(engine.runUntilIdle()).isEqualTo(1);
		assertThat(engine.operations().jobs(JobFilter.all()).count(10)).isEqualTo(JobCount.exactly(0));
	}

	@Test
	void commitThatFailsIsAFailedAttemptInMemoryToo() {
		ApplicationContextRunner inMemory = this.empty.withPropertyValues("jobs.store=memory",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID());
		run(inMemory, (application, context) -> {
			application.jdbc.sql("create table orders (id integer primary key)").update();
			application.work = (job) -> {
				application.insert(job.attempt());
				if (job.attempt() == 1) {
					TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

						@Override
						public void beforeCommit(boolean readOnly) {
							throw new IllegalStateException("no");
						}

					});
				}
				return JobResult.done();
			};
			application.enqueue();
			application.awaitEvent(JobEvent.Succeeded.class);
			assertThat(application.published(JobEvent.Retrying.class)).hasSize(1);
			assertThat(application.ids()).containsExactly(2);
		});
	}

	@Test
	void propertyOutweighsTheAnnotation() {
		this.empty
			.withPropertyValues("jobs.store=auto", "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
					"jobs.handlers.work.transactional=false")
			.run((context) -> assertThat(context).hasNotFailed());
		this.empty
			.withPropertyValues("jobs.store=auto", "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
					"jobs.handlers.work.transactional=false", "jobs.handlers.next.transactional=true")
			.run((context) -> assertThat(Contexts.analysis(context)).contains("'next'"));
	}

	private static void beforeCompletion(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void beforeCompletion() {
				action.run();
			}

		});
	}

	private static JobResult waitUntilInterrupted() throws InterruptedException {
		if (new CountDownLatch(1).await(60, TimeUnit.SECONDS)) {
			throw new AssertionError();
		}
		return JobResult.done();
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

		private final JdbcClient jdbc;

		private final List<JobEvent> events = new CopyOnWriteArrayList<>();

		private final Received next = new Received();

		private final java.util.concurrent.atomic.AtomicInteger runs = new java.util.concurrent.atomic.AtomicInteger();

		private volatile Work work;

		Application(JobClient client, JdbcClient jdbc) {
			this.client = client;
			this.jdbc = jdbc;
		}

		@JobHandler(value = "work", transactional = "true")
		JobResult work(JobContext job) throws Exception {
			this.runs.incrementAndGet();
			return this.work.run(job);
		}

		@JobHandler("next")
		void next(String payload) {
			this.next.add(payload);
		}

		@Override
		public void on(JobEvent event) {
			this.events.add(event);
		}

		String enqueue() {
			assertThat(this.client.enqueue("work").outcome()).isEqualTo(Outcome.NEW);
			return this.published(JobEvent.Accepted.class).get(0).job().id();
		}

		void insert(int id) {
			this.jdbc.sql("insert into orders (id) values (?)").param(id).update();
		}

		int count() {
			return ids().size();
		}

		List<Integer> ids() {
			return this.jdbc.sql("select id from orders").query(Integer.class).list();
		}

		int countOutside() throws SQLException {
			try (Connection connection = postgres.getPostgresDatabase().getConnection();
					java.sql.ResultSet rows = connection.createStatement()
						.executeQuery("select count(*) from orders")) {
				rows.next();
				return rows.getInt(1);
			}
		}

		void killBackend(int backend) {
			try (Connection connection = postgres.getPostgresDatabase().getConnection()) {
				connection.createStatement().execute("select pg_terminate_backend(" + backend + ", 10000)");
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		<T extends JobEvent> List<T> published(Class<T> type) {
			return this.events.stream()
				.filter((event) -> !event.name().equals("next"))
				.filter(type::isInstance)
				.map(type::cast)
				.toList();
		}

		void awaitEvent(Class<? extends JobEvent> type) {
			await().atMost(Duration.ofSeconds(30)).until(() -> !published(type).isEmpty());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Stored {

		@Bean
		JobStore store(DataSource dataSource) {
			String schema = "drop schema public cascade; create schema public; "
					+ "create table orders (id integer primary key); "
					+ JdbcSchema.of(Database.POSTGRESQL, JdbcJobStore.DEFAULT_TABLE_PREFIX);
			new ResourceDatabasePopulator(new ByteArrayResource(schema.getBytes())).execute(dataSource);
			return JdbcJobStore.builder(dataSource).build();
		}

	}

	/**
	 * The engine has connections of its own, so that handlers may have all others.
	 */
	@Configuration(proxyBeanMethods = false)
	static class Apart {

		@Bean
		JobStore store(DataSource dataSource) {
			new Stored().store(dataSource);
			return JdbcJobStore.builder(dataSource).engine(postgres.getPostgresDatabase()).build();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NotBegun {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource) {

				private boolean failed;

				@Override
				protected void doBegin(Object transaction, TransactionDefinition definition) {
					if (!this.failed) {
						this.failed = true;
						throw new CannotCreateTransactionException("no connection");
					}
					super.doBegin(transaction, definition);
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LostAnswers {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource) {

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
					super.doCommit(status);
					throw new TransactionSystemException("lost", new SQLException("connection reset", "08006"));
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Elsewhere {

		@Bean
		PlatformTransactionManager transactionManager() {
			return elsewhere();
		}

		static PlatformTransactionManager elsewhere() {
			org.h2.jdbcx.JdbcDataSource other = new org.h2.jdbcx.JdbcDataSource();
			other.setUrl("jdbc:h2:mem:" + UUID.randomUUID());
			return new DataSourceTransactionManager(other);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Several {

		@Bean
		PlatformTransactionManager one() {
			return Elsewhere.elsewhere();
		}

		@Bean
		PlatformTransactionManager two() {
			return Elsewhere.elsewhere();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Marked {

		@Bean
		@JobsTransactions
		PlatformTransactionManager three(DataSource dataSource) {
			return new DataSourceTransactionManager(dataSource);
		}

	}

}
