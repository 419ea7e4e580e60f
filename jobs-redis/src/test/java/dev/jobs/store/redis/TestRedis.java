package dev.jobs.store.redis;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;
import redis.embedded.core.ExecutableProvider;

/**
 * The Redis server of the tests: one for all of them, each with a namespace of its own.
 * The system property {@code jobs.test.redis} names a running one to be used instead of
 * the embedded one; {@code jobs.test.redis.executable} is what all other servers are
 * started from, so the same tests run on a newer Redis.
 */
final class TestRedis {

	private static final String PROPERTY = "jobs.test.redis";

	private static final String PROPERTY_OF_EXECUTABLE = "jobs.test.redis.executable";

	static final int BUS_OFFSET = 10_000;

	private static final LettuceConnectionFactory FACTORY = connect(serverUri());

	private TestRedis() {
	}

	static LettuceConnectionFactory factory() {
		return FACTORY;
	}

	static String newNamespace() {
		return "test-" + UUID.randomUUID();
	}

	static JobStore createStore() {
		return new RedisJobStore(FACTORY, newNamespace());
	}

	static void destroyStore(JobStore store) {
		((RedisJobStore) store).close();
	}

	/**
	 * Return the plain commands of the server, in text.
	 */
	static RedisCommands<String, String> commands() {
		return Commands.SYNC;
	}

	static LettuceConnectionFactory connect(URI server) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(server.getHost(), server.getPort()));
		factory.afterPropertiesSet();
		factory.start();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> destroy(factory)));
		return factory;
	}

	/**
	 * Return a client for single nodes that tells at once when one is gone.
	 */
	static RedisClient nodeClient() {
		RedisClient client = RedisClient.create();
		client.setOptions(ClientOptions.builder()
			.autoReconnect(false)
			.disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
			.build());
		return client;
	}

	/**
	 * Close what a factory has opened. The driver may wait for ever for a connection that
	 * was in the making to a server that is gone, so it is waited for a while only.
	 */
	static void destroy(LettuceConnectionFactory factory) {
		Thread closer = new Thread(factory::destroy, "close-redis");
		closer.setDaemon(true);
		closer.start();
		try {
			closer.join(Duration.ofSeconds(10).toMillis());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Return what servers are started from.
	 */
	static ExecutableProvider executable() {
		String external = System.getProperty(PROPERTY_OF_EXECUTABLE);
		return (external != null) ? () -> new File(external) : ExecutableProvider.newJarResourceProvider();
	}

	static RedisServer start(int port, List<String> settings) {
		return start(port, settings, executable());
	}

	static RedisServer start(int port, List<String> settings, ExecutableProvider executable) {
		try {
			redis.embedded.core.RedisServerBuilder builder = RedisServer.newRedisServer()
				.port(port)
				.bind("127.0.0.1")
				.onShutdownForceStop(true)
				.executableProvider(executable);
			settings.forEach(builder::setting);
			RedisServer server = builder.build();
			server.start();
			return server;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static void stop(RedisServer server) {
		try {
			server.stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static URI serverUri() {
		String external = System.getProperty(PROPERTY);
		if (external != null) {
			return URI.create(external);
		}
		int port = Ports.reserve();
		RedisServer server = start(port, List.of("save \"\"", "appendonly no"));
		Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
		return URI.create("redis://127.0.0.1:" + port);
	}

	private static final class Commands {

		private static final RedisCommands<String, String> SYNC = ((RedisClient) FACTORY.getRequiredNativeClient())
			.connect()
			.sync();

	}

}
