package dev.jobs.store.redis.wire;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.jobs.JobStoreException;
import dev.jobs.store.support.StoreFault;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Sends scripts and commands over its own connection, which is opened at the first use
 * and reopened when it was lost or silent. No call waits longer than the time-out. An
 * interruption does not end a call, since its outcome would be unknown. A call whose
 * connection is lost fails: no script runs twice without the caller's knowledge.
 */
public final class Link implements AutoCloseable {

	/**
	 * The pause between attempts, long because the driver logs each node that it does not
	 * reach.
	 */
	private static final Executor AFTER_A_WHILE = CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS);

	private final LettuceConnectionFactory factory;

	private final Duration timeout;

	private final Connector connector;

	private final AtomicBoolean looking = new AtomicBoolean();

	private final BiFunction<Link, Partition, List<StoreFault>> keyCheck;

	/**
	 * Create a link.
	 * @param factory where connections come from
	 * @param timeout how long a reply may take
	 * @param keyCheck checks the keys of a partition when a script met one of the wrong
	 * type, and returns what it found
	 */
	public Link(LettuceConnectionFactory factory, Duration timeout,
			BiFunction<Link, Partition, List<StoreFault>> keyCheck) {
		this.factory = factory;
		this.timeout = timeout;
		this.keyCheck = keyCheck;
		this.connector = new Connector(factory, timeout);
	}

	/**
	 * Run a script in a partition and wait for its reply.
	 */
	public Reply run(Script script, Partition partition, Arguments arguments) {
		return send(script, partition, arguments).reply();
	}

	/**
	 * Run a script once, whatever types the keys have.
	 */
	public Reply runOnce(Script script, Partition partition, Arguments arguments) {
		return send(script, partition, arguments).replyOnce();
	}

	/**
	 * Send a script to a partition. Calls sent one after the other to the same partition
	 * run in this order.
	 */
	public Call send(Script script, Partition partition, Arguments arguments) {
		return new Call(script, partition, arguments.toArray());
	}

	/**
	 * Wait for the replies to several calls. After the first reply the others have a
	 * short time left, then they are given up. Not for a single call.
	 */
	public void await(List<Call> calls) {
		if (calls.size() > 1) {
			Futures.forAll(calls.stream().map((call) -> call.sent.answer()).toList(), this.timeout);
			calls.forEach(Call::giveUp);
		}
	}

	/**
	 * Ping a partition without waiting for the reply.
	 */
	public CompletableFuture<?> ping(Partition partition) {
		byte[] key = partition.key("token");
		return start((connection) -> connection.commands().get(key).toCompletableFuture()).answer();
	}

	/**
	 * Wait until replicas of a partition have the writes of earlier calls, or the time is
	 * over.
	 * @return how many have them
	 */
	public int waitForReplicas(Partition partition, int replicas, Duration patience) {
		byte[] key = partition.key("jobs");
		Sent<CompletableFuture<Long>> sent = start(
				(connection) -> connection.waitForReplicas(key, replicas, patience).toCompletableFuture());
		try {
			return Math.toIntExact(Futures.get(sent.answer(), patience.plus(this.timeout)));
		}
		catch (CancellationException | ExecutionException | TimeoutException ex) {
			throw late(sent, ex);
		}
	}

	/**
	 * Send a command for one key and wait for its reply.
	 */
	public <T> T get(Partition partition, String name,
			BiFunction<RedisClusterAsyncCommands<byte[], byte[]>, byte[], RedisFuture<T>> command) {
		return get(partition.key(name), command);
	}

	private <T> T get(byte[] key,
			BiFunction<RedisClusterAsyncCommands<byte[], byte[]>, byte[], RedisFuture<T>> command) {
		try {
			return await(start((connection) -> command.apply(connection.commands(), key).toCompletableFuture()));
		}
		catch (WrongTypeException ex) {
			throw JobStoreException.refused("The key " + new String(key, StandardCharsets.UTF_8)
					+ " holds a value of the wrong type; restore it, or delete or rename it", ex, true);
		}
	}

	private <A extends CompletableFuture<?>> Sent<A> start(Function<Connection, A> command) {
		Connection connection = connection();
		try {
			return new Sent<>(connection, command.apply(connection));
		}
		catch (RedisException ex) {
			lookForMasters();
			throw RedisErrors.of(ex);
		}
	}

	public boolean isCurrent(Connection connection) {
		return connection == this.connector.current();
	}

	/**
	 * Return the connection, and open it if necessary.
	 */
	public Connection connection() {
		Connection current = this.connector.current();
		if (current != null) {
			return current;
		}
		try {
			return await(this.connector.open());
		}
		catch (TimeoutException ex) {
			throw JobStoreException.refused("Redis could not be connected to within " + this.timeout, ex, true);
		}
		catch (JobStoreException ex) {
			throw RedisErrors.unsent(ex);
		}
	}

	private <T> T await(Sent<? extends CompletableFuture<T>> sent) {
		try {
			return await(sent.answer());
		}
		catch (TimeoutException ex) {
			sent.answer().cancel(true);
			throw late(sent, ex);
		}
	}

	private <T> T await(Future<T> future) throws TimeoutException {
		try {
			return Futures.get(future, this.timeout);
		}
		catch (CancellationException ex) {
			throw new JobStoreException("The connection to Redis was closed", ex, true);
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			if (cause instanceof RedisNoScriptException) {
				throw new UnknownScriptException(cause);
			}
			if (RedisErrors.isOfType(cause)) {
				throw new WrongTypeException(cause);
			}
			lookForMasters();
			throw RedisErrors.of(cause);
		}
	}

	private JobStoreException late(Sent<?> sent, @Nullable Throwable cause) {
		lookForMasters();
		this.connector.replace(sent.connection());
		return new JobStoreException("Redis did not answer within " + this.timeout, cause, true);
	}

	/**
	 * Make a cluster client find out which nodes are masters now. By itself it does so
	 * only some time after it lost a connection, and never for a node that it was not
	 * connected to.
	 */
	private void lookForMasters() {
		Connection current = this.connector.current();
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

	public boolean isCluster() {
		return this.factory.getRequiredNativeClient() instanceof RedisClusterClient;
	}

	@Override
	public void close() {
		this.connector.close();
	}

	/**
	 * A call that was sent.
	 */
	public final class Call {

		private final Script script;

		private final Partition partition;

		private final byte[][] values;

		private final Sent<ScriptCommand> sent;

		private boolean givenUp;

		Call(Script script, Partition partition, byte[][] values) {
			this.script = script;
			this.partition = partition;
			this.values = values;
			this.sent = send(CommandType.EVALSHA, script.digest().getBytes(StandardCharsets.US_ASCII));
		}

		private Sent<ScriptCommand> send(CommandType type, byte[] what) {
			ScriptCommand evaluation = new ScriptCommand(type, what, this.partition.scriptKeys(), this.values);
			return start((connection) -> {
				connection.wire().dispatch(evaluation);
				return evaluation;
			});
		}

		private Reply replyOnce() {
			try {
				return reply(this.sent);
			}
			catch (UnknownScriptException ex) {
				return reply(send(CommandType.EVAL, this.script.text()));
			}
			catch (JobStoreException ex) {
				throw RedisErrors.explained(ex, this.script);
			}
		}

		/**
		 * Wait for the reply. If the server does not know the script, send it again with
		 * its text. If a key has the wrong type, nothing was written; send the script
		 * again after a check that may have renamed the key.
		 */
		public Reply reply() {
			if (this.givenUp) {
				throw late(this.sent, null);
			}
			try {
				return replyOnce();
			}
			catch (WrongTypeException ex) {
				return replyAfter(Link.this.keyCheck.apply(Link.this, this.partition));
			}
		}

		private Reply replyAfter(List<StoreFault> faults) {
			try {
				return new Call(this.script, this.partition, this.values).replyOnce();
			}
			catch (WrongTypeException ex) {
				throw JobStoreException.refused(faults.stream()
					.filter(StoreFault::stopsWork)
					.map(StoreFault::text)
					.collect(Collectors.joining(". ", "Redis refused: ", "")), ex, true);
			}
		}

		private Reply reply(Sent<ScriptCommand> sent) {
			try {
				Reply reply = new Reply(await(sent));
				sent.answer().requireSentOnce(null);
				return reply;
			}
			catch (JobStoreException ex) {
				sent.answer().requireSentOnce(ex);
				throw ex;
			}
		}

		/**
		 * Handle the reply when it comes, on the thread that brings it, unless it is an
		 * error.
		 */
		public void onReply(Consumer<Reply> action) {
			ScriptCommand evaluation = this.sent.answer();
			evaluation.thenAccept((elements) -> {
				if (evaluation.isSentOnce()) {
					action.accept(new Reply(elements));
				}
			});
		}

		/**
		 * Give the call up unless its reply has come.
		 */
		public void giveUp() {
			if (!this.sent.answer().isDone()) {
				this.givenUp = true;
				this.sent.answer().cancel(true);
			}
		}

	}

	private record Sent<A extends CompletableFuture<?>>(Connection connection, A answer) {
	}

	private static final class WrongTypeException extends JobStoreException {

		WrongTypeException(Throwable cause) {
			super("A key in Redis holds a value of the wrong type", cause, true);
		}

	}

	private static final class UnknownScriptException extends JobStoreException {

		UnknownScriptException(Throwable cause) {
			super("Redis does not know the script", cause, true);
		}

	}

}
