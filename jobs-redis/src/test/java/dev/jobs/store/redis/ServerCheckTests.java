package dev.jobs.store.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobs.build.Ports;
import dev.jobs.store.redis.check.ServerCheck;
import dev.jobs.store.redis.check.ServerReport;
import dev.jobs.store.redis.check.ServerReport.Finding;
import dev.jobs.store.redis.check.ServerReport.Problem;
import dev.jobs.store.redis.check.ServerReport.Server;
import dev.jobs.test.ExpectsFaults;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import redis.embedded.RedisServer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerCheck} on servers of its own.
 */
class ServerCheckTests {

	private static final Duration PATIENCE = Duration.ofSeconds(90);

	private static final RedisDurability REPLICATED = RedisDurability.replicated(1, Duration.ofSeconds(1));

	private final Logger logger = (Logger) LoggerFactory.getLogger(ServerCheck.class);

	private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

	private final List<AutoCloseable> opened = new ArrayList<>();

	private final int port = Ports.reserve();

	@TempDir
	private Path directory;

	@BeforeEach
	void capture() {
		this.logged.list = Collections.synchronizedList(this.logged.list);
		this.logged.start();
		this.logger.setLevel(Level.INFO);
		this.logger.addAppender(this.logged);
	}

	@AfterEach
	void close() throws Exception {
		this.logger.detachAppender(this.logged);
		for (AutoCloseable one : this.opened) {
			one.close();
		}
	}

	private RedisServer serve(int port, String... settings) {
		List<String> all = new ArrayList<>(List.of("save \"\"", "dir " + this.directory));
		all.addAll(List.of(settings));
		RedisServer server = TestRedis.start(port, all);
		this.opened.add(0, () -> TestRedis.stop(server));
		return server;
	}

