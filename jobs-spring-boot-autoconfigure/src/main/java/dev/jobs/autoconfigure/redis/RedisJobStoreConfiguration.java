package dev.jobs.autoconfigure.redis;

import java.lang.annotation.Annotation;
import java.util.Arrays;
import java.util.List;

import dev.jobs.autoconfigure.jdbc.JdbcJobStoreConfiguration;
import dev.jobs.autoconfigure.jdbc.JobsDataSource;
import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.Namespace;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.store.redis.RedisDurability;
import dev.jobs.store.redis.RedisJobStore;
import dev.jobs.store.redis.check.ServerCheck;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.jdbc.init.DataSourceScriptDatabaseInitializer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.util.ClassUtils;

/**
 * The store in Redis, over the application's own connection factory.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({ LettuceConnectionFactory.class, RedisJobStore.class })
@ConditionalOnMissingBean(JobStore.class)
@Conditional(RedisJobStoreConfiguration.OnRedis.class)
public final class RedisJobStoreConfiguration {

	@Bean
	RedisJobStore jobStore(Place place, Namespace namespace) {
		namespace.warnIfNotSet();
		return new RedisJobStore(place.factory(), namespace.name(), place.durability());
	}

	@Bean(initMethod = "start")
	@ConditionalOnMissingBean
	ServerCheck jobServerCheck(Place place) {
		return new ServerCheck(place.factory(), place.durability());
	}

	@Bean
	RedisEntry jobRedisEntry(Place place, Namespace namespace, ServerCheck check) {
		return new RedisEntry(place.factory(), namespace.name(), check);
	}

	@Bean
	Place jobRedisPlace(@JobsConnectionFactory ObjectProvider<LettuceConnectionFactory> dedicated,
			ObjectProvider<LettuceConnectionFactory> factories, ObjectProvider<AlsoDatabase> alsoDatabase,
			JobsProperties properties, PropertyCheck check) {
		check.requireValid();
		LettuceConnectionFactory own = dedicated.getIfAvailable();
		requireOnlyPlace(alsoDatabase, own != null);
		LettuceConnectionFactory factory = (own != null) ? own : factories.getIfUnique();
		if (factory == null) {
			throw new InvalidJobsConfigurationException(
					"Jobs are to be kept in Redis, but there is no LettuceConnectionFactory bean, or several of which "
							+ "none is primary.",
					"Configure spring.data.redis.*, mark one factory as primary or with @JobsConnectionFactory, or set "
							+ "jobs.store=memory.");
		}
		return new Place(factory, durability(properties.redis()));
	}

	/**
	 * Do not choose between two existing places: jobs that wait in the other one would be
	 * forgotten.
	 */
	private static void requireOnlyPlace(ObjectProvider<AlsoDatabase> alsoDatabase, boolean marked) {
		AlsoDatabase database = alsoDatabase.getIfAvailable();
		if (database != null && (!marked || database.marked())) {
			throw new InvalidJobsConfigurationException(marked
					? "Both a Redis and a database are marked as the place of the jobs."
					: "Both a Redis and a database are configured, and nothing says which of them keeps the jobs.",
					"Set jobs.store=jdbc to keep them in the database, as a part of its transactions, or jobs.store=redis "
							+ "to keep them in Redis. Jobs do not move from the one to the other.");
		}
	}

	private static RedisDurability durability(JobsProperties.Redis redis) {
		return switch (redis.durability()) {
			case DEFAULT -> RedisDurability.ofServer();
			case REPLICATED -> RedisDurability.replicated(redis.replicas(), redis.replicationTimeout());
		};
	}

	/**
	 * Marks that a database would keep the jobs if there were no Redis.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass({ JdbcTemplate.class, DataSourceScriptDatabaseInitializer.class, JdbcJobStore.class })
	@Conditional(JdbcJobStoreConfiguration.OnJdbc.class)
	static class DatabaseConfiguration {

		@Bean
		AlsoDatabase jobAlsoDatabase(ListableBeanFactory beans) {
			return new AlsoDatabase(beans.getBeanNamesForAnnotation(JobsDataSource.class).length > 0);
		}

	}

	/**
	 * A database that could keep jobs as well.
	 *
	 * @param marked whether it is marked for them
	 */
	record AlsoDatabase(boolean marked) {

	}

	/**
	 * The Redis that keeps jobs.
	 *
	 * @param factory where connections come from
	 * @param durability what enqueues wait for
	 */
	record Place(LettuceConnectionFactory factory, RedisDurability durability) {

	}

	/**
	 * Redis is used if it is asked for. If no store is, it is used if the application
	 * marks a Redis for jobs, or if properties or a service connection give the place of
	 * a Redis and no database is marked. A client on the classpath does not count.
	 */
	static final class OnRedis extends SpringBootCondition implements ConfigurationCondition {

		private static final String PREFIX = "spring.data.redis.";

		private static final String DETAILS = "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails";

		/** The properties with the place of a server and its credentials. */
		private static final List<String> PLACES = List.of("url", "host", "port", "username", "password", "database",
				"ssl", "sentinel", "cluster", "masterreplica");

		@Override
		public ConfigurationPhase getConfigurationPhase() {
			return ConfigurationPhase.REGISTER_BEAN;
		}

		@Override
		public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
			Environment environment = context.getEnvironment();
			String store = environment.getProperty("jobs.store", "auto");
			ConditionMessage.Builder message = ConditionMessage.forCondition("jobs.store");
			if (store.equalsIgnoreCase("redis")) {
				return ConditionOutcome.match(message.because("it is redis"));
			}
			ConfigurableListableBeanFactory beans = context.getBeanFactory();
			boolean placed = isNamed(beans, JobsConnectionFactory.class) || (!isNamed(beans, JobsDataSource.class)
					&& (PLACES.stream().anyMatch((place) -> isSet(environment, PREFIX + place))
							|| hasServiceConnection(beans)));
			return new ConditionOutcome(store.equalsIgnoreCase("auto") && placed, message
				.because("it is " + store + (placed ? " and" : " but no") + " place of a Redis is configured"));
		}

		private static boolean isSet(Environment environment, String property) {
			ConfigurationPropertyName name = ConfigurationPropertyName.of(property);
			for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
				if (source.getConfigurationProperty(name) != null
						|| source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
					return true;
				}
			}
			return false;
		}

		private static boolean hasServiceConnection(@Nullable ConfigurableListableBeanFactory beans) {
			return beans != null && ClassUtils.isPresent(DETAILS, beans.getBeanClassLoader())
					&& Arrays
						.stream(beans.getBeanNamesForType(
								ClassUtils.resolveClassName(DETAILS, beans.getBeanClassLoader()), true, false))
						.anyMatch((name) -> !isMadeByBoot(beans, name));
		}

		/** The details that Boot creates only repeat the properties. */
		private static boolean isMadeByBoot(ConfigurableListableBeanFactory beans, String name) {
			return beans.containsBeanDefinition(name)
					&& beans.getBeanDefinition(name) instanceof AnnotatedBeanDefinition annotated
					&& annotated.getFactoryMethodMetadata() != null
					&& annotated.getFactoryMethodMetadata()
						.getDeclaringClassName()
						.startsWith("org.springframework.boot.data.redis.");
		}

		private static boolean isNamed(@Nullable ListableBeanFactory beans, Class<? extends Annotation> by) {
			return beans != null && beans.getBeanNamesForAnnotation(by).length > 0;
		}

	}

}
