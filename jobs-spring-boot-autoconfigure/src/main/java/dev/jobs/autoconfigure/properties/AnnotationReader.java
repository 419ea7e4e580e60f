package dev.jobs.autoconfigure.properties;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.JobHandler;
import dev.jobs.UniqueJob;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Reads the annotations of a handler like properties: each attribute is bound to the
 * option of its name, with the same conversions.
 */
public final class AnnotationReader {

	private static final String ROOT = "handler";

	private static final String UNIQUE = "unique.";

	private static final Pattern DASH = Pattern.compile("-(.)");

	private final UnaryOperator<String> placeholders;

	/**
	 * Create a reader.
	 * @param placeholders resolves placeholders in a text
	 */
	public AnnotationReader(UnaryOperator<String> placeholders) {
		this.placeholders = placeholders;
	}

	/**
	 * Return the settings in the annotations of a handler.
	 * @param method the method of the handler
	 * @param annotation the annotation on it
	 * @param signature the method, for messages
	 * @param overridden the options that properties set, by name; their values in the
	 * annotations are not checked
	 * @return the settings
	 * @throws InvalidJobsConfigurationException if values are not accepted, all listed
	 */
	public HandlerSettings read(Method method, JobHandler annotation, String signature, Set<String> overridden) {
		Map<String, Object> set = new LinkedHashMap<>();
		collect(set, ROOT, AnnotationUtils.getAnnotationAttributes(annotation, false, true));
		UniqueJob unique = AnnotatedElementUtils.findMergedAnnotation(method, UniqueJob.class);
		if (unique != null) {
			Map<String, Object> attributes = AnnotationUtils.getAnnotationAttributes(unique);
			attributes.remove("value");
			attributes.put("mode", unique.value().name());
			collect(set, ROOT + ".unique", attributes);
		}
		Map<String, String> problems = new LinkedHashMap<>();
		HandlerSettings settings = new Binder(new MapConfigurationPropertySource(set))
			.bind(ROOT, Bindable.of(HandlerSettings.class), new Failures(problems))
			.orElse(HandlerSettings.UNSET);
		settings.outOfRange()
			.forEach((option) -> problems.put(option.path(), notAccepted(option.accepted(), option.value())));
		settings.checkTexts(problems::putIfAbsent);
		problems.keySet().removeIf((path) -> overridden.contains(DataObjectPropertyName.toDashedForm(path)));
		if (!problems.isEmpty()) {
			throw mistake(problems, signature);
		}
		return settings;
	}

	private static InvalidJobsConfigurationException mistake(Map<String, String> problems, String signature) {
		Map<String, List<String>> byAnnotation = new LinkedHashMap<>();
		problems.forEach((path, problem) -> {
			boolean unique = path.startsWith(UNIQUE);
			String attribute = unique ? path.substring(UNIQUE.length()) : path;
			byAnnotation.computeIfAbsent(unique ? "UniqueJob" : "JobHandler", (name) -> new ArrayList<>())
				.add(problem.startsWith("must ") || problem.startsWith("needs ") ? "'" + attribute + "' " + problem
						: problem);
		});
		return InvalidJobsConfigurationException.of(byAnnotation.entrySet()
			.stream()
			.map((entry) -> new InvalidJobsConfigurationException(
					"The @%s on %s is not valid: %s".formatted(entry.getKey(), signature, list(entry.getValue())),
					"Correct the annotation, or override the value under jobs.handlers.<name>."))
			.toList());
	}

	private static String list(List<String> problems) {
		return (problems.size() == 1) ? problems.get(0)
				: problems.stream().map("%n    - %s"::formatted).collect(Collectors.joining("", "%n".formatted(), ""));
	}

	private static String notAccepted(String accepted, Object value) {
		return "%s but was %s".formatted(accepted, value);
	}

	private static String attribute(ConfigurationPropertyName name) {
		return DASH.matcher(name.toString().substring(ROOT.length() + 1))
			.replaceAll((match) -> match.group(1).toUpperCase(Locale.ROOT));
	}

	/**
	 * Collects values that cannot be bound, and continues.
	 */
	private static final class Failures implements BindHandler {

		private final Map<String, String> problems;

		Failures(Map<String, String> problems) {
			this.problems = problems;
		}

		@Override
		public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Object result) {
			if (BoundNames.lacksUnit(result, value(name, context))) {
				this.problems.put(attribute(name),
						notAccepted(BoundNames.NEEDS_UNIT, "\"" + value(name, context) + "\""));
			}
			return result;
		}

		@Override
		public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
				Exception error) {
			Object value = value(name, context);
			this.problems.put(attribute(name),
					notAccepted(BoundNames.accepted(target.getType().resolve(Object.class), error),
							(value != null) ? "\"" + value + "\"" : "not readable"));
			return null;
		}

		private static @Nullable Object value(ConfigurationPropertyName name, BindContext context) {
			ConfigurationProperty property = context.getConfigurationProperty();
			return (property != null && property.getName().equals(name)) ? property.getValue() : null;
		}

	}

	private void collect(Map<String, Object> set, String group, Map<String, Object> attributes) {
		attributes.forEach((attribute, value) -> {
			String name = group + "." + attribute;
			if (value instanceof AnnotationAttributes nested) {
				collect(set, name, nested);
				return;
			}
			Object option = option(value);
			if (option != null) {
				set.put(name, option);
			}
		});
	}

	/**
	 * Return the value of an option, or {@code null} if the attribute leaves it unset.
	 */
	private @Nullable Object option(Object value) {
		if (value instanceof String text) {
			String resolved = this.placeholders.apply(text);
			return resolved.isEmpty() ? null : resolved;
		}
		if (value instanceof String[] texts) {
			List<String> resolved = Stream.of(texts).map(this.placeholders).filter((text) -> !text.isEmpty()).toList();
			return (texts.length > 0) ? resolved : null;
		}
		if (value instanceof Class<?>[] types) {
			return (types.length > 0) ? Arrays.asList(types) : null;
		}
		boolean unset = value.equals(JobHandler.UNSET) || value.equals(Double.NaN) || value.equals(false);
		return unset ? null : value;
	}

}
