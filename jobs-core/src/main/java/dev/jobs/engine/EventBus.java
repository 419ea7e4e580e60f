package dev.jobs.engine;

import java.util.List;
import java.util.function.Supplier;

import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the listeners. With none there is no event to make; what one throws is logged and
 * keeps neither the others nor the engine from their work.
 */
final class EventBus {

	private static final Logger logger = LoggerFactory.getLogger(EventBus.class);

	private final List<JobListener> listeners;

	EventBus(List<JobListener> listeners) {
		this.listeners = List.copyOf(listeners);
	}

	boolean isHeard() {
		return !this.listeners.isEmpty();
	}

	void publish(Supplier<JobEvent> event) {
		if (!isHeard()) {
			return;
		}
		JobEvent told = event.get();
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

}
