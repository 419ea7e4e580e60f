package dev.jobs.autoconfigure.metrics;

import java.util.List;

import dev.jobs.metrics.UnmeteredObservations;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationRegistryCustomizer;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Finds out whether anything listens to observations of jobs. An observation takes a good
 * part of a short job's time, and in an application with metrics but without traces it
 * only results in meters that nobody asked for.
 */
record ObservationListeners(ListableBeanFactory beans, Environment environment) {

	/**
	 * Return the registry, or one that observes nothing if nobody listens.
	 */
	ObservationRegistry listened(ObservationRegistry registry) {
		boolean unheard = areMetersAll() && !isCustomized()
				&& !this.environment.getProperty("management.observations.enable.jobs", Boolean.class, false)
				&& JobsMetricsAutoConfiguration.asked(this.environment).isEmpty();
		return unheard ? ObservationRegistry.NOOP : registry;
	}

	private boolean areMetersAll() {
		List<?> handlers = this.beans.getBeanProvider(ObservationHandler.class).stream().toList();
		return !handlers.isEmpty() && isPresent("io.micrometer.core.instrument.MeterRegistry")
				&& handlers.stream().allMatch(Meters::makes);
	}

	private boolean isCustomized() {
		return isPresent("org.springframework.boot.micrometer.observation.autoconfigure.ObservationRegistryCustomizer")
				&& Customizers.areIn(this.beans);
	}

	private static boolean isPresent(String type) {
		return ClassUtils.isPresent(type, ObservationListeners.class.getClassLoader());
	}

	/** Apart, since the library is optional. */
	private static final class Meters {

		static boolean makes(Object handler) {
			return handler instanceof UnmeteredObservations
					|| handler.getClass().equals(DefaultMeterObservationHandler.class);
		}

	}

	/** Apart, since the library is optional. */
	private static final class Customizers {

		static boolean areIn(ListableBeanFactory beans) {
			return beans.getBeanNamesForType(ObservationRegistryCustomizer.class, true, false).length > 0;
		}

	}

}
