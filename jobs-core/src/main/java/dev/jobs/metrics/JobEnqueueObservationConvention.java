package dev.jobs.metrics;

import java.util.Locale;
import java.util.stream.Collectors;

import dev.jobs.JobRequest;
import dev.jobs.JobType;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * How an enqueue is reported to observers: its name, its low-cardinality keys
 * {@code handler} and {@code outcome}, and its high-cardinality key {@code job.id}.
 * Define a bean of this type to report it differently.
 */
public interface JobEnqueueObservationConvention extends ObservationConvention<JobEnqueueContext> {

	/** The default convention. */
	JobEnqueueObservationConvention DEFAULT = new JobEnqueueObservationConvention() {

	};

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof JobEnqueueContext;
	}

	@Override
	default String getName() {
		return "jobs.enqueue";
	}

	@Override
	default String getContextualName(JobEnqueueContext context) {
		return "enqueue " + handler(context);
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(JobEnqueueContext context) {
		return KeyValues.of("handler", handler(context), "outcome", outcome(context));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(JobEnqueueContext context) {
		if (context.getRequests().size() != 1) {
			return KeyValues.of("jobs.count", String.valueOf(context.getRequests().size()));
		}
		return context.getEnqueued().isEmpty() ? KeyValues.empty()
				: KeyValues.of("job.id", context.getEnqueued().get(0).id());
	}

	private static String handler(JobEnqueueContext context) {
		return context.getRequests()
			.stream()
			.map(JobEnqueueObservationConvention::name)
			.distinct()
			.limit(2)
			.collect(Collectors.collectingAndThen(Collectors.toList(),
					(names) -> (names.size() == 1) ? names.get(0) : "many"));
	}

	private static String name(JobRequest request) {
		if (request.getName() != null) {
			return request.getName();
		}
		Object payload = request.getPayload();
		if (payload == null) {
			return "unknown";
		}
		JobType type = AnnotatedElementUtils.findMergedAnnotation(payload.getClass(), JobType.class);
		return (type != null) ? type.value() : payload.getClass().getSimpleName();
	}

	private static String outcome(JobEnqueueContext context) {
		if (context.getError() != null) {
			return "failed";
		}
		return context.getEnqueued()
			.stream()
			.map((enqueued) -> enqueued.outcome().name().toLowerCase(Locale.ROOT))
			.distinct()
			.limit(2)
			.collect(Collectors.collectingAndThen(Collectors.toList(), (outcomes) -> switch (outcomes.size()) {
				case 0 -> "unknown";
				case 1 -> outcomes.get(0);
				default -> "mixed";
			}));
	}

}
