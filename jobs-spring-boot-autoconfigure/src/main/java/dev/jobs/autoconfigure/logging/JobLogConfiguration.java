package dev.jobs.autoconfigure.logging;

import ch.qos.logback.classic.LoggerContext;
import dev.jobs.engine.JobEngine;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Configuration for the lines that handlers write to their logs, with Logback.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(LoggerContext.class)
@ConditionalOnBooleanProperty(name = "jobs.logs.enabled", matchIfMissing = true)
public final class JobLogConfiguration {

	@Bean
	JobLogAppender jobLogAppender(ObjectProvider<JobEngine> engines) {
		return new JobLogAppender(engines);
	}

}
