package dev.jobs.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.autoconfigure.JobsProperties.BackoffOptions;
import dev.jobs.autoconfigure.JobsProperties.BackoffType;
import org.jspecify.annotations.Nullable;

/**
 * The backoff that several layers of settings amount to. The first layer that names a
 * bean or a type decides which rule it is; each number comes from the first layer that
 * has it.
 *
 * @param layers the settings, the strongest first
 */
record BackoffChoice(List<Layer> layers) {

	private static final Duration DELAY = Duration.ofSeconds(5);

	private static final Duration MAX_DELAY = Duration.ofDays(1);

	Backoff make(BiFunction<String, String, Backoff> beans) {
		for (Layer layer : this.layers) {
			String bean = layer.options().bean();
			if (bean != null && !bean.isEmpty()) {
				return beans.apply(layer.origin(), bean);
			}
			if (layer.options().type() != null) {
				return make(layer.options().type());
			}
		}
		return make(BackoffType.POLYNOMIAL);
	}

	private Backoff make(BackoffType type) {
		Duration delay = first(BackoffOptions::delay, DELAY);
		Duration maxDelay = first(BackoffOptions::maxDelay, MAX_DELAY);
		Backoff backoff = switch (type) {
			case POLYNOMIAL -> polynomial();
			case FIXED -> Backoff.fixed(delay);
			case EXPONENTIAL -> Backoff.exponential(delay, first(BackoffOptions::multiplier, 2.0), maxDelay);
		};
		double jitter = first(BackoffOptions::jitter, 0.0);
		return (jitter != 0) ? backoff.jitter(jitter) : backoff;
	}

	private Backoff polynomial() {
		Backoff backoff = Backoff.polynomial();
		Duration longest = first(BackoffOptions::maxDelay, Backoff.LONGEST);
		return (job, failures, random) -> {
			Duration delay = backoff.delay(job, failures, random);
			return (delay.compareTo(longest) > 0) ? longest : delay;
		};
	}

	private <T> T first(Function<BackoffOptions, @Nullable T> property, T otherwise) {
		Stream<T> values = this.layers.stream()
			.map(Layer::options)
			.flatMap((options) -> Stream.ofNullable(property.apply(options)));
		return Objects.requireNonNull(values.findFirst().orElse(otherwise));
	}

	/**
	 * What is said in one place.
	 *
	 * @param origin the place, for messages
	 * @param options what is said
	 */
	record Layer(String origin, BackoffOptions options) {

	}

}