	private LettuceConnectionFactory factory(RedisStandaloneConfiguration configuration) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		this.opened.add(0, () -> TestRedis.destroy(factory));
		return factory;
	}

	private LettuceConnectionFactory factory() {
		return factory(new RedisStandaloneConfiguration("127.0.0.1", this.port));
	}

	private ServerCheck start(LettuceConnectionFactory factory, RedisDurability durability) {
		ServerCheck check = new ServerCheck(factory, durability, Duration.ofMillis(50));
		this.opened.add(0, check);
		check.start();
		return check;
	}

	private Server look(LettuceConnectionFactory factory, RedisDurability durability) {
		ServerCheck check = start(factory, durability);
		Awaitility.await().atMost(PATIENCE).until(() -> check.report().isPresent());
		return check.report().map(ServerReport::servers).orElseThrow().get(0);
	}

	private List<String> logged(Level level) {
		synchronized (this.logged.list) {
			return this.logged.list.stream()
				.filter((event) -> event.getLevel() == level)
				.map(ILoggingEvent::getFormattedMessage)
				.toList();
		}
	}

	private RedisCommands<String, String> commands(int port) {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", port));
		StatefulRedisConnection<String, String> connection = client.connect();
		this.opened.add(0, client::shutdown);
		return connection.sync();
	}

	@Test
	void fitServerIsNotComplainedOf() {
		serve(this.port, "appendonly yes", "appendfsync everysec");
		Server server = look(factory(), RedisDurability.ofServer());
		assertThat(server.findings()).isEmpty();
		assertThat(server.unchecked()).isEmpty();
		assertThat(server.version()).startsWith("6.2");
		assertThat(server.address()).isEqualTo("127.0.0.1:" + this.port);
		assertThat(this.logged.list).isEmpty();
	}

	@Test
	void eachProblemIsWarnedOfWithItsRemedy() {
		serve(this.port, "appendonly no", "maxmemory-policy allkeys-lru");
		Server server = look(factory(), REPLICATED);
		assertThat(server.findings()).extracting(Finding::problem)
			.containsExactly(Problem.EVICTS, Problem.NO_APPEND_ONLY_FILE, Problem.TOO_FEW_REPLICAS);
		assertThat(logged(Level.WARN)).hasSize(3)
			.anyMatch((line) -> line.contains("allkeys-lru") && line.contains("Set 'maxmemory-policy noeviction'"))
			.anyMatch((line) -> line.contains("Set 'appendonly yes'"))
			.anyMatch((line) -> line.contains("Attach replicas, or set jobs.redis.durability=default"))
			.allMatch((line) -> line.contains("127.0.0.1:" + this.port));
	}

	@Test
	void appendOnlyFileThatIsNotSyncedIsWarnedOf() {
		serve(this.port, "appendonly yes", "appendfsync no");
		assertThat(look(factory(), RedisDurability.ofServer()).findings()).extracting(Finding::problem)
			.containsExactly(Problem.NO_FSYNC);
		assertThat(logged(Level.WARN)).singleElement().asString().contains("appendfsync everysec");
	}

	@Test
	void masterWithEnoughReplicasIsNotComplainedOf() {
		serve(this.port, "appendonly yes");
		int replica = Ports.reserve();
		serve(replica, "replicaof 127.0.0.1 " + this.port, "dbfilename replica.rdb");
		RedisCommands<String, String> master = commands(this.port);
		Awaitility.await().atMost(PATIENCE).until(() -> master.info("replication").contains("connected_slaves:1"));
		assertThat(look(factory(), REPLICATED).findings()).isEmpty();
	}

	@Test
	void userWhoMayNotReadTheConfigurationGetsWhatInfoTells() {
		serve(this.port, "appendonly yes", "maxmemory-policy volatile-ttl");
		Server server = look(factoryOfUserWithout(CommandType.CONFIG), RedisDurability.ofServer());
		assertThat(server.findings()).extracting(Finding::problem).containsExactly(Problem.EVICTS);
		assertThat(server.unchecked()).containsExactly("'appendfsync'");
		assertThat(logged(Level.INFO)).singleElement().asString().contains("'appendfsync'");
		assertThat(logged(Level.WARN)).hasSize(1);
	}

	@Test
	void userWithoutPermissionsIsReported() {
		serve(this.port, "maxmemory-policy volatile-ttl");
		Server server = look(factoryOfUserWithout(CommandType.CONFIG, CommandType.INFO), REPLICATED);
		assertThat(server.findings()).isEmpty();
		assertThat(logged(Level.INFO)).singleElement()
			.asString()
			.contains("the version, 'maxmemory-policy', 'appendonly', its replicas");
		assertThat(logged(Level.WARN)).isEmpty();
	}

	private LettuceConnectionFactory factoryOfUserWithout(CommandType... forbidden) {
		AclSetuserArgs rights = AclSetuserArgs.Builder.on().addPassword("secret").allKeys().allChannels().allCommands();
		for (CommandType command : forbidden) {
			rights.removeCommand(command);
		}
		commands(this.port).aclSetuser("app", rights);
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", this.port);
		configuration.setUsername("app");
		configuration.setPassword("secret");
		return factory(configuration);
	}

	@Test
	@ExpectsFaults("version 6.0")
	void serverThatIsTooOldIsAnError() throws IOException {
		serve(this.port, "appendonly yes");
		try (ReplyProxy proxy = new ReplyProxy(this.port)) {
			proxy.falsify((reply) -> reply.replace("redis_version:6.2", "redis_version:6.0"));
			Server server = look(factory(new RedisStandaloneConfiguration("127.0.0.1", proxy.port())),
					RedisDurability.ofServer());
			assertThat(server.findings()).extracting(Finding::problem).containsExactly(Problem.TOO_OLD);
		}
		assertThat(logged(Level.ERROR)).singleElement().asString().contains("version 6.0", "6.2 or later", "Upgrade");
	}

	@Test
	void eachMasterOfAClusterIsChecked() {
		LettuceConnectionFactory factory = TestRedisCluster.shared()
			.connect(LettuceClientConfiguration.defaultConfiguration());
		this.opened.add(0, () -> TestRedis.destroy(factory));
		ServerCheck check = start(factory, RedisDurability.ofServer());
		Awaitility.await().atMost(PATIENCE).until(() -> check.report().isPresent());
		List<String> masters = TestRedisCluster.shared().masters().stream().map((port) -> "127.0.0.1:" + port).toList();
		assertThat(check.report().orElseThrow().servers()).extracting(Server::address)
			.containsExactlyInAnyOrderElementsOf(masters);
		Awaitility.await()
			.atMost(PATIENCE)
			.untilAsserted(() -> assertThat(logged(Level.WARN)).hasSize(3)
				.allMatch((line) -> line.contains("Set 'appendonly yes'")));
	}

	@Test
	void serverThatComesUpLaterIsChecked() {
		ServerCheck check = start(factory(), RedisDurability.ofServer());
		assertThat(check.report()).isEmpty();
		serve(this.port, "appendonly no");
		Awaitility.await().atMost(PATIENCE).until(() -> logged(Level.WARN).size() == 1);
		assertThat(check.report()).isPresent();
	}

	@Test
	void sameServerIsWarnedOfOnceAndAnotherOneAgain() {
		RedisServer first = serve(this.port, "appendonly no");
		LettuceConnectionFactory factory = factory();
		ping(factory);
		ServerCheck check = start(factory, RedisDurability.ofServer());
		Awaitility.await().atMost(PATIENCE).until(() -> check.report().isPresent());
		ServerReport before = check.report().orElseThrow();
		commands(this.port).clientKill(KillArgs.Builder.typeNormal().skipme());
		Awaitility.await().atMost(PATIENCE).until(() -> check.report().orElseThrow() != before);
		assertThat(logged(Level.WARN)).hasSize(1);
		TestRedis.stop(first);
		serve(this.port, "appendonly no");
		Awaitility.await().atMost(PATIENCE).until(() -> logged(Level.WARN).size() == 2);
	}

	private static void ping(LettuceConnectionFactory factory) {
		try (RedisConnection connection = factory.getConnection()) {
			connection.ping();
		}
	}

}
