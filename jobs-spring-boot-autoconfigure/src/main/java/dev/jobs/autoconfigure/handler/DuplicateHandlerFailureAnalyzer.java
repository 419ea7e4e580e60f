package dev.jobs.autoconfigure.handler;

import dev.jobs.engine.settings.DuplicateHandlerException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * An {@link AbstractFailureAnalyzer} for {@link DuplicateHandlerException}.
 */
class DuplicateHandlerFailureAnalyzer extends AbstractFailureAnalyzer<DuplicateHandlerException> {

	static final String ACTION = "Give one of the handlers another name, or remove the name from the aliases of one of them.";

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, DuplicateHandlerException cause) {
		return new FailureAnalysis(description(cause.getName(), cause.getFirst(), cause.getSecond()), ACTION, cause);
	}

	static String description(String name, String first, String second) {
		return "The job name '%s' is handled twice:%n%n    - by %s%n    - by %s%n".formatted(name, first, second);
	}

}
