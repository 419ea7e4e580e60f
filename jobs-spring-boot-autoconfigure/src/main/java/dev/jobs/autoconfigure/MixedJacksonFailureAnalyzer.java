package dev.jobs.autoconfigure;

import java.util.Objects;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.cfg.PackageVersion;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * An {@link AbstractFailureAnalyzer} for a class, method or field of Jackson that is
 * missing because the application sets the version of one of its parts.
 */
class MixedJacksonFailureAnalyzer extends AbstractFailureAnalyzer<LinkageError> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LinkageError cause) {
		if (!isAboutJackson(cause)) {
			return null;
		}
		return new FailureAnalysis(
				"""
						The parts of Jackson on the class path do not fit each other, or are older than Jackson 3.0:
						databind is %s, core %s, annotations %s. Missing is %s.""".formatted(PackageVersion.VERSION,
						tools.jackson.core.json.PackageVersion.VERSION,
						Objects.requireNonNullElse(JsonProperty.class.getPackage().getImplementationVersion(),
								"unknown"),
						cause.getMessage()),
				"Remove the versions of Jackson that the build sets; Spring Boot manages them.", cause);
	}

	/**
	 * Not every message names the class; then the top frame is the code that asked for
	 * it.
	 */
	private static boolean isAboutJackson(LinkageError error) {
		if (String.valueOf(error.getMessage()).matches("(?s).*\\bjackson\\b.*")) {
			return true;
		}
		StackTraceElement[] stack = error.getStackTrace();
		return error instanceof IncompatibleClassChangeError && stack.length > 0
				&& stack[0].getClassName().matches("(tools\\.jackson|dev\\.jobs\\.serialization)\\..*");
	}

}
