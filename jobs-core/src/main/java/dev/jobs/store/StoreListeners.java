package dev.jobs.store;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import dev.jobs.store.JobStore.Subscription;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listeners of a store. A listener may be added twice, and each subscription ends
 * alone. A listener that fails does not keep a signal from the others.
 */
public final class StoreListeners {

	private static final Logger logger = LoggerFactory.getLogger(StoreListeners.class);

	private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();

	/**
	 * Add a listener.
	 * @param listener the listener
	 * @return removes it
	 */
	public Subscription add(StoreListener listener) {
		Subscriber subscriber = new Subscriber(listener);
		this.subscribers.add(subscriber);
		return subscriber;
	}

	/**
	 * Return whether nobody listens.
	 */
	public boolean isEmpty() {
		return this.subscribers.isEmpty();
	}

	/**
	 * Remove all listeners.
	 */
	public void clear() {
		this.subscribers.clear();
	}

	/**
	 * Call all listeners.
	 * @param signal calls one of them
	 */
	public void signal(Consumer<StoreListener> signal) {
		for (Subscriber subscriber : this.subscribers) {
			try {
				signal.accept(subscriber.listener);
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of the store failed", ErrorText.loggable(ex));
			}
		}
	}

	private final class Subscriber implements Subscription {

		private final StoreListener listener;

		Subscriber(StoreListener listener) {
			this.listener = listener;
		}

		@Override
		public void close() {
			StoreListeners.this.subscribers.remove(this);
		}

	}

}
