package dev.jobs.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import dev.jobs.JobClient;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Application contexts with jobs, and what tests ask of them.
 */
public final class Contexts {

	private Contexts() {
	}

	public static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "jobs.store=memory", "jobs.shutdown.grace=1s");
	}

	public static JobClient client(AssertableApplicationContext context) {
		assertThat(context).hasNotFailed();
		return context.getBean(JobClient.class);
	}

	/**
	 * Return what the application would print for the failure of a context.
	 */
	public static String analysis(AssertableApplicationContext context) {
		Throwable failure = context.getStartupFailure();
		assertThat(failure).isNotNull();
		List<FailureAnalyzer> analyzers = new ArrayList<>(
				SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, (type, name, ex) -> {
				}));
		for (FailureAnalyzer analyzer : analyzers) {
			FailureAnalysis analysis = analyze(analyzer, failure);
			if (analysis != null) {
				return analysis.getDescription() + "\n" + analysis.getAction();
			}
		}
		throw new AssertionError("No analysis", failure);
	}

	private static @Nullable FailureAnalysis analyze(FailureAnalyzer analyzer, Throwable failure) {
		return analyzer.analyze(failure);
	}

}
