package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
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
import dev.jobs.store.StoreFault;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.protocol.CommandType;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A way of its own to the server, opened at the first use and again whenever it was lost
 * or silent. No call waits longer than the time-out, and none is given up for an
 * interruption, which would leave its fate unknown. A call whose connection is lost
 * fails: no script runs twice unknown to the caller.
 */
final class Link implements AutoCloseable {

	/**
	 * Seldom enough for the log, in which the driver names each node it does not reach.
	 */
	private static final Executor AFTER_A_WHILE = CompletableFuture.delayedExecutor(2, TimeUnit.SECONDS);

	private final LettuceConnectionFactory factory;

	private final Duration timeout;

	private final Connector connector;

	private final AtomicBoolean looking = new AtomicBoolean();

	private final KeyFaults keyFaults;

	Link(LettuceConnectionFactory factory, Duration timeout, KeyFaults keyFaults) {
		this.factory = factory;
		this.timeout = timeout;
		this.keyFaults = keyFaults;
		this.connector = new Connector(factory, timeout);
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
		return new Call(script, keys, arguments.toArray());
	}

	/**
	 * Wait until calls are answered. Once one is, the others have a short time left, and
	 * what is not answered then is given up. A single call is left to be waited for.
	 */
	void await(List<Call> calls) {
		if (calls.size() > 1) {
			Waiting.forAll(calls.stream().map((call) -> call.sent.answer()).toList(), this.timeout);
			calls.forEach(Call::giveUp);
		}
	}

	/**
	 * Ask for a key, without waiting for the answer.
	 */
	CompletableFuture<?> ask(byte[] key) {
		return start((connection) -> connection.commands().get(key).toCompletableFuture()).answer();
	}

	/**
	 * Wait until replicas have what was written by the calls before this one, or the time
	 * for it is over.
	 * @return how many have it
	 */
	int replicasOf(byte[] key, RedisDurability durability) {
		Sent<CompletableFuture<Long>> sent = start(
				(connection) -> connection.waitForReplicas(key, durability).toCompletableFuture());
		try {
			return Math.toIntExact(Waiting.get(sent.answer(), durability.timeout().plus(this.timeout)));
		}
		catch (CancellationException | ExecutionException | TimeoutException ex) {
			throw late(sent, ex);
		}
	}

	/**
	 * Send a command for one key and wait for its reply.
	 */
	<T> T get(byte[] key, BiFunction<RedisClusterAsyncCommands<byte[], byte[]>, byte[], RedisFuture<T>> command) {
		try {
			return await(start((connection) -> command.apply(connection.commands(), key).toCompletableFuture()));
		}
		catch (WrongTypeException ex) {
			throw JobStoreException.refused("The key " + new String(key, StandardCharsets.UTF_8)
					+ " holds what it must not; restore it, or delete or rename it", ex, true);
		}
	}

	private <A extends CompletableFuture<?>> Sent<A> start(Function<Connection, A> command) {
		Connection connection = connection();
		try {
			return new Sent<>(connection, command.apply(connection));
		}
		catch (RedisException ex) {
			lookForMasters();
			throw Faults.of(ex);
		}
	}

	boolean isCurrent(Connection connection) {
		return connection == this.connector.current();
	}

