package dev.jobs.store.jdbc;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what verbs of this process have to tell.
 */
final class Signals {

	private static final Logger logger = LoggerFactory.getLogger(Signals.class);

	private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();

	Subscription listen(StoreListener listener) {
		Subscriber subscriber = new Subscriber(listener);
		this.subscribers.add(subscriber);
		return () -> this.subscribers.remove(subscriber);
	}

	void tell(Collection<Signal> signals) {
		signals.forEach((signal) -> this.subscribers.forEach((subscriber) -> subscriber.tell(signal)));
	}

	void close() {
		this.subscribers.clear();
	}

	/** Not a record: a listener may subscribe twice, and each subscription ends alone. */
	private static final class Subscriber {

		private final StoreListener listener;

		Subscriber(StoreListener listener) {
			this.listener = listener;
		}

		void tell(Signal signal) {
			try {
				signal.tell(this.listener);
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of the store failed", ex);
			}
		}

	}

}
