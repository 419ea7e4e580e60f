package dev.jobs.autoconfigure.properties;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.jobs.JobHandler;
import dev.jobs.UniqueJob;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Reads the annotations of a handler as if their attributes were properties: each is
 * bound to the option of its name, by the same conversions.
 */
public final class AnnotationReader {

	private static final String ROOT = "handler";

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
	 * Return what the annotations of a handler set.
	 * @param method the method of the handler
	 * @param annotation the annotation on it
	 * @return what is set
	 * @throws IllegalArgumentException if a value is not accepted
	 */
	public HandlerSettings read(Method method, JobHandler annotation) {
		Map<String, Object> set = new LinkedHashMap<>();
		collect(set, ROOT, AnnotationUtils.getAnnotationAttributes(annotation, false, true));
		UniqueJob unique = AnnotatedElementUtils.findMergedAnnotation(method, UniqueJob.class);
		if (unique != null) {
			Map<String, Object> attributes = AnnotationUtils.getAnnotationAttributes(unique);
			attributes.remove("value");
			attributes.put("mode", unique.value().name());
			collect(set, ROOT + ".unique", attributes);
		}
		HandlerSettings settings = bind(set);
		settings.outOfRange().findFirst().ifPresent((option) -> {
			throw notAccepted(option.path(), option.accepted(), option.value());
		});
		return settings;
	}

	private static HandlerSettings bind(Map<String, Object> set) {
		try {
			return new Binder(new MapConfigurationPropertySource(set)).bind(ROOT, HandlerSettings.class)
				.orElse(HandlerSettings.UNSET);
		}
		catch (BindException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			throw notAccepted(attribute(ex.getName()),
					BoundNames.accepted(ex.getTarget().getType().resolve(Object.class), cause),
					(ex.getProperty() != null) ? "\"" + ex.getProperty().getValue() + "\"" : "not readable");
		}
	}

	private static IllegalArgumentException notAccepted(String attribute, String accepted, Object value) {
		return new IllegalArgumentException("'%s' %s but was %s".formatted(attribute, accepted, value));
	}

	private static String attribute(ConfigurationPropertyName name) {
		return DASH.matcher(name.toString().substring(ROOT.length() + 1))
			.replaceAll((match) -> match.group(1).toUpperCase(Locale.ROOT));
	}

	private void collect(Map<String, Object> set, String group, Map<String, Object> attributes) {
		attributes.forEach((attribute, value) -> {
			String name = group + "." + attribute;
			if (value instanceof AnnotationAttributes nested) {
				collect(set, name, nested);
				return;
			}
			Object option = option(attribute, value);
			if (option != null) {
				set.put(name, option);
			}
		});
	}

	/**
	 * Return the value of an option, or {@code null} if the attribute leaves it unset.
	 */
	private @Nullable Object option(String attribute, Object value) {
		if (value instanceof String text) {
			String resolved = this.placeholders.apply(text);
			return resolved.isEmpty() ? null : resolved;
		}
		if (value instanceof String[] texts) {
			List<String> resolved = Stream.of(texts).map(this.placeholders).filter((text) -> !text.isEmpty()).toList();
			return (texts.length > 0) ? resolved : null;
		}
		if (!value.getClass().isArray()) {
			return value;
		}
		int length = Array.getLength(value);
		if (value instanceof Class<?>[] types) {
			return (length > 0) ? Arrays.asList(types) : null;
		}
		if (length > 1) {
			throw new IllegalArgumentException("'" + attribute + "' must be one value but has " + length);
		}
		return (length == 1) ? Array.get(value, 0) : null;
	}

}
