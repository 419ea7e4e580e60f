package dev.jobs.autoconfigure.actuate;

import java.time.Duration;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.engine.JobEngine;
import dev.jobs.health.HealthLimits;
import dev.jobs.health.JobsHealth;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} for the health of jobs.
 */
@AutoConfiguration(after = JobsAutoConfiguration.class,
		beforeName = "org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration")
@ConditionalOnClass({ CompositeHealthContributor.class, ConditionalOnEnabledHealthIndicator.class })
@ConditionalOnBean(JobEngine.class)
public final class JobsHealthAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(name = "jobsHealthContributor")
	@ConditionalOnEnabledHealthIndicator("jobs")
	@Nullable CompositeHealthContributor jobsHealthContributor(JobEngine engine, ObjectProvider<JobInspector> inspectors,
			JobsProperties properties) {
		JobInspector inspector = inspectors.getIfAvailable();
		if (inspector == null) {
			return null;
		}
		JobsProperties.Health health = properties.health();
		return JobsHealth.of(engine, inspector,
				new HealthLimits(unlessZero(health.loopLag()), unlessZero(health.maxWait()),
						unlessZero(health.maxUnservedWait()), unlessZero(health.maxScheduleDelay())),
				health.cacheTime(), health.timeout());
	}

	private static @Nullable Duration unlessZero(@Nullable Duration limit) {
		return (limit != null && limit.isZero()) ? null : limit;
	}

}
