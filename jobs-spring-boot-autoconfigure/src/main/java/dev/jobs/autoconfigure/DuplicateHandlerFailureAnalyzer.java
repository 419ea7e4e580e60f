package dev.jobs.autoconfigure;

import dev.jobs.engine.settings.DuplicateHandlerException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * An {@link AbstractFailureAnalyzer} for {@link DuplicateHandlerException}.
 */
class DuplicateHandlerFailureAnalyzer extends AbstractFailureAnalyzer<DuplicateHandlerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DuplicateHandlerException cause) {
		String description = "The job name '%s' is handled twice:%n%n    - by %s%n    - by %s%n"
			.formatted(cause.getName(), cause.getFirst(), cause.getSecond());
		return new FailureAnalysis(description,
				"Give one of the handlers another name, or remove the name from the aliases of one of them.", cause);
	}

}
