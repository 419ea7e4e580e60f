package dev.jobs.autoconfigure.properties;

import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when jobs cannot be run as the application's code or properties ask.
 */
public class InvalidJobsConfigurationException extends IllegalStateException {

	private final String description;

	private final String action;

	/** The single mistakes, if there are several. */
	private List<InvalidJobsConfigurationException> parts = List.of();

	/**
	 * Create an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 */
	public InvalidJobsConfigurationException(String description, String action) {
		this(description, action, null);
	}

	/**
	 * Create an exception.
	 * @param description what is wrong
	 * @param action what to do about it
	 * @param cause the cause, or {@code null}
	 */
	public InvalidJobsConfigurationException(String description, String action, @Nullable Throwable cause) {
		super(description + " " + action, cause);
		this.description = description;
		this.action = action;
	}

	/**
	 * Return one exception for several mistakes, or the only one.
	 * @param mistakes the mistakes, at least one
	 * @return the exception
	 */
	public static InvalidJobsConfigurationException of(List<InvalidJobsConfigurationException> mistakes) {
		if (mistakes.size() == 1) {
			return mistakes.get(0);
		}
		List<InvalidJobsConfigurationException> parts = mistakes.stream()
			.flatMap((mistake) -> mistake.parts.isEmpty() ? Stream.of(mistake) : mistake.parts.stream())
			.toList();
		InvalidJobsConfigurationException all = describing(parts);
		all.parts = parts;
		return all;
	}

	private static InvalidJobsConfigurationException describing(List<InvalidJobsConfigurationException> mistakes) {
		StringBuilder description = new StringBuilder("%d things are wrong:%n".formatted(mistakes.size()));
		for (int i = 0; i < mistakes.size(); i++) {
			InvalidJobsConfigurationException mistake = mistakes.get(i);
			description
				.append("%n%d. %s%n%n%s%n".formatted(i + 1, mistake.description.stripTrailing(), mistake.action));
		}
		return new InvalidJobsConfigurationException(description.toString(), "Correct each of them as described.",
				mistakes.get(0));
	}

	String getDescription() {
		return this.description;
	}

	String getAction() {
		return this.action;
	}

}
