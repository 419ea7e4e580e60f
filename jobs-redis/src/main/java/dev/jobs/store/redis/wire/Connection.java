package dev.jobs.store.redis.wire;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.BaseRedisAsyncCommands;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * An open connection.
 *
 * @param client the client it was opened with
 * @param wire the connection itself
 * @param commands the commands that go over it
 */
public record Connection(AbstractRedisClient client, StatefulConnection<byte[], byte[]> wire,
		RedisClusterAsyncCommands<byte[], byte[]> commands) {

	/**
	 * Open a connection. The application's configuration bounds how long the driver
	 * waits.
	 */
	static Connection open(AbstractRedisClient client) {
		if (client instanceof RedisClusterClient cluster) {
			StatefulRedisClusterConnection<byte[], byte[]> wire = cluster.connect(ByteArrayCodec.INSTANCE);
			return new Connection(client, wire, wire.async());
		}
		StatefulRedisConnection<byte[], byte[]> wire = ((RedisClient) client).connect(ByteArrayCodec.INSTANCE);
		return new Connection(client, wire, wire.async());
	}

	/**
	 * Begin to open a connection on its own thread, so that the caller may stop waiting.
	 * @param <C> what is opened
	 * @param opener opens it
	 * @return the opened connection, once it is open
	 */
	public static <C> CompletableFuture<C> begin(Callable<C> opener) {
		CompletableFuture<C> future = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				future.complete(opener.call());
			}
			catch (Throwable ex) {
				future.completeExceptionally(ex);
			}
		}, "jobs-redis-connect");
		thread.setDaemon(true);
		thread.start();
		return future;
	}

	/**
	 * Make the server wait until replicas have the writes of this connection to the node
	 * of a key.
	 */
	RedisFuture<Long> waitForReplicas(byte[] key, int replicas, Duration timeout) {
		return commandsTo(key).waitForReplication(replicas, timeout.toMillis());
	}

	@SuppressWarnings("unchecked")
	private BaseRedisAsyncCommands<byte[], byte[]> commandsTo(byte[] key) {
		if (!(this.client instanceof RedisClusterClient cluster)) {
			return this.commands;
		}
		RedisURI master = cluster.getPartitions().getMasterBySlot(SlotHash.getSlot(key)).getUri();
		return ((StatefulRedisClusterConnection<byte[], byte[]>) this.wire)
			.getConnection(master.getHost(), master.getPort())
			.async();
	}

	boolean isUsable(LettuceConnectionFactory factory) {
		return this.wire.isOpen() && this.client == factory.getNativeClient();
	}

	/**
	 * Run an action when the connection is lost, before the driver reopens it. A
	 * connection to a cluster is never lost as a whole.
	 */
	void onLost(Runnable action) {
		if (this.client instanceof RedisClusterClient) {
			return;
		}
		this.wire.addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
				action.run();
			}

		});
	}

	/**
	 * Close the connection. Calls that wait for a reply fail.
	 */
	void close() {
		if (this.wire.isOpen()) {
			this.wire.closeAsync();
		}
	}

}
