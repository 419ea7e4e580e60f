package dev.jobs.store.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A user with exactly the documented permissions, in the namespaces of the tests, and its
 * server. All suites on a single server run as this user.
 */
final class TestRedisUser implements AutoCloseable {

	private static final Path DOCS = Path.of("..", "docs", "stores", "redis.md");

	private final int port = Ports.reserve();

	private final RedisServer server = TestRedis.start(this.port, List.of("save \"\"", "appendonly no"));

	private final RedisClient admin = RedisClient.create(RedisURI.create("127.0.0.1", this.port));

	private final StatefulRedisConnection<String, String> connection = this.admin.connect();

	TestRedisUser() {
		allowWhatIsDocumented();
	}

	/**
	 * Return a store of a new namespace, connected as the user that suites share.
	 */
	static JobStore createStore() {
		return new RedisJobStore(Shared.FACTORY, TestRedis.newNamespace());
	}

	/**
	 * Connect as the user.
	 */
	LettuceConnectionFactory connect() {
		RedisStandaloneConfiguration place = new RedisStandaloneConfiguration("127.0.0.1", this.port);
		place.setUsername("jobs");
		place.setPassword("secret");
		LettuceConnectionFactory factory = new LettuceConnectionFactory(place);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	void allowWhatIsDocumented() {
		try {
			Matcher documented = Pattern.compile("(?m)^ACL SETUSER jobs (.*)$").matcher(Files.readString(DOCS));
			assertThat(documented.find()).isTrue();
			allow("reset " + documented.group(1).replace("jobs:", "test-*:"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Change what the user may do.
	 * @param rules the rules of the server for it
	 */
	void allow(String rules) {
		CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("jobs");
		List.of(rules.split(" ")).forEach(arguments::add);
		commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
	}

	/**
	 * Return the commands of somebody who may do anything.
	 */
	RedisCommands<String, String> commands() {
		return this.connection.sync();
	}

	@Override
	public void close() {
		this.connection.close();
		this.admin.shutdown();
		TestRedis.stop(this.server);
	}

	private static final class Shared {

		private static final TestRedisUser USER = new TestRedisUser();

		private static final LettuceConnectionFactory FACTORY = USER.connect();

		static {
			Runtime.getRuntime().addShutdownHook(new Thread(USER::close));
		}

	}

}
