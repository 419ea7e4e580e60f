package dev.jobs.store.redis.wire;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.JobStore.Subscription;
import dev.jobs.store.StoreListener;
import dev.jobs.store.StoreListeners;
import dev.jobs.store.redis.format.FieldReader;
import dev.jobs.text.ErrorText;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Receives the signals of a namespace while there are listeners, on its own connection
 * and thread. A lost connection is soon replaced.
 */
public final class SignalReceiver implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(SignalReceiver.class);

	private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

	private static final int CHECKS_PER_PING = 5;

	private final LettuceConnectionFactory factory;

	private final byte[] channel;

	private final Supplier<List<String>> queues;

	private final Duration timeout;

	private final StoreListeners listeners = new StoreListeners();

	private @Nullable Reception reception;

	/**
	 * Create a receiver.
	 * @param factory opens its connection
	 * @param channel the channel of the signals
	 * @param queues returns the names of all queues
	 * @param timeout how long to wait for the server
	 */
	public SignalReceiver(LettuceConnectionFactory factory, byte[] channel, Supplier<List<String>> queues,
			Duration timeout) {
		this.factory = factory;
		this.queues = queues;
		this.channel = channel;
		this.timeout = timeout;
	}

	public synchronized Subscription listen(StoreListener listener) {
		Subscription subscription = this.listeners.add(listener);
		if (this.reception == null) {
			this.reception = new Reception();
			this.reception.start();
		}
		return () -> end(subscription);
	}

	private synchronized void end(Subscription subscription) {
		subscription.close();
		if (this.listeners.isEmpty()) {
			close();
		}
	}

	@Override
	public synchronized void close() {
		if (this.reception != null) {
			this.reception.stop();
			this.reception = null;
		}
	}

	/**
	 * Pass a signal on. Its text has the kind, for {@code ready} the instant, and the
	 * queue or worker, or the jobs as fields. An unknown kind may come from a later
	 * version.
	 */
	private static void pass(String signal, StoreListener listener) {
		String[] words = signal.split(" ", 2);
		switch (words[0]) {
			case "ready" -> {
				String[] rest = words[1].split(" ", 2);
				listener.ready(rest[1], Instant.ofEpochMilli(Long.parseLong(rest[0])));
			}
			case "room" -> listener.room(words[1]);
			case "restricted" -> listener.restricted(words[1]);
			case "ticks" -> listener.ticks(Instant.ofEpochMilli(Long.parseLong(words[1])));
			case "cancelled" -> listener.cancelled(words[1]);
			case "ended" -> listener.ended(names(words[1]));
			case "set" -> listener.settingsChanged();
			default -> logger.debug("An unknown signal was received");
		}
	}

	private static Set<String> names(String fields) {
		FieldReader reader = new FieldReader(fields.getBytes(StandardCharsets.UTF_8));
		Set<String> names = new HashSet<>();
		while (reader.hasMore()) {
			names.add(reader.text());
		}
		return names;
	}

	/**
	 * The reception of signals from the first subscription to the end of the last one.
	 */
	private final class Reception extends RedisPubSubAdapter<byte[], byte[]> {

		private final ScheduledExecutorService thread;

		private @Nullable AbstractRedisClient client;

		private @Nullable StatefulRedisPubSubConnection<byte[], byte[]> connection;

		private boolean failing;

		private int checks;

		Reception() {
			ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, (task) -> {
				Thread created = new Thread(task, "jobs-redis-signals");
				created.setDaemon(true);
				return created;
			});
			executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
			this.thread = executor;
		}

		void start() {
			this.thread.scheduleWithFixedDelay(this::check, 0, CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
		}

		void stop() {
			this.thread.execute(this::disconnect);
			this.thread.shutdown();
		}

		@Override
		public void message(byte[] from, byte[] message) {
			String signal = new String(message, StandardCharsets.UTF_8);
			execute(() -> SignalReceiver.this.listeners.signal((listener) -> pass(signal, listener)));
		}

		/**
		 * Make up for signals missed before the connection was opened, or while it was
		 * lost.
		 */
		@Override
		public void subscribed(byte[] to, long count) {
			execute(this::signalAllQueues);
		}

		private void execute(Runnable task) {
			try {
				this.thread.execute(task);
			}
			catch (RejectedExecutionException ex) {
				logger.debug("A signal came after the last listener had left");
			}
		}

		private void signalAllQueues() {
			try {
				SignalReceiver.this.queues.get()
					.forEach((queue) -> SignalReceiver.this.listeners
						.signal((listener) -> listener.ready(queue, Instant.EPOCH)));
			}
			catch (JobStoreException ex) {
				logger.debug("Missed signals cannot be made up for", ErrorText.loggable(ex));
			}
		}

		private void check() {
			try {
				if (this.connection == null || !this.connection.isOpen()
						|| this.client != SignalReceiver.this.factory.getNativeClient()) {
					disconnect();
					connect();
				}
				else if (++this.checks % CHECKS_PER_PING == 0) {
					await(this.connection.async().ping());
				}
				this.failing = false;
			}
			catch (Exception ex) {
				disconnect();
				if (!this.failing) {
					Level level = isOutage(ex) ? Level.DEBUG : Level.WARN;
					logger.atLevel(level).log("Signals of the store cannot be received for now: {}", ErrorText.of(ex));
				}
				this.failing = true;
			}
		}

		/**
		 * Return whether no connection can be opened, which every user of the store
		 * notices.
		 */
		private static boolean isOutage(Exception ex) {
			return ex instanceof RedisConnectionException || ex.getCause() instanceof RedisConnectionException;
		}

		private void connect() throws Exception {
			AbstractRedisClient current = SignalReceiver.this.factory.getRequiredNativeClient();
			CompletableFuture<StatefulRedisPubSubConnection<byte[], byte[]>> opening = Connection
				.begin(() -> open(current));
			try {
				this.connection = await(opening);
			}
			catch (TimeoutException ex) {
				opening.thenAccept(StatefulRedisPubSubConnection::closeAsync);
				throw ex;
			}
			this.client = current;
			this.connection.addListener(this);
			await(this.connection.async().subscribe(SignalReceiver.this.channel));
		}

		private StatefulRedisPubSubConnection<byte[], byte[]> open(AbstractRedisClient client) {
			return (client instanceof RedisClusterClient cluster) ? cluster.connectPubSub(ByteArrayCodec.INSTANCE)
					: ((RedisClient) client).connectPubSub(ByteArrayCodec.INSTANCE);
		}

		private <T> T await(Future<T> future) throws Exception {
			return future.get(SignalReceiver.this.timeout.toMillis(), TimeUnit.MILLISECONDS);
		}

		private void disconnect() {
			if (this.connection != null) {
				this.connection.closeAsync();
				this.connection = null;
			}
		}

	}

}
