package dev.jobs.store.jdbc.signal;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import dev.jobs.store.StoreListeners;
import dev.jobs.store.jdbc.signal.Signal.Kind;

/**
 * Publishes signals to the listeners of this process and, by channels, to those of other
 * processes.
 */
public final class Signals {

	private final StoreListeners listeners = new StoreListeners();

	private final List<SignalChannel> channels = new ArrayList<>();

	/**
	 * Exchange signals with other processes.
	 */
	public void connect(SignalChannel channel) {
		this.channels.add(channel);
	}

	public synchronized Subscription listen(StoreListener listener) {
		Subscription subscription = this.listeners.add(listener);
		this.channels.forEach(SignalChannel::open);
		return () -> end(subscription);
	}

	private synchronized void end(Subscription subscription) {
		subscription.close();
		if (this.listeners.isEmpty()) {
			this.channels.forEach(SignalChannel::close);
		}
	}

	/**
	 * Publish signals of this process.
	 */
	public void publish(Collection<Signal> signals) {
		publishHere(signals);
		this.channels.forEach((channel) -> channel.send(signals));
	}

	/**
	 * Publish signals that another process has sent. Ends are published together.
	 */
	public void publishHere(Collection<Signal> signals) {
		Set<String> ended = signals.stream()
			.filter((signal) -> signal.kind() == Kind.ENDED)
			.map(Signal::name)
			.collect(Collectors.toSet());
		if (!ended.isEmpty()) {
			this.listeners.signal((listener) -> listener.ended(ended));
		}
		signals.stream()
			.filter((signal) -> signal.kind() != Kind.ENDED)
			.forEach((signal) -> this.listeners.signal(signal::publishTo));
	}

	public synchronized void close() {
		this.listeners.clear();
		this.channels.forEach(SignalChannel::end);
	}

}
