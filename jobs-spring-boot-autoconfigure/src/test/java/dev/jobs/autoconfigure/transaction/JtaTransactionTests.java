package dev.jobs.autoconfigure.transaction;

import java.time.Instant;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.function.Consumer;

import javax.sql.DataSource;

import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.internal.arjuna.objectstore.VolatileStore;
import com.arjuna.ats.jdbc.TransactionalDriver;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.PageRequest;
import dev.jobs.autoconfigure.Contexts;
import dev.jobs.store.JobStore;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for enqueues in JTA transactions, into which a data source enlists all
 * connections of the thread.
 */
class JtaTransactionTests {

	@BeforeAll
	static void keepNoLog() {
		String store = VolatileStore.class.getName();
		BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class).setObjectStoreType(store);
		BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, "stateStore").setObjectStoreType(store);
		BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, "communicationStore")
			.setObjectStoreType(store);
	}

	@Test
	void enqueueIsAPartOfATransactionThatHasUsedTheDataSource() {
		run((application) -> {
			for (boolean rollback : new boolean[] { true, false }) {
				application.transactions().executeWithoutResult((status) -> {
					application.order();
					assertThat(application.client().enqueue("a", 1).outcome()).isEqualTo(Outcome.NEW);
					assertThat(application.client().enqueue("b", 2).outcome()).isEqualTo(Outcome.NEW);
					assertThat(application.stored()).isEmpty();
					if (rollback) {
						status.setRollbackOnly();
					}
				});
				assertThat(application.orders()).isEqualTo(rollback ? 0 : 1);
				assertThat(application.stored()).hasSize(rollback ? 0 : 2);
			}
		});
	}

	@Test
	void enqueueWaitsForTheCommitOfATransactionWithoutItsDataSource() {
		run((application) -> {
			for (boolean rollback : new boolean[] { true, false }) {
				application.transactions().executeWithoutResult((status) -> {
					assertThat(application.client().enqueue("a", 1).outcome()).isEqualTo(Outcome.DEFERRED);
					application.order();
					assertThat(application.stored()).isEmpty();
					if (rollback) {
						status.setRollbackOnly();
					}
				});
				assertThat(application.orders()).isEqualTo(rollback ? 0 : 1);
				assertThat(application.stored()).hasSize(rollback ? 0 : 1);
			}
		});
	}

	@Test
	void enqueueThatIgnoresTheTransactionLeavesItAlone() {
		run((application) -> {
			application.transactions().executeWithoutResult((status) -> {
				application.order();
				assertThat(application.client().enqueue("a", 1, (options) -> options.ignoreTransaction()).outcome())
					.isEqualTo(Outcome.NEW);
				assertThat(application.stored()).containsExactly("a");
				application.order();
				status.setRollbackOnly();
			});
			assertThat(application.orders()).isZero();
			assertThat(application.stored()).containsExactly("a");
		});
	}

	private static void run(Consumer<Application> test) {
		Contexts.runner()
			.withUserConfiguration(Jta.class)
			.withPropertyValues("jobs.store=jdbc", "jobs.jdbc.initialize-schema=always", "jobs.worker.enabled=false")
			.run((context) -> {
				assertThat(context).hasNotFailed();
				Application application = new Application(context);
				application.jdbc().execute("create table orders (id integer)");
				test.accept(application);
			});
	}

	record Application(ApplicationContext context) {

		JobClient client() {
			return this.context.getBean(JobClient.class);
		}

		JdbcTemplate jdbc() {
			return new JdbcTemplate(this.context.getBean(DataSource.class));
		}

		TransactionTemplate transactions() {
			return new TransactionTemplate(this.context.getBean(JtaTransactionManager.class));
		}

		void order() {
			jdbc().update("insert into orders (id) values (1)");
		}

		Integer orders() {
			return jdbc().queryForObject("select count(*) from orders", Integer.class);
		}

		List<String> stored() {
			return this.context.getBean(JobStore.class)
				.inspector()
				.page(JobFilter.all(), PageRequest.oldestFirst(10), Instant.now())
				.jobs()
				.stream()
				.map((job) -> job.name())
				.toList();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Jta {

		@Bean
		JtaTransactionManager transactionManager() {
			return new JtaTransactionManager(com.arjuna.ats.jta.UserTransaction.userTransaction(),
					com.arjuna.ats.jta.TransactionManager.transactionManager());
		}

		@Bean
		DataSource dataSource() {
			JdbcDataSource target = new JdbcDataSource();
			target.setUrl("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
			Properties properties = new Properties();
			properties.put(TransactionalDriver.XADataSource, target);
			return new SimpleDriverDataSource(new TransactionalDriver(), TransactionalDriver.arjunaDriver, properties);
		}

	}

}
