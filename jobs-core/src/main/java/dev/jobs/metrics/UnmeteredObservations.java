package dev.jobs.metrics;

import java.util.Set;

import io.micrometer.core.instrument.observation.MeterObservationHandler;
import io.micrometer.observation.Observation;

/**
 * Runs before the handler that makes meters from observations, and skips job observations
 * whose meters nobody asked for. {@link ObservationMeters} refuses them too, but one by
 * one, which takes a good part of the time of a short job.
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
