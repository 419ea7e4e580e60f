package dev.jobs.autoconfigure.actuate;

import dev.jobs.actuate.endpoint.JobValues;
import dev.jobs.actuate.endpoint.JobsEndpoint;
import dev.jobs.actuate.endpoint.KnownParameters;
import dev.jobs.audit.Audit;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;

/**
 * {@link AutoConfiguration Auto-configuration} for {@link JobsEndpoint}.
 */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(JobEngine.class)
@EnableConfigurationProperties(JobsEndpointProperties.class)
public final class JobsEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnAvailableEndpoint(JobsEndpoint.class)
	JobsEndpoint jobsEndpoint(JobEngine engine, JobOperations operations, JobsEndpointProperties properties,
			JobsProperties jobsProperties, ObjectProvider<SanitizingFunction> sanitizingFunctions,
			ApplicationEventPublisher publisher) {
		JobValues values = new JobValues(sanitizingFunctions.orderedStream().toList(), properties.showValues(),
				properties.roles());
		return new JobsEndpoint(engine, operations, engine.clock(), values, jobsProperties::targetWait,
				new Audit(engine.clock(), publisher, (text) -> operations.store().note(text)));
	}

	@Bean
	@ConditionalOnAvailableEndpoint(JobsEndpoint.class)
	KnownParameters jobsEndpointParameters(ObjectProvider<JobsEndpoint> endpoint) {
		return new KnownParameters(endpoint::getObject);
	}

}
