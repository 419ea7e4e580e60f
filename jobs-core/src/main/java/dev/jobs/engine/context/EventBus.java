package dev.jobs.engine.context;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes events to the listeners, and to the log at DEBUG. An exception of a listener is
 * logged and stops neither the others nor the engine.
 */
public final class EventBus {

	private static final Logger logger = LoggerFactory.getLogger(EventBus.class);

	/** The steps of a job that are logged nowhere else. */
	private static final Set<Class<? extends JobEvent.OfJob>> LOGGED = Set.of(Events.Accepted.class,
			Events.Started.class, Events.Succeeded.class, Events.Postponed.class, Events.Cancelled.class,
			Events.Released.class);

	private final List<JobListener> listeners;

	public EventBus(List<JobListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	/**
	 * Return whether anybody gets the events; if not, none need be created.
	 */
	public boolean isHeard() {
		return !this.listeners.isEmpty() || logger.isDebugEnabled();
	}

	public void publish(Supplier<JobEvent> event) {
		if (isHeard()) {
			publish(event.get());
		}
	}

	public void publish(JobEvent event) {
		if (logger.isDebugEnabled() && event instanceof JobEvent.OfJob step && LOGGED.contains(step.getClass())) {
			LogContext.with(step.job(), () -> logger.debug("Job '{}' {}: {}", step.name(), step.job().id(),
					step.getClass().getSimpleName()));
		}
		for (JobListener listener : this.listeners) {
			try {
				listener.on(event);
			}
			catch (Throwable ex) {
				logger.warn("Listener {} failed on {} of job '{}'", listener, event.getClass().getSimpleName(),
						event.name(), ErrorText.loggable(ex));
			}
		}
	}

}
