package dev.jobs.autoconfigure;

import java.util.stream.Stream;

import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/**
 * The store in memory, which comes last: other stores are imported before it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(JobStore.class)
class InMemoryJobStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(InMemoryJobStoreConfiguration.class);

	@Bean
	InMemoryJobStore jobStore(JobsProperties properties, PropertyCheck check, Environment environment,
			ResourceLoader resourceLoader) {
		check.requireValid();
		boolean isStranded = !properties.worker().enabled() && !JobEngineLifecycle.isInTest(environment);
		if (isStranded) {
			logger
				.warn("jobs.worker.enabled is false and jobs are kept in memory, where no other process can run them. "
						+ "Configure the Redis or the database that the workers use, or remove jobs.worker.enabled");
		}
		switch (properties.store()) {
			case MEMORY -> logger.debug("Jobs are kept in memory");
			case AUTO -> warn(environment, resourceLoader, isStranded);
			case REDIS -> throw isThere("dev.jobs.store.redis.RedisJobStore", resourceLoader)
					? missing("redis", "Spring Data Redis with Lettuce is", "spring-boot-starter-data-redis")
					: missing("redis", "jobs-redis is", "jobs-redis");
			case JDBC -> throw isThere("dev.jobs.store.jdbc.JdbcJobStore", resourceLoader)
					? missing("jdbc", "Spring JDBC with its module of Spring Boot is", "spring-boot-starter-jdbc")
					: missing("jdbc", "jobs-jdbc is", "jobs-jdbc");
		}
		return new InMemoryJobStore();
	}

	private static void warn(Environment environment, ResourceLoader resourceLoader, boolean isWarnedAbout) {
		if (isSet(environment, "spring.data.redis.host", "spring.data.redis.url")
				&& !isThere("org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
						resourceLoader)) {
			warn("spring.data.redis.* is", "Spring Data Redis with Lettuce is", "spring-boot-starter-data-redis");
		}
		else if (isSet(environment, "spring.datasource.url")
				&& !isThere("org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
						resourceLoader)) {
			warn("spring.datasource.url is", "Spring JDBC with its module of Spring Boot is",
					"spring-boot-starter-jdbc");
		}
		else if (!isWarnedAbout) {
			logger.warn("Jobs are kept in memory and do not survive a restart. If that is what you want, "
					+ "set jobs.store=memory; if not, configure spring.data.redis.host or .url with spring-boot-starter-data-redis, "
					+ "or spring.datasource.* of a lasting database with spring-boot-starter-jdbc (of several data "
					+ "sources, mark one with @JobsDataSource), or define a JobStore bean");
		}
	}

	private static void warn(String set, String library, String starter) {
		logger.warn("Jobs are kept in memory and do not survive a restart: {} set, but {} not on the classpath. "
				+ "Add {}, or set jobs.store=memory", set, library, starter);
	}

	private static boolean isSet(Environment environment, String... properties) {
		return Stream.of(properties).anyMatch(environment::containsProperty);
	}

	private static boolean isThere(String store, ResourceLoader resourceLoader) {
		return ClassUtils.isPresent(store, resourceLoader.getClassLoader());
	}

	private static InvalidJobsConfigurationException missing(String store, String library, String starter) {
		return new InvalidJobsConfigurationException(
				"The property jobs.store asks for the store '" + store + "', but " + library + " not on the classpath.",
				"Add " + starter + ", or set jobs.store=memory.");
	}

}
