package dev.jobs.store.jdbc.signal;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.jobs.JobStoreException;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends signals to other processes from its own thread: the first at once, then all that
 * came meanwhile together, at most every few milliseconds. Signals that cannot be sent
 * are dropped, since all workers poll now and then.
 */
public final class SignalSender {

	private static final Logger logger = LoggerFactory.getLogger(SignalSender.class);

	private static final Duration REST = Duration.ofMillis(3);

	private static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final int MOST_WAITING = 10_000;

	private final Consumer<Collection<Signal>> channel;

	private final ScheduledThreadPoolExecutor thread;

	/** The signals still to send, the earliest of each subject. */
	private final Map<Subject, Signal> waiting = new LinkedHashMap<>();

	/** Whether the thread sends, or rests after sending. */
	private boolean busy;

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

	private void call() {
		if (this.busy || this.waiting.isEmpty()) {
			return;
		}
		try {
			this.thread.execute(this::sendWaiting);
			this.busy = true;
		}
		catch (RejectedExecutionException ex) {
			logger.debug("A signal came after the store was closed");
		}
	}

	private void sendWaiting() {
		List<Signal> taken = take();
		if (taken.isEmpty()) {
			return;
		}
		try {
			this.channel.accept(taken);
		}
		catch (JobStoreException ex) {
			logger.debug("Signals could not be sent", ErrorText.loggable(ex));
		}
		catch (RuntimeException ex) {
			logger.warn("Signals could not be sent", ErrorText.loggable(ex));
		}
		if (!this.thread.isShutdown()) {
			this.thread.schedule(this::rested, REST.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private synchronized List<Signal> take() {
		List<Signal> taken = List.copyOf(this.waiting.values());
		this.waiting.clear();
		return taken;
	}

	private synchronized void rested() {
		this.busy = false;
		call();
	}

	/**
	 * Send waiting signals if that is quick, and stop.
	 */
	public void close() {
		rested();
		this.thread.shutdown();
		try {
			if (!this.thread.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
				logger.debug("Signals could not be sent before the store was closed");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * The subject of a signal.
	 *
	 * @param kind what happened
	 * @param name the queue or worker
	 */
	private record Subject(Signal.Kind kind, String name) {

	}

}
