package dev.jobs.metrics;

import java.util.Set;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;

/**
 * Filters the meters that Micrometer makes from observations. {@link JobCounts} reports
 * most of the same, so they are left out unless they are asked for, and then a bounded
 * number of handlers have series of their own. Spans keep all names.
 */
public final class ObservationMeters implements MeterFilter {

	private static final String HANDLER = "handler";

	/** The names of the observations. */
	public static final Set<String> OBSERVATIONS = Set.of("jobs.enqueue", "jobs.process");

	private final Set<String> asked;

	private final MeterNames handlers;

	/**
	 * Create the filter.
	 * @param asked the observations whose meters are asked for
	 * @param mostNames how many handlers have meters of their own
	 */
	public ObservationMeters(Set<String> asked, int mostNames) {
		this.asked = Set.copyOf(asked);
		this.handlers = new MeterNames(mostNames);
	}

	@Override
	public MeterFilterReply accept(Meter.Id id) {
		String observation = observation(id);
		return (!OBSERVATIONS.contains(observation) || this.asked.contains(observation)) ? MeterFilterReply.NEUTRAL
				: MeterFilterReply.DENY;
	}

	@Override
	public Meter.Id map(Meter.Id id) {
		String handler = id.getTag(HANDLER);
		String observation = observation(id);
		if (handler == null || !OBSERVATIONS.contains(observation) || !this.asked.contains(observation)) {
			return id;
		}
		return id.replaceTags(id.getTags().stream().map(this::bounded).toList());
	}

	private Tag bounded(Tag tag) {
		return tag.getKey().equals(HANDLER) ? Tag.of(HANDLER, this.handlers.of(tag.getValue())) : tag;
	}

	/**
	 * Return the observation of a meter; meters of active observations have a suffix.
	 */
	private static String observation(Meter.Id id) {
		return id.getName().endsWith(".active") ? id.getName().substring(0, id.getName().lastIndexOf('.'))
				: id.getName();
	}

}
