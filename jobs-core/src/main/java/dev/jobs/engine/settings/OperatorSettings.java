package dev.jobs.engine.settings;

import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.Rate;
import dev.jobs.store.Change;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.store.view.SettingsView.Value;
import org.jspecify.annotations.Nullable;

/**
 * The operators' settings for workers. Values that no operator can set are ignored.
 *
 * @param all the settings as they are stored
 */
public record OperatorSettings(List<OperatorSetting> all) {

	/** No settings. */
	public static final OperatorSettings NONE = new OperatorSettings(List.of());

	/**
	 * Return a setting that is a number.
	 * @param kind its kind
	 * @param name the name of the queue, the pool or the worker
	 * @return the number with who and when, or {@code null} if it was not set
	 */
	public @Nullable Value<Integer> number(Kind kind, String name) {
		return value(kind, name, kind::read);
	}

	/**
	 * Return a setting that is a rate.
	 * @param kind its kind
	 * @param queue the queue
	 * @return the rate with who and when, or {@code null} if it was not set
	 */
	public @Nullable Value<Rate> rate(Kind kind, String queue) {
		return value(kind, queue, Kind::readRate);
	}

	private <T> @Nullable Value<T> value(Kind kind, String name, Function<String, @Nullable T> read) {
		for (OperatorSetting each : this.all) {
			if (each.kind().equals(kind.key()) && each.name().equals(name)) {
				T value = read.apply(each.value());
				return (value != null) ? new Value<>(value, each.at(), each.by()) : null;
			}
		}
		return null;
	}

	/**
	 * Return the weights of lanes of a queue.
	 * @param queue the queue
	 * @return the weight of each lane that has one, with who and when
	 */
	public Map<String, Value<Integer>> laneWeights(String queue) {
		Map<String, Value<Integer>> weights = new HashMap<>();
		String beginning = Kind.ofLane(queue, "");
		for (OperatorSetting each : this.all) {
			Integer weight = each.kind().equals(Kind.LANE_WEIGHT.key()) ? Kind.LANE_WEIGHT.read(each.value()) : null;
			if (weight != null && each.name().startsWith(beginning)) {
				weights.put(each.name().substring(beginning.length()), new Value<>(weight, each.at(), each.by()));
			}
		}
		return weights;
	}

	/**
	 * Return a setting that is a switch.
	 * @param kind its kind
	 * @param name the name of the pool or the worker
	 * @return the setting with who and when, or {@code null} if it is off
	 */
	public @Nullable Value<Boolean> on(Kind kind, String name) {
		Value<Integer> set = number(kind, name);
		return (set != null) ? new Value<>(true, set.at(), set.by()) : null;
	}

	/**
	 * Return the workers that were made quiet before a time.
	 * @param time the time
	 * @return their ids
	 */
	public List<String> quietBefore(Instant time) {
		return this.all.stream()
			.filter((each) -> each.kind().equals(Kind.QUIET.key()) && each.at().isBefore(time))
			.map(OperatorSetting::name)
			.toList();
	}

	/**
	 * Return the names that have a setting of some kinds.
	 * @param kinds the kinds
	 * @return the names
	 */
	public Set<String> namesOf(Kind... kinds) {
		List<String> keys = Stream.of(kinds).map(Kind::key).toList();
		return this.all.stream()
			.filter((each) -> keys.contains(each.kind()))
			.map(OperatorSetting::name)
			.collect(Collectors.toSet());
	}

	/**
	 * The kinds of settings, each with the highest number that can be set.
	 */
	public enum Kind {

		/** The weight of a queue among those of its pool. */
		WEIGHT(100_000),

		/** The weight of a lane among those of its queue. */
		LANE_WEIGHT(100),

		/** How many attempts the jobs of a queue have. */
		ATTEMPTS(100_000),

		/** How many jobs of a queue may start in a window; not a number. */
		RATE(0),

		/** How many jobs of each lane of a queue may start in a window; not a number. */
		LANES_RATE(0),

		/** How many jobs a pool runs at once, on each worker. */
		CONCURRENCY(100_000),

		/** That a pool starts no jobs. */
		PAUSED(1),

		/** That a worker starts no jobs. */
		QUIET(1);

		private final int most;

		Kind(int most) {
			this.most = most;
		}

		String key() {
			return name().toLowerCase(Locale.ROOT);
		}

		/**
		 * Return the name of a setting for a lane. The name of a queue has no space.
		 */
		public static String ofLane(String queue, String lane) {
			return queue + " " + lane;
		}

		private @Nullable Integer read(String value) {
			boolean number = value.matches("[1-9][0-9]{0,5}");
			return (number && Integer.parseInt(value) <= this.most) ? Integer.valueOf(value) : null;
		}

		private static @Nullable Rate readRate(String value) {
			try {
				return Rate.parse(value);
			}
			catch (IllegalArgumentException ex) {
				return null;
			}
		}

		/**
		 * Return the change that sets a rate.
		 * @param queue the queue
		 * @param rate the rate
		 * @param by who sets it, or {@code null} if that is not known
		 * @return the change
		 */
		public Change set(String queue, Rate rate, @Nullable String by) {
			return new Change.Set(key(), queue, rate.toText(), by);
		}

		/**
		 * Return the change that sets a number.
		 * @param name the name of the queue, the pool or the worker
		 * @param number the number
		 * @param by who sets it, or {@code null} if that is not known
		 * @return the change
		 */
		public Change set(String name, int number, @Nullable String by) {
			if (number < 1 || number > this.most) {
				throw new IllegalArgumentException("'%s' must be from 1 to %d but was %d"
					.formatted(key().replaceFirst("^lane_", ""), this.most, number));
			}
			return new Change.Set(key(), name, Integer.toString(number), by);
		}

		/**
		 * Return the change that removes the setting.
		 * @param name the name of the queue, the pool or the worker
		 * @return the change
		 */
		public Change remove(String name) {
			return new Change.Set(key(), name, null, null);
		}

	}

}
