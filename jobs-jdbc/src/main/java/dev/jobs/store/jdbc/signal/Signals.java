package dev.jobs.store.jdbc.signal;

import java.util.Collection;

import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import dev.jobs.store.StoreListeners;
import org.jspecify.annotations.Nullable;

/**
 * Publishes signals to the listeners of this process and, if there is a channel, to those
 * of other processes.
 */
public final class Signals {

	private final StoreListeners listeners = new StoreListeners();

	private @Nullable SignalChannel channel;

	/**
	 * Exchange signals with other processes.
	 */
	public void connect(SignalChannel channel) {
		this.channel = channel;
	}

	public synchronized Subscription listen(StoreListener listener) {
		Subscription subscription = this.listeners.add(listener);
		if (this.channel != null) {
			this.channel.open();
		}
		return () -> end(subscription);
	}

	private synchronized void end(Subscription subscription) {
		subscription.close();
		if (this.channel != null && this.listeners.isEmpty()) {
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
		signals.forEach((signal) -> this.listeners.signal(signal::publishTo));
	}

	public synchronized void close() {
		this.listeners.clear();
		if (this.channel != null) {
			this.channel.end();
		}
	}

}
