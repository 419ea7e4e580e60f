package dev.jobs.autoconfigure.properties;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * An {@link AbstractFailureAnalyzer} for {@link InvalidJobsConfigurationException}.
 */
class InvalidJobsConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<InvalidJobsConfigurationException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidJobsConfigurationException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
