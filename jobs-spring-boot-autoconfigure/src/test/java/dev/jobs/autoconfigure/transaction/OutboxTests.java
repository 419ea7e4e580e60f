package dev.jobs.autoconfigure.transaction;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import dev.jobs.EnqueueOptions;
import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobFilter;
import dev.jobs.JobHandler;
import dev.jobs.JobListener;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.Urgency;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.Postgres;
import dev.jobs.autoconfigure.Received;
import dev.jobs.autoconfigure.Redis;
import dev.jobs.autoconfigure.metrics.JobsMetricsAutoConfiguration;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.metrics.OutboxGauges;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.Outbox;
import dev.jobs.store.redis.RedisJobStore;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.SettableClock;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for applications with data in a database, jobs in Redis and an outbox between
 * them.
 */
class OutboxTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static Postgres postgres;

	private static Redis redis;

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, JobsAutoConfiguration.class))
		.withPropertyValues("jobs.namespace=" + UUID.randomUUID(), "jobs.store=redis", "jobs.outbox.enabled=true",
				"spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + redis.port(), "jobs.shutdown.grace=0s");

	private final ApplicationContextRunner jdbc = this.bare
		.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class,
				DataSourceTransactionManagerAutoConfiguration.class, TransactionAutoConfiguration.class))
		.withUserConfiguration(Work.class)
		.withPropertyValues("jobs.outbox.poll=1h", "jobs.worker.poll=100ms");

	private final ApplicationContextRunner h2 = this.jdbc
		.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

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

	private static ApplicationContextRunner onPostgres(ApplicationContextRunner runner) {
		return runner.withPropertyValues("spring.datasource.url=" + postgres.createDatabase(),
				"jobs.jdbc.initialize-schema=always");
	}

	private static void inTransaction(ApplicationContext context, Runnable body) {
		new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
			.executeWithoutResult((status) -> body.run());
	}

	private static long waiting(ApplicationContext context) {
		return context.getBean(Outbox.class).contents().waiting();
	}

	private static void awaitEmptyOutbox(ApplicationContext context) {
		Awaitility.await().atMost(PATIENCE).until(() -> waiting(context) == 0);
	}

	private static QueueView queue(ApplicationContext context, String name) {
		return context.getBean(JobInspector.class)
			.queues(Instant.now())
			.stream()
			.filter((queue) -> queue.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new AssertionError("No queue " + name));
	}

	@Test
	void enqueueIsCommittedWithTheDataAndRunsOnce() {
		onPostgres(this.jdbc).run(this::commitAndRollBack);
		this.h2.run(this::commitAndRollBack);
		onPostgres(this.jdbc).withConfiguration(AutoConfigurations.of(HibernateJpaAutoConfiguration.class))
			.withUserConfiguration(Entities.class)
			.run(this::commitAndRollBack);
	}

	private void commitAndRollBack(AssertableApplicationContext context) throws InterruptedException {
		JobClient client = Contexts.client(context);
		Work work = context.getBean(Work.class);
		List<String> ids = new ArrayList<>();
		inTransaction(context, () -> {
			Enqueued first = client.enqueue("work", "first");
			assertThat(first.outcome()).isEqualTo(Outcome.DEFERRED);
			assertThat(client.find(first.id())).isEmpty();
			ids.add(first.id());
			assertThat(client.tryEnqueue(JobRequest.named("work").payload("second")).isFull()).isFalse();
			List<JobRequest> more = List.of(JobRequest.named("work").payload("third"),
					JobRequest.named("work").payload("free").options((set) -> set.ignoreTransaction()));
			assertThat(client.enqueueAll(more)).extracting(Enqueued::outcome)
				.containsExactly(Outcome.DEFERRED, Outcome.NEW);
			assertThat(waiting(context)).isZero();
			assertThat(receivedNow(work)).isEqualTo("free");
		});
		assertThat(List.of(work.received.next(), work.received.next(), work.received.next()))
			.containsExactlyInAnyOrder("first", "second", "third");
		assertThat(work.ids).contains(ids.get(0));
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(context, () -> {
			client.enqueue("work", "undone");
			throw new IllegalStateException("as planned");
		}));
		assertThat(client.enqueue("work", "outside").outcome()).isEqualTo(Outcome.NEW);
		assertThat(work.received.next()).isEqualTo("outside");
		awaitEmptyOutbox(context);
		assertThat(work.received.isEmpty()).isTrue();
		assertThat(work.accepted).contains(ids.get(0)).hasSize(5);
	}

	private static Object receivedNow(Work work) {
		try {
			return work.received.next();
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

	@Test
	@ExpectsFaults("Something is missing in the tables of the jobs")
	void whatWaitsIsMeasured() {
		SettableClock clock = SettableClock.at(Instant.parse("2026-01-01T00:00:00Z"));
		ApplicationContextRunner measured = this.h2
			.withConfiguration(AutoConfigurations.of(JobsMetricsAutoConfiguration.class))
			.withPropertyValues("spring.data.redis.port=1", "jobs.metrics.timeout=30s")
			.withBean(SettableClock.class, () -> clock)
			.withBean(SimpleMeterRegistry.class);
		measured.run((context) -> {
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			context.getBean(OutboxGauges.class).bindTo(registry);
			Gauge waiting = registry.get("jobs.outbox.jobs").tag("state", "waiting").gauge();
			Gauge oldest = registry.get("jobs.outbox.oldest").gauge();
			assertThat(waiting.value()).isZero();
			assertThat(oldest.value()).isZero();
			inTransaction(context, () -> List.of(1, 2).forEach((i) -> Contexts.client(context).enqueue("work", i)));
			assertThat(waiting.value()).as("read a short while ago").isZero();
			clock.advance(Duration.ofMinutes(2));
			assertThat(waiting.value()).isEqualTo(2);
			assertThat(oldest.value()).isEqualTo(120);
			JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
			jdbc.update(
					"update jobs_outbox set problem = 'unknown' where place = (select min(place) from jobs_outbox)");
			clock.advance(Duration.ofMinutes(1));
			assertThat(registry.get("jobs.outbox.jobs").tag("state", "unreadable").gauge().value()).isOne();
			jdbc.execute("drop table jobs_outbox");
			clock.advance(Duration.ofMinutes(1));
			assertThat(waiting.value()).isNaN();
		});
		measured.withPropertyValues("jobs.outbox.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxGauges.class));
	}

	@Test
	void onlyTheTablesOfTheOutboxAreCreated() {
		onPostgres(this.jdbc).withPropertyValues("jobs.jdbc.table-prefix=shop_").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(JdbcTemplate.class)
				.queryForList("select tablename from pg_tables where schemaname = 'public'", String.class))
				.containsExactlyInAnyOrder("shop_outbox", "shop_step");
		});
	}

	@Test
	void processWithoutAWorkerCarriesJobsOverWithAllTheirRules() {
		onPostgres(this.jdbc).withPropertyValues("jobs.worker.enabled=false").run((context) -> {
			JobClient client = Contexts.client(context);
			Instant later = Instant.now().plusSeconds(3600);
			Consumer<EnqueueOptions.Builder> unique = (set) -> set.unique("k", (rule) -> rule.untilDone())
				.header("traceparent", "00-ab-cd-01")
				.urgency(Urgency.HIGH);
			List<String> ids = new ArrayList<>();
			inTransaction(context, () -> {
				ids.add(client.enqueue(JobRequest.named("mail").payload(1).options(unique)).id());
				ids.add(client.enqueue(JobRequest.named("mail").payload(2).options(unique)).id());
				ids.add(client.enqueue(JobRequest.named("mail").payload(3).options((set) -> set.at(later))).id());
			});
			awaitEmptyOutbox(context);
			Job first = client.find(ids.get(0)).orElseThrow();
			assertThat(first.headers()).containsEntry("traceparent", "00-ab-cd-01");
			assertThat(first.urgency()).isEqualTo(Urgency.HIGH);
			assertThat(new String(first.payload())).isEqualTo("1");
			assertThat(client.find(ids.get(1))).isEmpty();
			Job last = client.find(ids.get(2)).orElseThrow();
			assertThat(last.state()).isEqualTo(JobState.SCHEDULED);
			assertThat(Duration.between(last.dueAt(), later).abs()).isLessThan(Duration.ofMillis(2));
		});
	}

	@Test
	void fullQueueDelaysItsJobsAndNoOthers() {
		onPostgres(this.jdbc).withPropertyValues("jobs.worker.enabled=false", "jobs.handlers.mail.max-waiting=2")
			.run((context) -> {
				JobClient client = Contexts.client(context);
				inTransaction(context, () -> {
					List.of(1, 2, 3).forEach((i) -> client.enqueue("mail", i));
					client.enqueue("other", 4);
				});
				Awaitility.await().atMost(PATIENCE).until(() -> waiting(context) == 1);
				assertThat(queue(context, "mail").ready()).isEqualTo(2);
				assertThat(queue(context, "other").ready()).isEqualTo(1);
				assertThat(context.getBean(JobOperations.class)
					.jobs(JobFilter.of((only) -> only.states(JobState.READY)))
					.delete()).isEqualTo(3);
				awaitEmptyOutbox(context);
				assertThat(queue(context, "mail").ready()).isEqualTo(1);
			});
	}

	@Test
	void committedEnqueuesReachRedisNowOrAtTheNextStart() {
		ApplicationContextRunner producer = onPostgres(this.jdbc).withPropertyValues("jobs.worker.enabled=false");
		producer.withPropertyValues("spring.data.redis.port=1", "spring.data.redis.timeout=200ms").run((context) -> {
			JobClient client = Contexts.client(context);
			inTransaction(context, () -> client.enqueue("mail", 1));
			assertThat(waiting(context)).isEqualTo(1);
			assertThat(context.getBean(JobEngine.class).status().loops()).extracting(LoopStatus::name)
				.containsExactly("outbox");
		});
		producer.run((context) -> {
			awaitEmptyOutbox(context);
			assertThat(queue(context, "mail").ready()).isEqualTo(1);
			context.getBean(JobEngine.class).stopRelay();
			inTransaction(context, () -> Contexts.client(context).enqueue("mail", 2));
			assertThat(waiting(context)).isEqualTo(1);
			context.getBean(JobEngine.class).startRelay();
			context.getBean(JobEngine.class).stopRelay();
			assertThat(waiting(context)).isZero();
		});
	}

	@Test
	void impossibleOutboxIsReportedWithItsProperty() {
		expectFailure(this.bare, "jobs.outbox.enabled", "no DataSource");
		expectFailure(this.bare.withClassLoader(new FilteredClassLoader(JdbcTemplate.class)), "jobs.outbox.enabled",
				"spring-boot-starter-jdbc");
		expectFailure(
				this.bare.withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
					.withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID()),
				"jobs.outbox.enabled", "no transaction manager");
		expectFailure(this.h2.withPropertyValues("jobs.store=memory"), "jobs.outbox.enabled", "InMemoryJobStore",
				"jobs.store=redis");
		expectFailure(this.h2.withPropertyValues("jobs.store=jdbc"), "jobs.outbox.enabled", "JdbcJobStore", "anyway");
		expectFailure(
				this.jdbc.withPropertyValues("spring.datasource.url=" + postgres.createDatabase(),
						"jobs.jdbc.initialize-schema=never"),
				"jobs.outbox.enabled", "jobs_outbox", "outbox-postgresql.sql", "jobs.jdbc.initialize-schema=always");
		expectFailure(this.h2.withPropertyValues("jobs.outbox.poll=0s", "jobs.outbox.remember-for=3s"),
				"jobs.outbox.poll", "jobs.outbox.remember-for");
	}

	private static void expectFailure(ApplicationContextRunner runner, String... words) {
		ContextConsumer<AssertableApplicationContext> expectation = (context) -> assertThat(Contexts.analysis(context))
			.contains(words);
		runner.run(expectation);
	}

	@Test
	void withoutTheOutboxNothingOfItIsThere() {
		this.h2.withPropertyValues("jobs.outbox.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed().hasSingleBean(RedisJobStore.class);
			assertThat(context).doesNotHaveBean(Outbox.class).doesNotHaveBean(OutboxLifecycle.class);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Work implements JobListener {

		private final Received received = new Received();

		private final List<String> ids = new CopyOnWriteArrayList<>();

		private final List<String> accepted = new CopyOnWriteArrayList<>();

		@JobHandler("work")
		void work(String text, JobContext context) {
			this.ids.add(context.id());
			this.received.add(text);
		}

		@Override
		public void on(JobEvent event) {
			if (event instanceof JobEvent.Accepted accepted) {
				this.accepted.add(accepted.job().id());
			}
		}

		@Bean
		JdbcTemplate template(javax.sql.DataSource dataSource) {
			return new JdbcTemplate(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@AutoConfigurationPackage
	static class Entities {

	}

}
