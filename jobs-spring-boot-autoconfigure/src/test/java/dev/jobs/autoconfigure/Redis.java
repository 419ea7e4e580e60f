package dev.jobs.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.Function;

import dev.jobs.build.Ports;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
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
		return startOn(Ports.reserve());
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
	 * Let nobody in who does not know a password.
	 */
	public void requirePassword(String password) {
		command((commands) -> commands.configSet("requirepass", password));
	}

	/**
	 * Make it a replica of another server.
	 */
	public void replicate(Redis other) {
		command((commands) -> commands.replicaof("127.0.0.1", other.port));
	}

	/**
	 * Make it a master.
	 */
	public void promote() {
		command(RedisCommands::replicaofNoOne);
	}

	private void command(Function<RedisCommands<String, String>, String> command) {
		try (RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.port))) {
			command.apply(client.connect().sync());
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
