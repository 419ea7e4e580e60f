package dev.jobs.dashboard;

import org.springframework.boot.WebApplicationType;

/**
 * Tests for the dashboard on Spring MVC.
 */
class ServletDashboardTests extends DashboardSuite {

	@Override
	WebApplicationType type() {
		return WebApplicationType.SERVLET;
	}

	@Override
	Class<?> application() {
		return Applications.Servlet.class;
	}

	@Override
	String prefixProperty() {
		return "server.servlet.context-path";
	}

}
