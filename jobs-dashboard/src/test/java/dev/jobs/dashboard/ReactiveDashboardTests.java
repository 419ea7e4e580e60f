package dev.jobs.dashboard;

import org.springframework.boot.WebApplicationType;

/**
 * Tests for the dashboard on Spring WebFlux.
 */
class ReactiveDashboardTests extends DashboardSuite {

	@Override
	WebApplicationType type() {
		return WebApplicationType.REACTIVE;
	}

	@Override
	Class<?> application() {
		return Applications.Reactive.class;
	}

	@Override
	String prefixProperty() {
		return "spring.webflux.base-path";
	}

}
