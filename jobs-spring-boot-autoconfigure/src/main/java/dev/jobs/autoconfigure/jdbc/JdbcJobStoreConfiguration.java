package dev.jobs.autoconfigure.jdbc;

import java.util.Arrays;
import java.util.List;

import javax.sql.DataSource;

import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.dependency.DatabaseInitializationDependencyConfigurer;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.transaction.jta.JtaTransactionManager;
import org.springframework.util.StringUtils;

/**
 * The store in a relational database, over the application's own data source.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ JdbcTemplate.class, DataSourceScriptDatabaseInitializer.class, JdbcJobStore.class })
@ConditionalOnMissingBean(JobStore.class)
@Conditional(JdbcJobStoreConfiguration.OnJdbcOrSeveral.class)
@Import(DatabaseInitializationDependencyConfigurer.class)
public final class JdbcJobStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(JdbcJobStoreConfiguration.class);

	@Bean
	@DependsOnDatabaseInitialization
	JdbcJobStore jobStore(JobConnections connections, JobTables tables, JobsProperties properties,
			ObjectProvider<JtaTransactionManager> jta) {
		JdbcJobStore.Builder builder = tables.builder(jta);
		DataSource unpooled = connections.unpooled();
		if (unpooled != null && properties.jdbc().listen() != JobsProperties.Jdbc.Listen.OFF) {
			builder.listen(unpooled);
		}
		return builder.build();
	}

	@Bean
	JobTables jobTables(JobConnections connections, JobsProperties properties) {
		return JobTables.ofStore(connections, properties.jdbc());
	}

	@Bean
	JobConnections jobConnections(@JobsDataSource ObjectProvider<DataSource> dedicated,
			ObjectProvider<DataSource> dataSources, ObjectProvider<JdbcConnectionDetails> details,
			JobsProperties properties, PropertyCheck check, Environment environment,
			ConfigurableListableBeanFactory beans) {
		check.requireValid();
		DataSource own = dedicated.getIfAvailable();
		DataSource dataSource = (own != null) ? own : dataSources.getIfUnique();
		if (dataSource == null) {
			throw new InvalidJobsConfigurationException(
					"Jobs are to be kept in a database, but there is no DataSource bean, or several of which none is "
							+ "primary.",
					"Configure spring.datasource.*, mark one data source as primary or with @JobsDataSource, or set "
							+ "jobs.store=memory.");
		}
		if (own == null && !OnLastingDatabase.isLasting(environment, beans)) {
			logger.warn("jobs.store=jdbc keeps jobs in a database in memory, which ends with the application. Set "
					+ "spring.datasource.url to one that lasts, or jobs.store=memory if that is what you want");
		}
		JdbcConnectionDetails place = (own != null) ? null : details.getIfUnique();
		return JobConnections.of(dataSource, (place != null) ? place.getJdbcUrl() : null, properties.jdbc(),
				"Jobs are kept");
	}

	/**
	 * A database is used if it is asked for. If no store is, it is used if the
	 * application marks one for jobs or has one that outlives the application.
	 */
	public static final class OnJdbc extends AnyNestedCondition {

		OnJdbc() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnProperty(name = "jobs.store", havingValue = "jdbc")
		static class Asked {

		}

		@ConditionalOnProperty(name = "jobs.store", havingValue = "auto", matchIfMissing = true)
		@Conditional(OnMarkedDataSource.class)
		static class Marked {

		}

		@ConditionalOnProperty(name = "jobs.store", havingValue = "auto", matchIfMissing = true)
		@ConditionalOnSingleCandidate(DataSource.class)
		@Conditional(OnLastingDatabase.class)
		static class Found {

		}

	}

	/**
	 * Several databases end the start; otherwise jobs that seem to be kept in one of them
	 * would be in memory.
	 */
	static final class OnJdbcOrSeveral extends AnyNestedCondition {

		OnJdbcOrSeveral() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@Conditional(OnJdbc.class)
		static class Jdbc {

		}

		@ConditionalOnProperty(name = "jobs.store", havingValue = "auto", matchIfMissing = true)
		@ConditionalOnBean(DataSource.class)
		@Conditional(OnLastingDatabase.class)
		static class Several {

		}

	}

	/**
	 * Finds the mark also on beans that are not default candidates.
	 */
	static final class OnMarkedDataSource implements ConfigurationCondition {

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			return beans != null && beans.getBeanNamesForAnnotation(JobsDataSource.class).length > 0;
		}

	}

	/**
	 * Finds out whether the database keeps its content when the application ends. It uses
	 * the configuration, since no data source may be created yet.
	 */
	static final class OnLastingDatabase extends SpringBootCondition implements ConfigurationCondition {

		private static final String URL = "spring.datasource.url";

		private static final List<String> OTHER_PLACES = List.of("spring.datasource.jndi-name",
				"spring.datasource.hikari.jdbc-url", "spring.datasource.tomcat.url", "spring.datasource.dbcp2.url");

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			ConditionMessage.Builder message = ConditionMessage.forCondition("lasting database");
			boolean lasting = isLasting(context.getEnvironment(), context.getBeanFactory());
			return new ConditionOutcome(lasting,
					message.because(lasting ? "what is in the database stays" : "the database is in memory"));
		}

		private static boolean isLasting(Environment environment, @Nullable ConfigurableListableBeanFactory beans) {
			String url = environment.getProperty(URL);
			if (StringUtils.hasText(url)) {
				return !JdbcUrl.isInMemory(url);
			}
			if (beans == null || beans.getBeanNamesForType(EmbeddedDatabase.class, true, false).length > 0) {
				return false;
			}
			return OTHER_PLACES.stream().anyMatch(environment::containsProperty)
					|| !isMadeByBoot(beans, DataSource.class) || !isMadeByBoot(beans, JdbcConnectionDetails.class);
		}

		/** Without a URL Boot creates an embedded database. */
		private static boolean isMadeByBoot(ConfigurableListableBeanFactory beans, Class<?> type) {
			return Arrays.stream(beans.getBeanNamesForType(type, true, false))
				.allMatch((name) -> beans.containsBeanDefinition(name) && isMadeByBoot(beans.getBeanDefinition(name)));
		}

		private static boolean isMadeByBoot(BeanDefinition definition) {
			MethodMetadata method = (definition instanceof AnnotatedBeanDefinition annotated)
					? annotated.getFactoryMethodMetadata() : null;
			return method != null && method.getDeclaringClassName().startsWith("org.springframework.boot.jdbc.");
		}

	}

}
