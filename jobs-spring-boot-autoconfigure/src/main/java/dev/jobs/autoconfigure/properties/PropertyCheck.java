package dev.jobs.autoconfigure.properties;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import dev.jobs.cron.Misfire;
import dev.jobs.cron.Schedule;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.engine.settings.PoolOptions;
import dev.jobs.store.jdbc.JdbcSchema;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.unit.DataSize;

/**
 * Finds values that are not accepted and unknown names. All are reported together, each
 * with the name of its property, along with the mistakes of handlers.
 */
public final class PropertyCheck {

	private static final Logger logger = LoggerFactory.getLogger(PropertyCheck.class);

	private static final Pattern PLAIN_KEY = Pattern.compile("[a-z0-9]+(-[a-z0-9]+)*");

	private static final String JDBC_SCHEMA = "dev.jobs.store.jdbc.JdbcSchema";

	private static final int LARGEST = 100_000;

	private final JobsProperties properties;

	private final Environment environment;

	private final ConfigurableListableBeanFactory beanFactory;

	private final Function<Predicate<String>, List<InvalidJobsConfigurationException>> handlers;

	private final Set<ConfigurationPropertyName> rejected = new HashSet<>();

	private final StringBuilder problems = new StringBuilder();

	private boolean passed;

	/**
	 * Create a check.
	 * @param properties the properties
	 * @param environment where they come from
	 * @param beanFactory the beans of the application
	 * @param handlers finds the mistakes of handlers, except properties whose paths below
	 * {@code jobs} are rejected already
	 */
	public PropertyCheck(JobsProperties properties, Environment environment,
			ConfigurableListableBeanFactory beanFactory,
			Function<Predicate<String>, List<InvalidJobsConfigurationException>> handlers) {
		this.properties = properties;
		this.environment = environment;
		this.beanFactory = beanFactory;
		this.handlers = handlers;
	}

	/**
	 * Check the properties before they are used.
	 * @throws InvalidJobsConfigurationException if a value is not accepted
	 */
	public void requireValid() {
		if (this.passed) {
			return;
		}
		BoundNames names = BoundNames.read(this.environment);
		names.failures().forEach(this::reject);
		names.unknown().forEach(this::reject);
		check(this.properties);
		if (!this.problems.isEmpty()) {
			List<InvalidJobsConfigurationException> mistakes = new ArrayList<>();
			mistakes.add(new InvalidJobsConfigurationException(
					"Some properties are not accepted:%n%s".formatted(this.problems),
					"Update your application's configuration."));
			mistakes.addAll(mistakesOfHandlers());
			throw InvalidJobsConfigurationException.of(mistakes);
		}
		warnOf(names.foreign());
		if (!names.variables().isEmpty()) {
			logger.warn("Jobs does not know these environment variables, and ignores them: {}. Correct them",
					names.variables()
						.entrySet()
						.stream()
						.map((entry) -> entry.getKey() + " (" + entry.getValue() + ")")
						.collect(Collectors.joining(", ")));
		}
		this.passed = true;
	}

	private List<InvalidJobsConfigurationException> mistakesOfHandlers() {
		try {
			return this.handlers.apply(this::isRejected);
		}
		catch (BeansException ex) {
			logger.debug("The handlers cannot be read yet", ErrorText.loggable(ex));
			return List.of();
		}
	}

	/**
	 * Warn of names directly below {@code jobs} that may be the application's own, unless
	 * one of its beans binds them.
	 */
	private void warnOf(Map<ConfigurationPropertyName, String> foreign) {
		if (foreign.isEmpty()) {
			return;
		}
		Map<ConfigurationPropertyName, String> unread = new TreeMap<>(foreign);
		for (String bean : this.beanFactory.getBeanNamesForAnnotation(ConfigurationProperties.class)) {
			ConfigurationProperties annotation = this.beanFactory.findAnnotationOnBean(bean,
					ConfigurationProperties.class, false);
			if (annotation != null && this.beanFactory.getType(bean, false) != JobsProperties.class) {
				ConfigurationPropertyName prefix = ConfigurationPropertyName.adapt(annotation.prefix(), '.');
				unread.keySet().removeIf((name) -> prefix.equals(name) || prefix.isAncestorOf(name));
			}
		}
		if (!unread.isEmpty()) {
			logger
				.warn("Jobs does not know these properties, and ignores them: {}. Correct them, or add the module that "
						+ "they belong to; properties of the application's own should have another prefix than 'jobs' or a @ConfigurationProperties class",
						unread.entrySet()
							.stream()
							.map((entry) -> entry.getKey() + " (" + entry.getValue() + ")")
							.collect(Collectors.joining(", ")));
		}
	}

