package dev.jobs.store.view;

import dev.jobs.LaneSettings;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of what operators have set for a lane.
 *
 * @param paused that the lane is paused, or {@code null} if it is not
 * @param limit its running limit, or {@code null} to use the limits of the workers
 * @param weight its weight, or {@code null} to use that of the handler
 */
public record LaneSettingsView(@Nullable Value<Boolean> paused, @Nullable Value<Integer> limit,
		@Nullable Value<Integer> weight) implements LaneSettings {

	/** The settings of a lane for which nothing is set. */
	public static final LaneSettingsView NONE = new LaneSettingsView(null, null, null);

	/**
	 * Return these settings with one that a store applies.
	 * @param rule which
	 * @param value the value with who and when, or {@code null} if it is not set
	 */
	public LaneSettingsView with(Rule rule, @Nullable Value<Integer> value) {
		return switch (rule) {
			case PAUSED -> new LaneSettingsView((value != null) ? new Value<>(true, value.at(), value.by()) : null,
					this.limit, this.weight);
			case LIMIT -> new LaneSettingsView(this.paused, value, this.weight);
		};
	}

	/**
	 * Return whether one that a store applies is set.
	 */
	public boolean has(Rule rule) {
		return ((rule == Rule.PAUSED) ? this.paused : this.limit) != null;
	}

	/**
	 * Return how many jobs of the lane may run at once.
	 * @param limitOfWorkers the limit that applies if no operator has set one
	 * @return the limit; 0 for none, -1 if no job may be started
	 */
	public int most(int limitOfWorkers) {
		return (this.paused != null) ? -1 : (this.limit != null) ? this.limit.value() : limitOfWorkers;
	}

	/**
	 * A setting that a store applies.
	 */
	public enum Rule {

		/** None of its jobs is started. The value is 1. */
		PAUSED,

		/**
		 * How many of its jobs may run at once, in the place of the limit that a claim
		 * names.
		 */
		LIMIT

	}

}
