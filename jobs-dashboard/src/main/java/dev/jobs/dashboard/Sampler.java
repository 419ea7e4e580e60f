package dev.jobs.dashboard;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.jobs.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Reads the store for all pages together: once a period however many are open, and not at
 * all while none is.
 */
class Sampler implements SmartLifecycle {

	static final String OUT_OF_REACH = "The store is out of reach.";

	private static final Logger logger = LoggerFactory.getLogger(Sampler.class);

	/**
	 * Streams end now and then, so that they do not outlive the rights of their users.
	 */
	private static final Duration LIFE = Duration.ofMinutes(15);

	private final Supplier<String> overview;

	private final Duration period;

	private final int maxStreams;

	private final LongSupplier nanos;

	private final Set<Stream> streams = ConcurrentHashMap.newKeySet();

	/** Held while the store is read, which may take a while. */
	private final Lock looking = new ReentrantLock();

	private @Nullable ScheduledExecutorService executor;

	private volatile boolean open = true;

	private volatile @Nullable Sample latest;

	Sampler(Supplier<String> overview, Duration period, int maxStreams, LongSupplier nanos) {
		this.overview = overview;
		this.period = period;
		this.maxStreams = maxStreams;
		this.nanos = nanos;
	}

	/**
	 * Return the overview, which may be half a period old.
	 */
	String latest() {
		Sample sample = this.latest;
		return (sample != null && isFresh(sample)) ? sample.json() : look();
	}

	private boolean isFresh(Sample sample) {
		return this.nanos.getAsLong() - sample.takenAt() < this.period.toNanos() / 2;
	}

	/**
	 * A failed read counts for a while too, so that those who waited for it do not all
	 * wait for another.
	 */
	private String look() {
		this.looking.lock();
		try {
			Sample sample = this.latest;
			if (sample == null || !isFresh(sample)) {
				sample = read();
				this.latest = sample;
			}
			return sample.json();
		}
		finally {
			this.looking.unlock();
		}
	}

	private Sample read() {
		try {
			return new Sample(this.overview.get(), null, this.nanos.getAsLong());
		}
		catch (RuntimeException ex) {
			return new Sample("", ex, this.nanos.getAsLong());
		}
	}

	/**
	 * Open a stream, which gets the overview once a period.
	 * @param user whose it is; once all streams are taken, the user with the most loses
	 * the oldest to one who has fewer
	 * @param listener gets the events
	 * @return the stream, or {@code null} if there are too many
	 */
	synchronized @Nullable Stream open(String user, Listener listener) {
		if (!this.open || (this.streams.size() >= this.maxStreams && !makeRoom(user))) {
			return null;
		}
		Stream stream = new Stream(user, listener, this.nanos.getAsLong() + LIFE.toNanos());
		this.streams.add(stream);
		ScheduledExecutorService executor = this.executor;
		if (executor == null) {
			executor = Executors.newSingleThreadScheduledExecutor((task) -> {
				Thread thread = new Thread(task, "jobs-dashboard");
				thread.setDaemon(true);
				return thread;
			});
			executor.scheduleWithFixedDelay(this::sendToAll, this.period.toMillis(), this.period.toMillis(),
					TimeUnit.MILLISECONDS);
			this.executor = executor;
		}
		executor.execute(() -> send(stream, event()));
		return stream;
	}

	private boolean makeRoom(String user) {
		Map<String, Long> shares = this.streams.stream()
			.collect(Collectors.groupingBy((stream) -> stream.user, Collectors.counting()));
		long most = shares.values().stream().mapToLong(Long::longValue).max().orElse(0);
		if (shares.getOrDefault(user, 0L) + 1 >= most) {
			return false;
		}
		this.streams.stream()
			.filter((stream) -> shares.getOrDefault(stream.user, 0L) == most)
			.min((one, other) -> Long.signum(one.endsAt - other.endsAt))
			.ifPresent(Stream::close);
		return true;
	}

	private void sendToAll() {
		String event = event();
		this.streams.forEach((stream) -> send(stream, event));
		endIfUnused();
	}

	private void send(Stream stream, String event) {
		if (this.nanos.getAsLong() - stream.endsAt > 0) {
			stream.close();
			return;
		}
		try {
			stream.listener.send(event);
		}
		catch (RuntimeException ex) {
			stream.close();
		}
	}

	private synchronized void endIfUnused() {
		ScheduledExecutorService executor = this.executor;
		if (executor != null && this.streams.isEmpty()) {
			executor.shutdown();
			this.executor = null;
		}
	}

	private String event() {
		try {
			return "event: overview\ndata: " + latest() + "\n\n";
		}
		catch (RuntimeException ex) {
			logger.debug("Could not read the store", ErrorText.loggable(ex));
			return "event: trouble\ndata: {\"error\":\"" + OUT_OF_REACH + "\"}\n\n";
		}
	}

	int streams() {
		return this.streams.size();
	}

	@Override
	public void start() {
		this.open = true;
	}

	/** A stream that stayed open would hold up the stop of the web server. */
	@Override
	public synchronized void stop() {
		this.open = false;
		this.streams.forEach(Stream::close);
		endIfUnused();
	}

	@Override
	public boolean isRunning() {
		return this.open;
	}

	/**
	 * One page that is kept up to date.
	 */
	final class Stream implements AutoCloseable {

		private final String user;

		private final Listener listener;

		private final long endsAt;

		private Stream(String user, Listener listener, long endsAt) {
			this.user = user;
			this.listener = listener;
			this.endsAt = endsAt;
		}

		@Override
		public void close() {
			if (Sampler.this.streams.remove(this)) {
				this.listener.ended();
			}
		}

	}

	/**
	 * The other end of a stream. It must not hold up its caller.
	 */
	interface Listener {

		void send(String event);

		void ended();

	}

	/**
	 * How things stood.
	 *
	 * @param text how, as JSON
	 * @param fault why that is not known, or {@code null}
	 * @param takenAt when
	 */
	private record Sample(String text, @Nullable RuntimeException fault, long takenAt) {

		String json() {
			if (this.fault != null) {
				throw this.fault;
			}
			return this.text;
		}

	}

}
