package dev.jobs.metrics;

import java.util.Set;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Comes before what makes meters of observations, and makes none of those of jobs that
 * nobody asked for. {@link ObservationMeters} refuses them too, but one after the other:
 * for a short job that is a good part of its time.
 */
public final class UnmeteredObservations implements MeterObservationHandler<Observation.Context> {

	private final Set<String> asked;

	/**
	 * Create the handler.
	 * @param asked the observations whose meters are asked for
	 */
	public UnmeteredObservations(Set<String> asked) {
		this.asked = Set.copyOf(asked);
	}

	@Override
	public boolean supportsContext(Observation.Context context) {
		String name = context.getName();
		return name != null && ObservationMeters.OBSERVATIONS.contains(name) && !this.asked.contains(name);
	}

}
