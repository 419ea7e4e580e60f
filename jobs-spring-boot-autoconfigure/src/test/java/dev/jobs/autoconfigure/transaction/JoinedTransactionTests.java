package dev.jobs.autoconfigure.transaction;

import dev.jobs.JobStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobClient;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.JobListener;
import dev.jobs.JobRejectedException;
import dev.jobs.JobRequest;
import dev.jobs.PageRequest;
import dev.jobs.Unique;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcSchema;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
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
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for enqueues that are a part of Spring transactions, since jobs are kept in the
 * database of the application.
 */
class JoinedTransactionTests {

	private static final String WITH_JPA = "spring.jpa.hibernate.ddl-auto=update";

	private final ApplicationContextRunner plain = Contexts.runner()
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
				JdbcClientAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
				TransactionAutoConfiguration.class))
		.withUserConfiguration(Stored.class)
		.withPropertyValues("jobs.worker.enabled=false",
				"spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

	private final ApplicationContextRunner jpa = this.plain
		.withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
		.withUserConfiguration(Entities.class)
		.withPropertyValues(WITH_JPA);

	private void run(ApplicationContextRunner runner, Body body) {
		runner.run((context) -> {
			assertThat(context).hasNotFailed();
			body.run(new Application(context.getBean(JobClient.class), context));
		});
	}

	private void runEach(Body body) {
		run(this.plain, body);
		run(this.jpa, body);
	}

	@Test
	void enqueueIsCommittedWithTheTransactionAndAnswersWhatItDid() {
		runEach((application) -> {
			application.inTransaction(() -> {
				Enqueued enqueued = application.client().enqueue("work", 1);
				assertThat(enqueued.outcome()).isEqualTo(Outcome.NEW);
				assertThat(application.client().find(enqueued.id())).isPresent();
				assertThat(application.stored()).isEmpty();
				assertThat(application.published(JobEvent.Accepted.class)).isEmpty();
			});
			assertThat(application.stored()).containsExactly("1");
			assertThat(application.published(JobEvent.Accepted.class)).hasSize(1);
		});
	}

	@Test
	void rolledBackEnqueuePublishesNothing() {
		runEach((application) -> {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				application.client()
					.enqueueAll(IntStream.range(0, 1200).mapToObj((i) -> JobRequest.named("work").payload(i)).toList());
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).isEmpty();
			assertThat(application.published(JobEvent.class)).isEmpty();
		});
	}

	@Test
	void jobsAndDataAreCommittedTogetherHoweverDataAreWritten() {
		run(this.jpa, (application) -> {
			for (boolean rollback : new boolean[] { true, false }) {
				application.template().executeWithoutResult((status) -> {
					application.context().getBean(EntityManager.class).persist(new Order(1));
					application.insertByJdbcClient(2);
					application.insertByPlainCode(3);
					application.client().enqueue("work", 1);
					if (rollback) {
						status.setRollbackOnly();
					}
				});
				assertThat(application.orders()).isEqualTo(rollback ? 0 : 3);
				assertThat(application.stored()).hasSize(rollback ? 0 : 1);
			}
		});
	}

	@Test
	void enqueueThatIgnoresTheTransactionLeavesItAlone() {
		runEach((application) -> {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				application.insertByJdbcClient(1);
				application.client().enqueue("work", 1);
				application.client().enqueue("work", 2, (options) -> options.ignoreTransaction());
				List<Enqueued> both = application.client()
					.enqueueAll(List.of(JobRequest.named("work").payload(3),
							JobRequest.named("work").payload(4).options((set) -> set.ignoreTransaction())));
				assertThat(both).extracting(Enqueued::outcome).containsOnly(Outcome.NEW);
				assertThat(application.stored()).containsExactlyInAnyOrder("2", "4");
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).containsExactlyInAnyOrder("2", "4");
			assertThat(application.orders()).isZero();
			assertThat(application.published(JobEvent.Accepted.class)).hasSize(2);
		});
	}

	@Test
	void propertyLetsTransactionsBeIgnored() {
		run(this.plain.withPropertyValues("jobs.transactions=ignore"), (application) -> {
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				assertThat(application.client().enqueue("work", 1).isNew()).isTrue();
				assertThat(application.stored()).containsExactly("1");
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).containsExactly("1");
		});
	}

	@Test
	void uniqueKeyOfARolledBackJobIsFreeAgain() {
		runEach((application) -> {
			Consumer<EnqueueOptions.Builder> unique = (set) -> set.unique(Unique.byKey("k"));
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				assertThat(application.client().enqueue("work", 1, unique).outcome()).isEqualTo(Outcome.NEW);
				assertThat(application.client().enqueue("work", 2, unique).outcome()).isEqualTo(Outcome.DUPLICATE);
				throw new IllegalStateException("no");
			}));
			assertThat(application.client().enqueue("work", 3, unique).outcome()).isEqualTo(Outcome.NEW);
			assertThat(application.published(JobEvent.Accepted.class)).hasSize(1);
		});
	}

	@Test
	void fullQueueRejectsAtOnceAndTheTransactionMayContinue() {
		runEach((application) -> {
			Consumer<EnqueueOptions.Builder> two = (set) -> set.maxWaiting(2).waitForRoom(Duration.ofHours(1));
			application.inTransaction(() -> {
				application.insertByJdbcClient(1);
				application.client().enqueue("work", 1, two);
				application.client().enqueue("work", 2, two);
				assertThat(application.client().tryEnqueue(JobRequest.named("work").payload(3).options(two)).isFull())
					.isTrue();
				assertThatExceptionOfType(JobRejectedException.class)
					.isThrownBy(() -> application.client().enqueue("work", 4, two));
				assertThat(application.published(JobEvent.Rejected.class)).hasSize(2);
			});
			assertThat(application.stored()).containsExactlyInAnyOrder("1", "2");
			assertThat(application.orders()).isEqualTo(1);
		});
	}

	@Test
	void nestedAndInnerTransactionsEndEachInItsOwnWay() {
		run(this.plain, (application) -> {
			TransactionTemplate nested = application.template();
			nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
			TransactionTemplate inner = application.template();
			inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
			application.inTransaction(() -> {
				application.client().enqueue("work", 1);
				nested.executeWithoutResult((status) -> {
					application.client().enqueue("work", 2);
					status.setRollbackOnly();
				});
				inner.executeWithoutResult((status) -> application.client().enqueue("work", 3));
				assertThat(application.stored()).containsExactly("3");
				inner.executeWithoutResult((status) -> {
					application.client().enqueue("work", 4);
					status.setRollbackOnly();
				});
			});
			assertThat(application.stored()).containsExactlyInAnyOrder("1", "3");
			assertThat(application.published(JobEvent.Accepted.class))
				.extracting((event) -> new String(event.job().payload()))
				.containsExactly("3", "1");
		});
	}

	@Test
	void listenersOfEveryPhaseMayEnqueue() {
		runEach((application) -> {
			application.inTransaction(() -> application.context().publishEvent("order"));
			assertThat(application.stored()).containsExactlyInAnyOrder("\"BEFORE_COMMIT\"", "\"AFTER_COMMIT\"");
		});
	}

	@Test
	void changesByTheClientArePartOfTheTransaction() {
		runEach((application) -> {
			Enqueued kept = application.client().enqueue("work", 1);
			Enqueued moved = application.client().enqueue("work", 2, (options) -> options.delay(Duration.ofHours(1)));
			assertThatIllegalStateException().isThrownBy(() -> application.inTransaction(() -> {
				assertThat(application.client().cancel(kept.id())).isTrue();
				assertThat(application.client().reschedule(moved.id(), Instant.EPOCH)).isTrue();
				assertThat(application.client().find(kept.id())).isEmpty();
				assertThat(application.operations().jobs(JobFilter.of((only) -> only.states(JobState.READY))).delete())
					.isEqualTo(1);
				throw new IllegalStateException("no");
			}));
			assertThat(application.stored()).containsExactlyInAnyOrder("1", "2");
			assertThat(application.client().find(moved.id())).get().matches((job) -> job.dueAt().equals(moved.dueAt()));
		});
	}

	@Test
	void faultOfTheStoreReachesTheCallerAndCannotBeIgnored() {
		runEach((application) -> {
			application.context().getBean(JdbcClient.class).sql("alter table jobs_job rename to elsewhere").update();
			assertThatExceptionOfType(JobStoreException.class).isThrownBy(() -> application.inTransaction(() -> {
				application.insertByJdbcClient(1);
				assertThatExceptionOfType(JobStoreException.class)
					.isThrownBy(() -> application.client().enqueue("work", 1));
			})).withMessageContaining("The transaction is rolled back");
			assertThat(application.orders()).isZero();
			application.context().getBean(JdbcClient.class).sql("alter table elsewhere rename to jobs_job").update();
			assertThat(application.stored()).isEmpty();
			assertThat(application.published(JobEvent.class)).isEmpty();
		});
	}

	@Test
	void transactionThatOnlyReadsIsWaitedFor() {
		runEach((application) -> {
			TransactionTemplate reading = application.template();
			reading.setReadOnly(true);
			reading.executeWithoutResult((status) -> {
				assertThat(application.client().enqueue("work", 1).outcome()).isEqualTo(Outcome.DEFERRED);
				assertThat(application.stored()).isEmpty();
			});
			assertThat(application.stored()).containsExactly("1");
		});
	}

	@Test
	void transactionOfAnotherDatabaseIsWaitedFor() {
		run(this.plain, (application) -> {
			try (HikariDataSource other = new HikariDataSource()) {
				other.setJdbcUrl("jdbc:h2:mem:" + UUID.randomUUID());
				new TransactionTemplate(new DataSourceTransactionManager(other)).executeWithoutResult((status) -> {
					assertThat(application.client().enqueue("work", 1).outcome()).isEqualTo(Outcome.DEFERRED);
					assertThat(application.stored()).isEmpty();
				});
			}
			assertThat(application.stored()).containsExactly("1");
		});
	}

	@FunctionalInterface
	interface Body {

		void run(Application application) throws Exception;

	}

	record Application(JobClient client, ApplicationContext context) {

		JobOperations operations() {
			return this.context.getBean(JobOperations.class);
		}

		TransactionTemplate template() {
			return new TransactionTemplate(this.context.getBean(PlatformTransactionManager.class));
		}

		void inTransaction(Runnable work) {
			template().executeWithoutResult((status) -> work.run());
		}

		/** What the store has outside of all transactions. */
		List<String> stored() {
			return this.context.getBean(JobStore.class)
				.inspector()
				.page(JobFilter.all(), PageRequest.oldestFirst(1000), Instant.now())
				.jobs()
				.stream()
				.map((job) -> new String(job.payloadPreview()))
				.toList();
		}

		<T extends JobEvent> List<T> published(Class<T> type) {
			return this.context.getBean(Published.class).events.stream()
				.filter(type::isInstance)
				.map(type::cast)
				.toList();
		}

		void insertByJdbcClient(int id) {
			this.context.getBean(JdbcClient.class).sql("insert into orders (id) values (?)").param(id).update();
		}

		void insertByPlainCode(int id) {
			DataSource dataSource = this.context.getBean(DataSource.class);
			java.sql.Connection connection = DataSourceUtils.getConnection(dataSource);
			try (java.sql.Statement statement = connection.createStatement()) {
				statement.execute("insert into orders (id) values (" + id + ")");
			}
			catch (java.sql.SQLException ex) {
				throw new IllegalStateException(ex);
			}
			finally {
				DataSourceUtils.releaseConnection(connection, dataSource);
			}
		}

		int orders() {
			return this.context.getBean(JdbcClient.class)
				.sql("select count(*) from orders")
				.query(Integer.class)
				.single();
		}

	}

	static final class Published implements JobListener {

		private final List<JobEvent> events = new CopyOnWriteArrayList<>();

		@Override
		public void on(JobEvent event) {
			this.events.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Stored {

		@Bean
		JobStore store(DataSource dataSource) {
			String schema = "drop all objects; create table orders (id integer primary key); "
					+ JdbcSchema.of(Database.H2, JdbcJobStore.DEFAULT_TABLE_PREFIX);
			new ResourceDatabasePopulator(new ByteArrayResource(schema.getBytes())).execute(dataSource);
			return JdbcJobStore.builder(dataSource).build();
		}

		@Bean
		Published published() {
			return new Published();
		}

		@Bean
		Phases phases(JobClient client) {
			return new Phases(client);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage
	static class Entities {

	}

	/** An entity of the application. */
	@Entity(name = "orders")
	static class Order {

		@Id
		private Integer id;

		Order() {
		}

		Order(int id) {
			this.id = id;
		}

	}

	static class Phases {

		private final JobClient client;

		Phases(JobClient client) {
			this.client = client;
		}

		@TransactionalEventListener(phase = TransactionPhase.BEFORE_COMMIT)
		void beforeCommit(String event) {
			this.client.enqueue("work", "BEFORE_COMMIT");
		}

		@TransactionalEventListener(phase = TransactionPhase.AFTER_COMMIT)
		void afterCommit(String event) {
			this.client.enqueue("work", "AFTER_COMMIT");
		}

	}

}