	private void check(JobsProperties properties) {
		String namespace = properties.namespace();
		if (namespace != null && !namespace.isEmpty() && !Namespace.isValid(namespace)) {
			reject("namespace", Namespace.ACCEPTED);
		}
		range("concurrency", properties.concurrency(), 1, LARGEST);
		DataSize size = properties.maxPayloadSize();
		if (size.toBytes() < 1 || size.toBytes() > Integer.MAX_VALUE) {
			reject("max-payload-size", "must be from 1B to " + Integer.MAX_VALUE + "B");
		}
		notNegative("misfire-grace", properties.misfireGrace());
		notNegative("shutdown.grace", properties.shutdown().grace());
		positive("target-wait", properties.targetWait());
		check(properties.worker());
		check(properties.retention());
		check(properties.redis());
		check(properties.jdbc());
		check(properties.health());
		check(properties.metrics());
		check(properties.outbox());
		checkPools(properties.pools());
		check("defaults", properties.defaults());
		properties.defaults()
			.setOptions((option) -> option.scope() == Option.Scope.ONE_HANDLER)
			.forEach((option) -> reject("defaults." + option,
					"is for one handler only: set jobs.handlers.<name>." + option));
		properties.handlers().forEach((name, handler) -> {
			checkName(path("handlers", name), name);
			check(path("handlers", name), handler);
		});
		properties.schedules().forEach((name, schedule) -> check(name, schedule));
	}

	private void check(JobsProperties.Worker worker) {
		positive("worker.lease", worker.lease());
		positive("worker.beat", worker.beat());
		positive("worker.poll", worker.poll());
		if (!isRejected("worker.lease") && !isRejected("worker.beat")
				&& worker.beat().multipliedBy(3).compareTo(worker.lease()) > 0) {
			reject("worker.beat", "must be at most a third of jobs.worker.lease, which is " + text(worker.lease()));
		}
	}

	private boolean isRejected(String path) {
		return this.rejected.contains(ConfigurationPropertyName.of("jobs." + path));
	}

	private void check(JobsProperties.Retention retention) {
		notNegative("retention.dead-age", retention.deadAge());
		range("retention.dead-count", retention.deadCount(), 0, Integer.MAX_VALUE);
		notNegative("retention.history-age", retention.historyAge());
		range("retention.history-count", retention.historyCount(), 0, Integer.MAX_VALUE);
		notNegative("retention.stranded-age", retention.strandedAge());
	}

	private void check(JobsProperties.Redis redis) {
		range("redis.replicas", redis.replicas(), 1, LARGEST);
		if (redis.replicationTimeout().toMillis() < 1) {
			reject("redis.replication-timeout", "must be at least 1ms");
		}
	}

	private void check(JobsProperties.Jdbc jdbc) {
		if (ClassUtils.isPresent(JDBC_SCHEMA, this.beanFactory.getBeanClassLoader())) {
			rejectIfFails("jdbc.table-prefix", () -> JdbcSchema.requireValidPrefix(jdbc.tablePrefix()));
		}
		range("jdbc.pool-size", jdbc.poolSize(), 0, LARGEST);
		if (jdbc.timeout().toMillis() < 1000) {
			reject("jdbc.timeout", "must be at least 1s");
		}
	}

	private void check(JobsProperties.Health health) {
		notNegative("health.loop-lag", health.loopLag());
		notNegative("health.max-wait", health.maxWait());
		notNegative("health.max-unserved-wait", health.maxUnservedWait());
		notNegative("health.max-schedule-delay", health.maxScheduleDelay());
		positive("health.timeout", health.timeout());
		notNegative("health.cache-time", health.cacheTime());
	}

	private void check(JobsProperties.Metrics metrics) {
		range("metrics.max-names", metrics.maxNames(), 1, LARGEST);
		positive("metrics.timeout", metrics.timeout());
		if (metrics.cacheTime().toMillis() < 100) {
			reject("metrics.cache-time", "must be at least 100ms, so that a scrape reads the store once");
		}
	}

