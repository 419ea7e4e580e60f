package dev.jobs.autoconfigure;

import java.util.Objects;
import java.util.Set;

import dev.jobs.JobClient;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * An {@link AbstractFailureAnalyzer} for beans that are missing because Jobs is switched
 * off, or because a slice test does not include it.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class JobsDisabledFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	private static final Set<Class<?>> TYPES = Set.of(JobClient.class, JobOperations.class, JobEngine.class);

	private final Environment environment;

	JobsDisabledFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		Class<?> type = cause.getBeanType();
		if (type == null || !TYPES.contains(type)) {
			return null;
		}
		String needed = "%s needs a %s, and there is none"
			.formatted(Objects.requireNonNullElse(description, "The application"), type.getSimpleName());
		if (this.environment.getProperty("jobs.enabled", Boolean.class, true)) {
			return JobEngineLifecycle.isInTest(this.environment)
					? new FailureAnalysis(needed + " in the context of the test.",
							"Put @JobsTest of jobs-test on the test, or a field with @MockitoBean %s into it."
								.formatted(type.getSimpleName()),
							cause)
					: null;
		}
		return new FailureAnalysis(needed + ", since jobs.enabled is false.",
				"Remove jobs.enabled. To enqueue jobs without running them here, set jobs.worker.enabled=false.",
				cause);
	}

}
