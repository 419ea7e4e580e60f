package dev.jobs.store.jdbc.signal;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.jobs.JobStoreException;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals to other processes from a thread of its own, the first about a queue at
 * once and then one every few milliseconds at most, however many there are. Those that
 * cannot be sent are dropped, since everybody polls now and then.
 */
public final class SignalSender {

	private static final Logger logger = LoggerFactory.getLogger(SignalSender.class);

	private static final Duration REST = Duration.ofMillis(3);

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final int MOST_WAITING = 10_000;

	private final Consumer<Collection<Signal>> channel;

	private final ScheduledThreadPoolExecutor thread;

	/** What is still to be sent, the earliest of each subject. */
	private final Map<Subject, Signal> waiting = new LinkedHashMap<>();

	/** What a signal was sent about a moment ago. */
	private final Set<Subject> resting = new HashSet<>();

	private boolean called;

	public SignalSender(Consumer<Collection<Signal>> channel) {
		this.channel = channel;
		this.thread = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread created = new Thread(task, "jobs-signal-sender");
			created.setDaemon(true);
			return created;
		});
		this.thread.setKeepAliveTime(1, TimeUnit.MINUTES);
		this.thread.allowCoreThreadTimeOut(true);
	}

	/**
	 * Send signals soon.
	 */
	public synchronized void send(Collection<Signal> signals) {
		for (Signal signal : signals) {
			Subject subject = new Subject(signal.kind(), signal.name());
			if (this.waiting.size() < MOST_WAITING || this.waiting.containsKey(subject)) {
				this.waiting.merge(subject, signal, (one, other) -> (one.at() <= other.at()) ? one : other);
			}
		}
		call();
	}

	/**
	 * Wake the thread, unless it is about to run or all that waits has to rest.
	 */
	private void call() {
		if (this.called || this.resting.containsAll(this.waiting.keySet())) {
			return;
		}
		try {
			this.thread.execute(this::sendWaiting);
			this.called = true;
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A signal came after the end of the store");
		}
	}

	private void sendWaiting() {
		Map<Subject, Signal> taken = take();
		try {
			this.channel.accept(taken.values());
		}
		catch (JobStoreException ex) {
			logger.debug("Signals could not be sent", ErrorText.loggable(ex));
		}
		catch (RuntimeException ex) {
			logger.warn("Signals could not be sent", ErrorText.loggable(ex));
		}
		if (!this.thread.isShutdown()) {
			this.thread.schedule(() -> rested(taken.keySet()), REST.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private synchronized Map<Subject, Signal> take() {
		this.called = false;
		Map<Subject, Signal> taken = new LinkedHashMap<>(this.waiting);
		taken.keySet().removeAll(this.resting);
		this.waiting.keySet().removeAll(taken.keySet());
		this.resting.addAll(taken.keySet());
		return taken;
	}

	private synchronized void rested(Set<Subject> subjects) {
		this.resting.removeAll(subjects);
		call();
	}

	/**
	 * Send what waits, if that is soon done, and nothing any more.
	 */
	public void close() {
		synchronized (this) {
			this.resting.clear();
			call();
		}
		this.thread.shutdown();
		try {
			if (!this.thread.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				logger.debug("Signals could not be sent before the end of the store");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * What a signal is about.
	 *
	 * @param kind what happened
	 * @param name the queue or worker
	 */
	private record Subject(Signal.Kind kind, String name) {

	}

}
