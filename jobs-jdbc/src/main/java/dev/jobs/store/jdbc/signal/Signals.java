package dev.jobs.store.jdbc.signal;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes signals to the listeners of this process, and by a channel, if there is one,
 * to those of others.
 */
public final class Signals {

	private static final Logger logger = LoggerFactory.getLogger(Signals.class);

	private final List<Subscriber> subscribers = new CopyOnWriteArrayList<>();

	private @Nullable SignalChannel channel;

	/**
	 * Exchange signals with other processes.
	 */
	public void connect(SignalChannel channel) {
		this.channel = channel;
	}

	public synchronized Subscription listen(StoreListener listener) {
		Subscriber subscriber = new Subscriber(listener);
		this.subscribers.add(subscriber);
		if (this.channel != null) {
			this.channel.open();
		}
		return () -> remove(subscriber);
	}

	private synchronized void remove(Subscriber subscriber) {
		this.subscribers.remove(subscriber);
		if (this.channel != null && this.subscribers.isEmpty()) {
			this.channel.close();
		}
	}

	/**
	 * Publish signals of this process.
	 */
	public void publish(Collection<Signal> signals) {
		publishHere(signals);
		if (this.channel != null) {
			this.channel.send(signals);
		}
	}

	/**
	 * Publish signals that another process has sent.
	 */
	public void publishHere(Collection<Signal> signals) {
		signals.forEach((signal) -> this.subscribers.forEach((subscriber) -> subscriber.receive(signal)));
	}

	public synchronized void close() {
		this.subscribers.clear();
		if (this.channel != null) {
			this.channel.end();
		}
	}

	/** Not a record: a listener may subscribe twice, and each subscription ends alone. */
	private static final class Subscriber {

		private final StoreListener listener;

		Subscriber(StoreListener listener) {
			this.listener = listener;
		}

		void receive(Signal signal) {
			try {
				signal.publishTo(this.listener);
			}
			catch (RuntimeException ex) {
				logger.warn("A listener of the store failed", ErrorText.loggable(ex));
			}
		}

	}

}