	private void check(JobsProperties.Outbox outbox) {
		positive("outbox.poll", outbox.poll());
		if (outbox.rememberFor().toMillis() < 60_000) {
			reject("outbox.remember-for", "must be at least 1m");
		}
	}

	private void checkPools(Map<String, JobsProperties.Pool> pools) {
		Map<String, String> poolOf = new HashMap<>();
		pools.forEach((name, pool) -> {
			String path = path("pools", name);
			if (name.equals(PoolOptions.DEFAULT_NAME)) {
				reject(path + ".concurrency",
						"the default pool is configured by jobs.concurrency and serves what no other pool names");
			}
			range(path + ".concurrency", pool.concurrency(), 1, LARGEST);
			positive(path + ".target-wait", pool.targetWait());
			if (pool.handlers().isEmpty()) {
				reject(path + ".handlers", "must name at least one handler");
			}
			pool.handlers().forEach((handler) -> {
				String other = poolOf.putIfAbsent(handler, name);
				if (other != null) {
					reject(path + ".handlers",
							"must not name '" + handler + "', which jobs." + path("pools", other) + ".handlers names");
				}
			});
		});
	}

	private void check(String name, JobsProperties.Schedule schedule) {
		String path = path("schedules", name);
		checkName(path, name);
		if (schedule.handler() != null) {
			checkName(path + ".handler", schedule.handler());
		}
		if (schedule.cron() == null) {
			reject(path + ".cron", "must be set; use '-' to switch the schedule off");
		}
		else if (!Recurrence.isDisabled(schedule.cron())) {
			checkCron(path + ".cron", schedule.cron());
		}
		rejectIfFails(path + ".misfire", () -> Misfire.parse(schedule.misfire()));
	}

	private void check(String path, HandlerSettings settings) {
		settings
			.check((option, accepted) -> reject(path + "." + DataObjectPropertyName.toDashedForm(option), accepted));
	}

	private void checkName(String path, String name) {
		rejectIfFails(path, () -> HandlerDefinition.requireValidName(name));
	}

	private void checkCron(String path, String expression) {
		rejectIfFails(path, () -> Recurrence.schedule(expression, ZoneOffset.UTC));
	}

	private void rejectIfFails(String path, Runnable attempt) {
		try {
			attempt.run();
		}
		catch (IllegalArgumentException ex) {
			reject(path, String.valueOf(ex.getMessage()));
		}
	}

	private void range(String path, @Nullable Integer value, int least, int most) {
		if (value != null && (value < least || value > most)) {
			reject(path,
					(most < Integer.MAX_VALUE) ? "must be from " + least + " to " + most : "must be at least " + least);
		}
	}

	private void positive(String path, Duration value) {
		if (value.isNegative() || value.isZero()) {
			reject(path, "must be a positive duration, such as 4s");
		}
	}

	private void notNegative(String path, @Nullable Duration value) {
		if (value != null && value.isNegative()) {
			reject(path, "must not be negative");
		}
	}

	private void reject(String path, String reason) {
		reject(ConfigurationPropertyName.of("jobs." + path), reason);
	}

	private void reject(ConfigurationPropertyName name, String reason) {
		this.rejected.add(name);
		this.problems.append("%n    Property: %s%n".formatted(name));
		ConfigurationProperty property = find(name);
		if (property != null) {
			this.problems.append("    Value: \"%s\"%n".formatted(property.getValue()));
			if (property.getOrigin() != null) {
				this.problems.append("    Origin: %s%n".formatted(property.getOrigin()));
			}
		}
		this.problems.append("    Reason: %s%n".formatted(reason));
	}

	private @Nullable ConfigurationProperty find(ConfigurationPropertyName name) {
		for (ConfigurationPropertySource source : ConfigurationPropertySources.get(this.environment)) {
			ConfigurationProperty property = source.getConfigurationProperty(name);
			if (property != null) {
				return property;
			}
		}
		return null;
	}

	private static String text(Duration duration) {
		long millis = duration.toMillis();
		return (millis % 1000 == 0) ? millis / 1000 + "s" : millis + "ms";
	}

	/**
	 * Return the path to an entry of a map, with a dot if that works, otherwise with
	 * brackets.
	 * @param map the path to the map
	 * @param key the key of the entry
	 * @return the path below {@code jobs}
	 */
	public static String path(String map, String key) {
		return PLAIN_KEY.matcher(key).matches() ? map + "." + key : map + "[" + key + "]";
	}

}
