package dev.jobs.dashboard;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;

import org.springframework.web.method.HandlerMethod;

/**
 * Controller methods that no request reaches because the dashboard takes every path below
 * its own. They end the start: nobody intends that, and neither the request nor the log
 * would show why the application does not reply.
 */
final class HiddenHandlers {

	private static final int NAMED = 5;

	private final String path;

	private final Set<String> hidden = new LinkedHashSet<>();

	HiddenHandlers(String path) {
		this.path = path;
	}

	/**
	 * Add a handler if it is hidden. A handler whose pattern also matches elsewhere, such
	 * as {@code /**}, is not hidden.
	 */
	void add(Collection<?> methods, Collection<String> patterns, HandlerMethod handler) {
		for (String pattern : patterns) {
			if (DashboardProperties.isWithin(pattern, this.path)) {
				String names = methods.stream().map(Object::toString).sorted().collect(Collectors.joining(","));
				this.hidden.add((names.isEmpty() ? "" : names + " ") + pattern + " of "
						+ handler.getBeanType().getName() + "." + handler.getMethod().getName());
			}
		}
	}

	void requireNone() {
		if (this.hidden.isEmpty()) {
			return;
		}
		StringBuilder text = new StringBuilder(
				"The dashboard at %s hides what else is there:%n%n".formatted(this.path));
		this.hidden.stream().limit(NAMED).forEach((handler) -> text.append("    - %s%n".formatted(handler)));
		if (this.hidden.size() > NAMED) {
			text.append("    - and %d more%n".formatted(this.hidden.size() - NAMED));
		}
		throw new InvalidJobsConfigurationException(text.toString(),
				"Set jobs.dashboard.path to a path that nothing else uses, such as %s-dashboard.".formatted(this.path));
	}

}
