package dev.jobs.benchmarks.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.UUID;

import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.redis.RedisJobStore;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import org.jspecify.annotations.Nullable;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Stores in one Redis, each in a namespace of its own: a server that the benchmarks start
 * as a process of its own, without persistence, or one that runs already.
 */
public final class RedisStores implements ServerStores {

	private static final String USED_MEMORY = "used_memory:";

	private final String url;

	private final Runnable stop;

	private final RedisURI uri;

	private final LettuceConnectionFactory factory;

	private final RedisCommands<String, String> commands;

	private RedisStores(String url, Runnable stop) {
		this.url = url;
		this.stop = stop;
		this.uri = uriOf(url);
		this.factory = new LettuceConnectionFactory(LettuceConnectionFactory.createRedisConfiguration(this.uri));
		this.factory.afterPropertiesSet();
		this.factory.start();
		try {
			this.commands = client().connect().sync();
		}
		catch (RedisException ex) {
			this.factory.destroy();
			stop.run();
			throw new UsageException("No Redis answers at " + url);
		}
	}

	/**
	 * Use a server.
	 * @param url where it is, or {@code null} to start one
	 * @return the stores
	 */
	public static RedisStores at(@Nullable String url) {
		return (url != null) ? new RedisStores(url, () -> {
		}) : embedded();
	}

	private static RedisStores embedded() {
		try {
			int port = Ports.reserve();
			RedisServer server = RedisServer.newRedisServer()
				.port(port)
				.bind("127.0.0.1")
				.setting("save \"\"")
				.setting("appendonly no")
				.onShutdownForceStop(true)
				.build();
			server.start();
			Thread atExit = new Thread(() -> stop(server));
			Runtime.getRuntime().addShutdownHook(atExit);
			return new RedisStores("redis://127.0.0.1:" + port, () -> {
				Runtime.getRuntime().removeShutdownHook(atExit);
				stop(server);
			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Redis cannot be started here; pass the --url of one that runs", ex);
		}
	}

	private static void stop(RedisServer server) {
		try {
			server.stop();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static RedisURI uriOf(String url) {
		try {
			return RedisURI.create(url);
		}
		catch (IllegalArgumentException ex) {
			throw new UsageException("--url must be like redis://localhost:6379 but was '" + url + "'");
		}
	}

	@Override
	public String newNamespace() {
		return "benchmark-" + UUID.randomUUID();
	}

	@Override
	public Opened open(String namespace) {
		RedisJobStore store = new RedisJobStore(this.factory, namespace);
		return new Opened() {

			@Override
			public JobStore store() {
				return store;
			}

			@Override
			public void close() {
				store.close();
				purge(namespace);
			}

		};
	}

	/**
	 * Open a connection beside those of the stores.
	 */
	public StatefulRedisConnection<byte[], byte[]> connect() {
		return client().connect(ByteArrayCodec.INSTANCE);
	}

	/**
	 * Remove all keys of a namespace, and wait until their memory is free, so that the
	 * next measurement is not disturbed.
	 */
	public void purge(String namespace) {
		ScanArgs matching = ScanArgs.Builder.matches("{" + namespace + ":*").limit(1000);
		KeyScanCursor<String> page = this.commands.scan(ScanCursor.INITIAL, matching);
		while (true) {
			if (!page.getKeys().isEmpty()) {
				this.commands.del(page.getKeys().toArray(String[]::new));
			}
			if (page.isFinished()) {
				return;
			}
			page = this.commands.scan(page, matching);
		}
	}

	private RedisClient client() {
		return (RedisClient) this.factory.getRequiredNativeClient();
	}

	@Override
	public Watch watch() {
		return new CommandLog(this.uri);
	}

	/** Shorter ones than a millisecond are not logged. */
	@Override
	public long slowest() {
		long micros = this.commands.slowlogGet(1000)
			.stream()
			.mapToLong((entry) -> (Long) ((List<?>) entry).get(2))
			.max()
			.orElse(0);
		this.commands.configSet("slowlog-log-slower-than", "1000");
		this.commands.configSet("slowlog-max-len", "1000");
		this.commands.slowlogReset();
		return micros * 1000;
	}

	@Override
	public long usedBytes() {
		return this.commands.info("memory")
			.lines()
			.filter((line) -> line.startsWith(USED_MEMORY))
			.mapToLong((line) -> Long.parseLong(line.substring(USED_MEMORY.length())))
			.findFirst()
			.orElseThrow();
	}

	@Override
	public String url() {
		return this.url;
	}

	@Override
	public void close() {
		this.factory.destroy();
		this.stop.run();
	}

}
