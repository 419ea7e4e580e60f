package dev.jobs.autoconfigure;

import dev.jobs.engine.JobEngine;
import dev.jobs.metrics.JobGauges;
import dev.jobs.metrics.OutboxGauges;
import dev.jobs.store.Outbox;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The gauges of the outbox, if there is one and jobs are measured.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({ JobGauges.class, Outbox.class })
class OutboxMetricsConfiguration {

	@Bean
	@ConditionalOnMissingBean
	OutboxGauges jobOutboxGauges(Outbox outbox, ObjectProvider<JobEngine> engine, JobsProperties properties) {
		JobsProperties.Metrics metrics = properties.metrics();
		return new OutboxGauges(outbox, () -> engine.getObject().clock().instant(), metrics.cacheTime(),
				metrics.timeout());
	}

}
