package dev.jobs.engine.settings;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

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
	 * @return the rule
	 */
	public EnqueueRule of(String name, @Nullable Class<?> payloadType, @Nullable HandlerDefinition handler) {
		EnqueueRule rule = this.configured.getOrDefault(name, EnqueueRule.NONE);
		if (payloadType != null) {
			rule = rule.or(this.ofTypes.computeIfAbsent(payloadType, EnqueueRules::ofType));
		}
		return (handler != null) ? rule.or(handler.rule()) : rule;
	}

	private static EnqueueRule ofType(Class<?> type) {
		JobType jobType = AnnotatedElementUtils.findMergedAnnotation(type, JobType.class);
		UniqueJob unique = AnnotatedElementUtils.findMergedAnnotation(type, UniqueJob.class);
		return new EnqueueRule((unique != null) ? new Uniqueness(unique(unique)) : null,
				(jobType != null && jobType.maxWaiting() > 0) ? jobType.maxWaiting() : null, null,
				(jobType != null) ? List.of(jobType.tags()) : List.of());
	}

	private static Unique unique(UniqueJob unique) {
		Duration window = unique.window().isEmpty() ? null : DurationFormatterUtils.detectAndParse(unique.window());
		return Unique.byPayload()
			.mode(unique.value())
			.scope(unique.scope())
			.window(window)
			.onDuplicate(unique.onDuplicate());
	}

}
