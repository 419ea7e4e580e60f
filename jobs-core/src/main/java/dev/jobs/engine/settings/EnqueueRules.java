package dev.jobs.engine.settings;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobType;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Merges the rules for enqueueing a job, the strongest first: the configuration of its
 * name, the type of its payload, its handler.
 */
public final class EnqueueRules {

	private final Map<String, EnqueueOptions> configured;

	private final Map<Class<?>, EnqueueOptions> ofTypes = new ConcurrentHashMap<>();

	public EnqueueRules(Map<String, EnqueueOptions> configured) {
		this.configured = Map.copyOf(configured);
	}

	/**
	 * Return the rule for enqueueing a job.
	 * @param name its name
	 * @param payloadType the type of its payload, or {@code null} without a payload or if
	 * it is not known
	 * @param handler its handler, or {@code null} if there is none here
	 */
	public EnqueueOptions of(String name, @Nullable Class<?> payloadType, @Nullable HandlerDefinition handler) {
		EnqueueOptions rule = this.configured.getOrDefault(name, EnqueueOptions.defaults());
		if (payloadType != null) {
			rule = rule.orElse(this.ofTypes.computeIfAbsent(payloadType, EnqueueRules::ofType));
		}
		return (handler != null) ? rule.orElse(handler.rule()) : rule;
	}

	/**
	 * Return the rule in the annotations of a payload's type.
	 * @throws IllegalArgumentException if they are not valid; the message names the type
	 */
	public static EnqueueOptions ofType(Class<?> type) {
		JobType jobType = AnnotatedElementUtils.findMergedAnnotation(type, JobType.class);
		UniqueJob unique = AnnotatedElementUtils.findMergedAnnotation(type, UniqueJob.class);
		EnqueueOptions rule = valid("UniqueJob", type, (set) -> {
			if (unique != null) {
				set.unique(unique(unique));
			}
		});
		return (jobType != null) ? rule.orElse(valid("JobType", type, (set) -> {
			set.tags(jobType.tags());
			if (jobType.maxWaiting() != 0) {
				set.maxWaiting(jobType.maxWaiting());
			}
		})) : rule;
	}

	private static EnqueueOptions valid(String annotation, Class<?> type, Consumer<EnqueueOptions.Builder> rule) {
		try {
			return EnqueueOptions.of(rule);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"The @" + annotation + " on " + type.getTypeName() + " is not valid: " + ex.getMessage(), ex);
		}
	}

	private static Duration window(String text) {
		Duration window;
		try {
			window = DurationFormatterUtils.detectAndParse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"'window' must be a duration such as 500ms, 30s, 5m or 2h but was \"" + text + "\"", ex);
		}
		if (!window.isZero() && Character.isDigit(text.charAt(text.length() - 1))) {
			throw new IllegalArgumentException("'window' needs a unit, such as 5s or 500ms but was \"" + text + "\"");
		}
		return window;
	}

	private static Unique unique(UniqueJob unique) {
		Duration window = unique.window().isEmpty() ? null : window(unique.window());
		return Unique.byPayload((rule) -> rule.mode(unique.value())
			.scope(unique.scope())
			.window(window)
			.onDuplicate(unique.onDuplicate()));
	}

}
