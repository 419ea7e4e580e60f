package dev.jobs.metrics;

import java.util.Locale;

import dev.jobs.JobResult;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * How a run is reported to observers: its name, its low-cardinality keys {@code handler}
 * and {@code result}, and its high-cardinality keys {@code job.id} and
 * {@code job.attempt}. Define a bean of this type to report it differently.
 */
public interface JobRunObservationConvention extends ObservationConvention<JobRunContext> {

	/** The default convention. */
	JobRunObservationConvention DEFAULT = new JobRunObservationConvention() {

	};

	@Override
	default boolean supportsContext(Observation.Context context) {
		return context instanceof JobRunContext;
	}

	@Override
	default String getName() {
		return "jobs.process";
	}

	@Override
	default String getContextualName(JobRunContext context) {
		return "process " + context.getRun().name();
	}

	@Override
	default KeyValues getLowCardinalityKeyValues(JobRunContext context) {
		return KeyValues.of("handler", context.getRun().name(), "result", result(context));
	}

	@Override
	default KeyValues getHighCardinalityKeyValues(JobRunContext context) {
		return KeyValues.of("job.id", context.getRun().id(), "job.attempt", String.valueOf(context.getRun().attempt()));
	}

	private static String result(JobRunContext context) {
		if (context.getError() != null) {
			return "threw";
		}
		JobResult result = context.getResult();
		return (result != null) ? result.getKind().name().toLowerCase(Locale.ROOT) : "unknown";
	}

}
