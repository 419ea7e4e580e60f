package dev.jobs.engine;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import dev.jobs.store.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Tells the listeners, and the log at DEBUG. With none there is no event to make; what
 * one throws is logged and keeps neither the others nor the engine from their work.
 */
final class EventBus {

	private static final Logger logger = LoggerFactory.getLogger(EventBus.class);

	/** The steps of a job that are logged nowhere else. */
	private static final Set<Class<? extends JobEvent.OfJob>> LOGGED = Set.of(JobEvent.Accepted.class,
			JobEvent.Started.class, JobEvent.Succeeded.class, JobEvent.Postponed.class, JobEvent.Cancelled.class,
			JobEvent.Released.class);

	private final List<JobListener> listeners;

	EventBus(List<JobListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	void publish(Supplier<JobEvent> event) {
		if (this.listeners.isEmpty() && !logger.isDebugEnabled()) {
			return;
		}
		JobEvent told = event.get();
		if (logger.isDebugEnabled() && told instanceof JobEvent.OfJob step && LOGGED.contains(step.getClass())) {
			log(step);
		}
		for (JobListener listener : this.listeners) {
			try {
				listener.on(told);
			}
			catch (Throwable ex) {
				logger.warn("Listener {} failed on {} of job '{}'", listener, told.getClass().getSimpleName(),
						told.name(), ErrorText.loggable(ex));
			}
		}
	}

	/**
	 * Log a step, which many a thread tells of, with the job in the logging context.
	 */
	private static void log(JobEvent.OfJob step) {
		Map<String, String> outer = MDC.getCopyOfContextMap();
		MDC.put(JobEngine.MDC_JOB_ID, step.job().id());
		MDC.put(JobRunner.MDC_NAME, step.name());
		try {
			logger.debug("Job '{}' {}: {}", step.name(), step.job().id(), step.getClass().getSimpleName());
		}
		finally {
			MDC.setContextMap((outer != null) ? outer : Map.of());
		}
	}

}
