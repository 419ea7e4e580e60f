package dev.jobs.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import redis.embedded.RedisServer;

/**
 * Redis servers for tests.
 */
public final class Redis implements AutoCloseable {

	private final RedisServer server;

	private final int port;

	private Redis(RedisServer server, int port) {
		this.server = server;
		this.port = port;
	}

	public static Redis start() {
		return startOn(freePort());
	}

	public static Redis startOn(int port) {
		try {
			RedisServer server = RedisServer.newRedisServer()
				.port(port)
				.bind("127.0.0.1")
				.onShutdownForceStop(true)
				.build();
			server.start();
			return new Redis(server, port);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return a port that nobody listens on.
	 */
	public static int freePort() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Let nobody in who does not know a password.
	 */
	public void requirePassword(String password) {
		try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.port))) {
			client.connect().sync().configSet("requirepass", password);
		}
	}

	public int port() {
		return this.port;
	}

	@Override
	public void close() {
		try {
			this.server.stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
