package dev.jobs.autoconfigure.transaction;

import javax.sql.DataSource;

import dev.jobs.autoconfigure.jdbc.JobConnections;
import dev.jobs.autoconfigure.jdbc.JobTables;
import dev.jobs.autoconfigure.jdbc.JobsDataSource;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.Outbox;
import dev.jobs.store.StepMarks;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.jdbc.JdbcOutbox;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.jta.JtaTransactionManager;

/**
 * The outbox in the application's database, the marks of transactional steps beside it,
 * and the relay that empties it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty("jobs.outbox.enabled")
public final class OutboxConfiguration {

	@Bean
	OutboxLifecycle jobOutboxLifecycle(JobEngine engine) {
		return new OutboxLifecycle(engine);
	}

	@Bean
	static LazyInitializationExcludeFilter jobOutboxLazyInitializationExcludeFilter() {
		return LazyInitializationExcludeFilter.forBeanTypes(OutboxLifecycle.class);
	}

	/**
	 * The outbox itself. A store that joins transactions does not need one.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ JdbcTemplate.class, DataSourceScriptDatabaseInitializer.class, JdbcJobStore.class })
	@ConditionalOnMissingBean({ JdbcJobStore.class, Outbox.class })
	@Import(DatabaseInitializationDependencyConfigurer.class)
	static class InDatabase {

		/** One for the relay, one for queries. */
		private static final int MOST_CONNECTIONS = 2;

		@Bean
		@DependsOnDatabaseInitialization
		JdbcOutbox jobOutbox(JobTables tables, ObjectProvider<JtaTransactionManager> jta) {
			return tables.builder(jta).buildOutbox();
		}

		@Bean
		@DependsOnDatabaseInitialization
		@ConditionalOnMissingBean(StepMarks.class)
		StepMarks jobStepMarks(JobTables tables, ObjectProvider<JtaTransactionManager> jta) {
			return tables.builder(jta).buildStepMarks();
		}

		@Bean
		JobTables jobOutboxTables(JobConnections connections, JobsProperties properties) {
			return JobTables.ofOutbox(connections, properties.jdbc());
		}

		@Bean
		JobConnections jobOutboxConnections(@JobsDataSource ObjectProvider<DataSource> dedicated,
				ObjectProvider<DataSource> dataSources, ObjectProvider<JdbcConnectionDetails> details,
				JobsProperties properties, PropertyCheck check, ListableBeanFactory beans) {
			check.requireValid();
			DataSource own = dedicated.getIfAvailable();
			DataSource dataSource = (own != null) ? own : dataSources.getIfUnique();
			if (dataSource == null) {
				throw new InvalidJobsConfigurationException(
						"jobs.outbox.enabled is true, but there is no DataSource bean for the outbox, or several of which "
								+ "none is primary.",
						"Configure spring.datasource.*, mark the data source of the application's data as primary or with "
								+ "@JobsDataSource, or remove jobs.outbox.enabled.");
			}
			if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, PlatformTransactionManager.class, true,
					false).length == 0) {
				throw new InvalidJobsConfigurationException(
						"jobs.outbox.enabled is true, but there is no transaction manager, so that no enqueue would ever be "
								+ "in a transaction.",
						"Define a PlatformTransactionManager for the data source, or remove jobs.outbox.enabled.");
			}
			JdbcConnectionDetails place = (own != null) ? null : details.getIfUnique();
			return JobConnections.of(dataSource, (place != null) ? place.getJdbcUrl() : null, few(properties.jdbc()),
					"The outbox of the jobs is");
		}

		private static JobsProperties.Jdbc few(JobsProperties.Jdbc jdbc) {
			return new JobsProperties.Jdbc(jdbc.initializeSchema(), jdbc.tablePrefix(), jdbc.platform(),
					Math.min(jdbc.poolSize(), MOST_CONNECTIONS), jdbc.timeout(), jdbc.listen());
		}

	}

}
