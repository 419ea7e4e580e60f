package dev.jobs.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when jobs cannot be run as the application's code or properties say.
 */
class InvalidJobsConfigurationException extends IllegalStateException {

	private final String description;

	private final String action;

	InvalidJobsConfigurationException(String description, String action) {
		this(description, action, null);
	}

	InvalidJobsConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	String getDescription() {
		return this.description;
	}

	String getAction() {
		return this.action;
	}

}