	/**
	 * Return the connection, opened if there is none.
	 */
	Connection connection() {
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
			throw Faults.unsent(ex);
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
			return Waiting.get(future, this.timeout);
		}
		catch (CancellationException ex) {
			throw new JobStoreException("The connection to Redis was closed", ex, true);
		}
		catch (ExecutionException ex) {
			Throwable cause = (ex.getCause() != null) ? ex.getCause() : ex;
			if (cause instanceof RedisNoScriptException) {
				throw new UnknownScriptException(cause);
			}
			if (Faults.isOfType(cause)) {
				throw new WrongTypeException(cause);
			}
			lookForMasters();
			throw Faults.of(cause);
		}
	}

	private JobStoreException late(Sent<?> sent, @Nullable Throwable cause) {
		lookForMasters();
		this.connector.replace(sent.connection());
		return new JobStoreException("Redis did not answer within " + this.timeout, cause, true);
	}

	/**
	 * Have the client of a cluster learn which nodes are masters now. By itself it only
	 * does so some time after it lost a connection, and never for a node that it had none
	 * to.
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

	boolean isCluster() {
		return this.factory.getRequiredNativeClient() instanceof RedisClusterClient;
	}

	@Override
	public void close() {
		this.connector.close();
	}

	/**
	 * A call that was sent.
	 */
	final class Call {

		private final Script script;

		private final byte[][] keys;

		private final byte[][] values;

		private final Sent<Evaluation> sent;

		private boolean givenUp;

		Call(Script script, byte[][] keys, byte[][] values) {
			this.script = script;
			this.keys = keys;
			this.values = values;
			this.sent = evaluate(script, values);
		}

		private Sent<Evaluation> evaluate(Script script, byte[][] values) {
			return send(CommandType.EVALSHA, script.digest().getBytes(StandardCharsets.US_ASCII), values);
		}

		private Sent<Evaluation> send(CommandType type, byte[] what, byte[][] values) {
			Evaluation evaluation = new Evaluation(type, what, this.keys, values);
			return start((connection) -> {
				connection.wire().dispatch(evaluation);
				return evaluation;
			});
		}

		private Reply reply(Script script, byte[][] values, Sent<Evaluation> sent) {
			try {
				return reply(sent);
			}
			catch (UnknownScriptException ex) {
				return reply(send(CommandType.EVAL, script.text(), values));
			}
			catch (JobStoreException ex) {
				throw Faults.explained(ex, script);
			}
		}

		/**
		 * Wait for the reply. If the server does not know the script, it is sent again
		 * with its text. If a key holds what it must not, nothing was written, and the
		 * script is sent again after a look that may have set the key aside.
		 */
		Reply reply() {
			if (this.givenUp) {
				throw late(this.sent, null);
			}
			try {
				return reply(this.script, this.values, this.sent);
			}
			catch (WrongTypeException ex) {
				byte[][] thoroughly = Arguments.at(Instant.EPOCH).add(1).toArray();
				Reply found = reply(Script.SOUND, thoroughly, evaluate(Script.SOUND, thoroughly));
				return replyAfter(Link.this.keyFaults.read(this.keys[0], found));
			}
		}

		private Reply replyAfter(List<StoreFault> faults) {
			try {
				return reply(this.script, this.values, evaluate(this.script, this.values));
			}
			catch (WrongTypeException ex) {
				throw JobStoreException.refused(faults.stream()
					.filter(StoreFault::stopsWork)
					.map(StoreFault::text)
					.collect(Collectors.joining(". ", "Redis refused: ", "")), ex, true);
			}
		}

		private Reply reply(Sent<Evaluation> sent) {
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
		 * Do something with the reply when it comes, on the thread that brings it, unless
		 * it is a fault.
		 */
		void whenThere(Consumer<Reply> action) {
			Evaluation evaluation = this.sent.answer();
			evaluation.thenAccept((elements) -> {
				if (evaluation.isSentOnce()) {
					action.accept(new Reply(elements));
				}
			});
		}

		/**
		 * Return whether waiting for the reply will not take long.
		 */
		boolean isAnswered() {
			return this.sent.answer().isDone();
		}

		/**
		 * Wait no more, unless it is answered.
		 */
		void giveUp() {
			if (!isAnswered()) {
				this.givenUp = true;
				this.sent.answer().cancel(true);
			}
		}

	}

	private record Sent<A extends CompletableFuture<?>>(Connection connection, A answer) {
	}

	private static final class WrongTypeException extends JobStoreException {

		WrongTypeException(Throwable cause) {
			super("A key in Redis holds what it must not", cause, true);
		}

	}

	private static final class UnknownScriptException extends JobStoreException {

		UnknownScriptException(Throwable cause) {
			super("Redis does not know the script", cause, true);
		}

	}

}
