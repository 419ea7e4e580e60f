package dev.jobs.store.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import dev.jobs.store.JobStoreException;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A connection of its own to the server, opened at the first use and again whenever it
 * was closed. No call waits longer than the time-out, and none is given up for an
 * interruption, which would leave its fate unknown.
 */
final class Link implements AutoCloseable {

	/**
	 * Seldom enough for the log, in which the driver names each node it does not reach.
	 */
	private static final Executor AFTER_A_WHILE = CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS);

	/**
	 * The part of the time-out that a call has when others sent with it are answered.
	 */
	private static final int PATIENCE_DIVISOR = 4;

	private final LettuceConnectionFactory factory;

	private final Duration timeout;

	private final AtomicBoolean looking = new AtomicBoolean();

	private volatile @Nullable Open open;

	private @Nullable FutureTask<Open> opening;

	private boolean closed;

	Link(LettuceConnectionFactory factory, Duration timeout) {
		this.factory = factory;
		this.timeout = timeout;
	}

	/**
	 * Run a script in the partition that the keys are of and wait for its reply.
	 */
	Reply run(Script script, byte[][] keys, Arguments arguments) {
		return send(script, keys, arguments).reply();
	}

	/**
	 * Have a script run in the partition that the keys are of. Calls that are sent one
	 * after the other to the same partition are run in this order.
	 */
	Call send(Script script, byte[][] keys, Arguments arguments) {
		byte[][] values = arguments.toArray();
		return new Call(script, keys, values,
				start((server) -> server.evalsha(script.digest(), ScriptOutputType.MULTI, keys, values)));
	}

	/**
	 * Wait until calls are answered. Once one is, the others have a short time left, and
	 * what is not answered then is given up. A single call is left to be waited for.
	 */
	void await(List<Call> calls) {
		if (calls.size() < 2) {
			return;
		}
		CompletableFuture<?> all = CompletableFuture
			.allOf(calls.stream().map((call) -> call.sent).toArray(CompletableFuture[]::new));
		CompletableFuture<@Nullable Void> first = new CompletableFuture<>();
		all.whenComplete((done, ex) -> first.complete(null));
		calls.forEach((call) -> call.sent.whenComplete((reply, ex) -> {
			if (ex == null || ex instanceof RedisNoScriptException) {
				first.complete(null);
			}
		}));
		Duration patience = this.timeout.dividedBy(PATIENCE_DIVISOR);
		waitFor(all, patience);
		if (!first.isDone()) {
			waitFor(first, this.timeout.minus(patience));
			waitFor(all, first.isDone() ? patience : Duration.ZERO);
		}
		calls.forEach(Call::giveUp);
	}

	private static void waitFor(Future<?> future, Duration timeout) {
		try {
			get(future, timeout);
		}
		catch (TimeoutException | CancellationException | ExecutionException ex) {
			// each call tells for itself
		}
	}

	/**
	 * Ask for a key, without waiting for the answer.
	 */
	CompletableFuture<?> ask(byte[] key) {
		return start((server) -> server.get(key));
	}

	<T> T get(Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
		return await(start(command));
	}

	private <T> CompletableFuture<T> start(
			Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
		try {
			return command.apply(open().commands()).toCompletableFuture();
		}
		catch (RedisException ex) {
			lookForMasters();
			throw Faults.of(ex);
		}
	}

	boolean isCluster() {
		return this.factory.getRequiredNativeClient() instanceof RedisClusterClient;
	}

	@Override
	public void close() {
		Open current;
		synchronized (this) {
			this.closed = true;
			current = this.open;
			this.open = null;
		}
		if (current != null) {
			current.connection().closeAsync();
		}
	}

	private <T> T await(Future<T> future) {
		try {
			return get(future, this.timeout);
		}
		catch (TimeoutException ex) {
			future.cancel(true);
			throw late(ex);
		}
		catch (CancellationException ex) {
			throw new JobStoreException("The connection to Redis was closed", ex, true);
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			if (cause instanceof RedisNoScriptException) {
				throw new UnknownScriptException(cause);
			}
			lookForMasters();
			throw Faults.of(cause);
		}
	}

	private static <T> T get(Future<T> future, Duration timeout) throws TimeoutException, ExecutionException {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return future.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
				}
				catch (InterruptedException ex) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private JobStoreException late(@Nullable Throwable cause) {
		lookForMasters();
		return new JobStoreException("Redis did not answer within " + this.timeout, cause, true);
	}

	/**
	 * Have the client of a cluster learn which nodes are masters now. By itself it only
	 * does so some time after it lost a connection, and never for a node that it had none
	 * to.
	 */
	private void lookForMasters() {
		Open current = this.open;
		if (current != null && current.client() instanceof RedisClusterClient cluster
				&& this.looking.compareAndSet(false, true)) {
			try {
				cluster.refreshPartitionsAsync()
					.whenCompleteAsync((done, ex) -> this.looking.set(false), AFTER_A_WHILE);
			}
			catch (RuntimeException ex) {
				this.looking.set(false);
			}
		}
	}

	private Open open() {
		Open current = this.open;
		if (current != null && current.isUsable(this.factory)) {
			return current;
		}
		FutureTask<Open> task;
		boolean own = false;
		synchronized (this) {
			if (this.closed) {
				throw JobStoreException.refused("The store is closed", null, false);
			}
			task = this.opening;
			if (task == null) {
				own = true;
				task = new FutureTask<>(this::reopen);
				this.opening = task;
			}
		}
		if (own) {
			task.run();
		}
		try {
			return await(task);
		}
		catch (JobStoreException ex) {
			throw Faults.unsent(ex);
		}
	}

	/**
	 * Open a connection. Threads that need it meanwhile wait for this one attempt.
	 */
	private Open reopen() {
		try {
			Open current = this.open;
			if (current != null && current.isUsable(this.factory)) {
				return current;
			}
			if (current != null) {
				this.open = null;
				current.connection().closeAsync();
			}
			Open opened = Open.by(this.factory.getRequiredNativeClient());
			synchronized (this) {
				if (this.closed) {
					opened.connection().closeAsync();
				}
				else {
					this.open = opened;
				}
			}
			return opened;
		}
		finally {
			synchronized (this) {
				this.opening = null;
			}
		}
	}

	/**
	 * A call that was sent.
	 */
	final class Call {

		private final Script script;

		private final byte[][] keys;

		private final byte[][] values;

		private final CompletableFuture<List<?>> sent;

		private boolean givenUp;

		Call(Script script, byte[][] keys, byte[][] values, CompletableFuture<List<?>> sent) {
			this.script = script;
			this.keys = keys;
			this.values = values;
			this.sent = sent;
		}

		/**
		 * Wait for the reply. If the server does not know the script, it is sent again
		 * with its text.
		 */
		Reply reply() {
			if (this.givenUp) {
				throw late(null);
			}
			try {
				return new Reply(await(this.sent));
			}
			catch (UnknownScriptException ex) {
				return new Reply(get((server) -> server.<List<?>>eval(this.script.text(), ScriptOutputType.MULTI,
						this.keys, this.values)));
			}
		}

		/**
		 * Wait no more, unless it is answered.
		 */
		void giveUp() {
			if (!this.sent.isDone()) {
				this.givenUp = true;
				this.sent.cancel(true);
			}
		}

	}

	private static final class UnknownScriptException extends JobStoreException {

		UnknownScriptException(Throwable cause) {
			super("Redis does not know the script", cause, true);
		}

	}

	/**
	 * An open connection.
	 */
	private record Open(AbstractRedisClient client, StatefulConnection<byte[], byte[]> connection,
			RedisClusterAsyncCommands<byte[], byte[]> commands) {

		static Open by(AbstractRedisClient client) {
			if (client instanceof RedisClusterClient cluster) {
				StatefulRedisClusterConnection<byte[], byte[]> connection = cluster.connect(ByteArrayCodec.INSTANCE);
				return new Open(client, connection, connection.async());
			}
			StatefulRedisConnection<byte[], byte[]> connection = ((RedisClient) client)
				.connect(ByteArrayCodec.INSTANCE);
			return new Open(client, connection, connection.async());
		}

		boolean isUsable(LettuceConnectionFactory factory) {
			return this.connection.isOpen() && this.client == factory.getNativeClient();
		}

	}

}
