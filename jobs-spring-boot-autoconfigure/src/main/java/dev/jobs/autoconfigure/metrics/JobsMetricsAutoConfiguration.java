package dev.jobs.autoconfigure.metrics;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.StoreDecorator;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.cron.RecurringJob;
import dev.jobs.engine.EngineStatus;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.metrics.JobCounts;
import dev.jobs.metrics.JobGauges;
import dev.jobs.metrics.ObservationMeters;
import dev.jobs.metrics.OutboxGauges;
import dev.jobs.metrics.TimedStore;
import dev.jobs.metrics.UnmeteredObservations;
import dev.jobs.store.Outbox;
import dev.jobs.store.view.JobInspector;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} for the metrics of jobs.
 */
@AutoConfiguration(after = JobsAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = { "jobs.enabled", "management.metrics.enable.jobs" }, matchIfMissing = true)
public final class JobsMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	JobCounts jobCounts(MeterRegistry registry, JobsProperties properties) {
		return new JobCounts(registry, properties.metrics().maxNames());
	}

	@Bean
	SmartInitializingSingleton jobCountsAtZero(JobCounts counts, ObjectProvider<JobEngine> engine) {
		return () -> engine.ifUnique(
				(it) -> counts.expect(it.handlers(), it.recurringJobs().stream().map(RecurringJob::name).toList()));
	}

	@Bean
	@ConditionalOnMissingBean
	@Nullable JobGauges jobGauges(ObjectProvider<JobInspector> inspectors, ObjectProvider<JobEngine> engine,
			JobsProperties properties) {
		JobInspector inspector = inspectors.getIfAvailable();
		if (inspector == null) {
			return null;
		}
		JobsProperties.Metrics metrics = properties.metrics();
		return new JobGauges(inspector, () -> engine.getObject().status().pools(),
				() -> lags(engine.getObject().status()), properties::targetWait,
				() -> engine.getObject().clock().instant(), metrics.maxNames(), metrics.cacheTime(), metrics.timeout());
	}

	@Bean
	@ConditionalOnBean(Outbox.class)
	@ConditionalOnMissingBean
	OutboxGauges jobOutboxGauges(Outbox outbox, ObjectProvider<JobEngine> engine, JobsProperties properties) {
		JobsProperties.Metrics metrics = properties.metrics();
		return new OutboxGauges(outbox, () -> engine.getObject().clock().instant(), metrics.cacheTime(),
				metrics.timeout());
	}

	@EventListener
	void engineStarted(ApplicationStartedEvent event) {
		event.getApplicationContext().getBeanProvider(JobGauges.class).ifAvailable(JobGauges::engineStarted);
	}

	private static Map<String, Duration> lags(EngineStatus status) {
		return status.loops().stream().collect(Collectors.toMap(LoopStatus::name, LoopStatus::lag));
	}

	@Bean
	@ConditionalOnMissingBean
	ObservationMeters jobObservationMeters(JobsProperties properties, Environment environment) {
		return new ObservationMeters(asked(environment), properties.metrics().maxNames());
	}

	/** Declared as the interface, since the class would keep Boot from adding its own. */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	ObservationHandler<?> unmeteredJobObservations(Environment environment) {
		return new UnmeteredObservations(asked(environment));
	}

	/**
	 * Return the observations whose meters are asked for.
	 */
	static Set<String> asked(Environment environment) {
		return ObservationMeters.OBSERVATIONS.stream()
			.filter((name) -> environment.getProperty("management.metrics.enable." + name, Boolean.class, false))
			.collect(Collectors.toUnmodifiableSet());
	}

	@Bean
	StoreDecorator jobStoreTimer(MeterRegistry registry) {
		return (store) -> new TimedStore(store, registry);
	}

}
