package dev.jobs.engine.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.jobs.JobType;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Merges what is said about the enqueue of a job, the strongest first: by the
 * configuration of its name, by the type of its payload, by its handler.
 */
public final class EnqueueRules {

	private final Map<String, EnqueueRule> configured;

	private final Map<Class<?>, EnqueueRule> ofTypes = new ConcurrentHashMap<>();

	public EnqueueRules(Map<String, EnqueueRule> configured) {
		this.configured = Map.copyOf(configured);
	}

	/**
	 * Return what holds for the enqueue of a job.
	 * @param name its name
	 * @param payloadType the type of its payload, or {@code null} if there is none or it
	 * is not known
	 * @param handler its handler, or {@code null} if there is none here
	 */
	public EnqueueRule of(String name, @Nullable Class<?> payloadType, @Nullable HandlerDefinition handler) {
		EnqueueRule rule = this.configured.getOrDefault(name, EnqueueRule.NONE);
		if (payloadType != null) {
			rule = rule.or(this.ofTypes.computeIfAbsent(payloadType, EnqueueRules::ofType));
		}
		return (handler != null) ? rule.or(handler.rule()) : rule;
	}

	/**
	 * Return what the annotations of a payload's type say.
	 * @throws IllegalArgumentException if they say what is not accepted; its message
	 * names the type
	 */
	public static EnqueueRule ofType(Class<?> type) {
		JobType jobType = AnnotatedElementUtils.findMergedAnnotation(type, JobType.class);
		UniqueJob unique = AnnotatedElementUtils.findMergedAnnotation(type, UniqueJob.class);
		EnqueueRule rule = valid("UniqueJob", type,
				() -> new EnqueueRule((unique != null) ? unique(unique) : null, null, null));
		return (jobType != null) ? rule.or(valid("JobType", type, () -> ofJobType(jobType))) : rule;
	}

	private static EnqueueRule ofJobType(JobType jobType) {
		return new EnqueueRule(null, (jobType.maxWaiting() != 0) ? jobType.maxWaiting() : null, null,
				List.of(jobType.tags()));
	}

	private static EnqueueRule valid(String annotation, Class<?> type, Supplier<EnqueueRule> rule) {
		try {
			return rule.get();
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
