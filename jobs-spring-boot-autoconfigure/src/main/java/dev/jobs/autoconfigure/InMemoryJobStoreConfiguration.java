package dev.jobs.autoconfigure;

import java.util.Locale;

import dev.jobs.store.JobStore;
import dev.jobs.store.memory.InMemoryJobStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The store in memory, which comes last: other stores are imported before it.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(JobStore.class)
class InMemoryJobStoreConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(InMemoryJobStoreConfiguration.class);

	@Bean
	InMemoryJobStore jobStore(JobsProperties properties) {
		switch (properties.store()) {
			case MEMORY -> logger.debug("Jobs are kept in memory");
			case AUTO -> logger.warn("Jobs are kept in memory and do not survive a restart. If that is what you want, "
					+ "set jobs.store=memory; otherwise configure spring.data.redis.* with spring-boot-starter-data-redis, or define a JobStore bean");
			case REDIS -> throw new InvalidJobsConfigurationException(
					"The property jobs.store asks for the store 'redis', but Spring Data Redis with Lettuce is not "
							+ "on the classpath.",
					"Add spring-boot-starter-data-redis, or set jobs.store=memory.");
			case JDBC -> throw notAvailable(properties.store().name().toLowerCase(Locale.ROOT));
		}
		return new InMemoryJobStore();
	}

	private static InvalidJobsConfigurationException notAvailable(String store) {
		return new InvalidJobsConfigurationException(
				"The property jobs.store asks for the store '" + store
						+ "', which is not available in this version of Jobs.",
				"Set jobs.store=memory, or define a JobStore bean.");
	}

}
