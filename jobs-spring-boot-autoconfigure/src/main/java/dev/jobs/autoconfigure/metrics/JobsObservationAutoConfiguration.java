package dev.jobs.autoconfigure.metrics;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.metrics.JobEnqueueObservationConvention;
import dev.jobs.metrics.JobRunObservationConvention;
import dev.jobs.metrics.ObservedEnqueue;
import dev.jobs.metrics.ObservedRun;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * {@link AutoConfiguration Auto-configuration} for the observation of enqueues and runs.
 * Observations enclose all other interceptors.
 */
@AutoConfiguration(before = JobsAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@ConditionalOnBooleanProperty(name = { "jobs.enabled", "management.observations.enable.jobs" }, matchIfMissing = true)
public final class JobsObservationAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	ObservedEnqueue observedEnqueue(ObservationRegistry registry, ListableBeanFactory beans, Environment environment,
			ObjectProvider<JobEnqueueObservationConvention> convention) {
		return new ObservedEnqueue(new ObservationListeners(beans, environment).listened(registry),
				convention.getIfAvailable());
	}

	@Bean
	@ConditionalOnMissingBean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	ObservedRun observedRun(ObservationRegistry registry, ListableBeanFactory beans, Environment environment,
			ObjectProvider<JobRunObservationConvention> convention) {
		return new ObservedRun(new ObservationListeners(beans, environment).listened(registry),
				convention.getIfAvailable());
	}

}
