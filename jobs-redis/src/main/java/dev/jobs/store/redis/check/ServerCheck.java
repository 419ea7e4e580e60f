package dev.jobs.store.redis.check;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import dev.jobs.JobStoreException;
import dev.jobs.store.redis.RedisDurability;
import dev.jobs.store.redis.check.ServerReport.Finding;
import dev.jobs.store.redis.check.ServerReport.Problem;
import dev.jobs.store.redis.check.ServerReport.Server;
import dev.jobs.store.redis.wire.Connection;
import dev.jobs.store.redis.wire.RedisErrors;
import dev.jobs.text.ErrorText;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.models.role.RedisInstance.Role;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Checks the servers behind a store as soon as they can be reached, and again after
 * connections were reopened, since another server may have taken over. A problem that may
 * cost jobs is logged as a warning, once for each server. A check never keeps the
 * application from starting.
 */
public final class ServerCheck implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(ServerCheck.class);

	private static final Duration PAUSE = Duration.ofSeconds(30);

	private static final Duration FIRST_RETRY = Duration.ofMillis(500);

	private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

	private final LettuceConnectionFactory factory;

	private final RedisDurability durability;

	private final Duration pause;

	private final ScheduledThreadPoolExecutor thread;

	private final RedisConnectionStateListener listener = new Reconnects();

	private volatile @Nullable ServerReport report;

	private volatile boolean checking;

	/** Whether a check, or the end of its pause, is scheduled. */
	private boolean scheduled;

	private boolean requested;

	private @Nullable AbstractRedisClient watched;

	private Set<String> logged = Set.of();

	/**
	 * Create a check.
	 * @param factory where connections come from
	 * @param durability what enqueues wait for
	 */
	public ServerCheck(LettuceConnectionFactory factory, RedisDurability durability) {
		this(factory, durability, PAUSE);
	}

	/**
	 * Create a check.
	 * @param factory where connections come from
	 * @param durability what enqueues wait for
	 * @param pause how long to rest between two checks, and the longest rest after a
	 * failed one
	 */
	public ServerCheck(LettuceConnectionFactory factory, RedisDurability durability, Duration pause) {
		this.factory = factory;
		this.durability = durability;
		this.pause = pause;
		this.thread = new ScheduledThreadPoolExecutor(1, (task) -> {
			Thread created = new Thread(task, "jobs-redis-check");
			created.setDaemon(true);
			return created;
		});
		this.thread.setKeepAliveTime(1, TimeUnit.SECONDS);
		this.thread.allowCoreThreadTimeOut(true);
		this.thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Start checking without waiting for a server.
	 */
	public synchronized void start() {
		request();
	}

	/**
	 * Open a connection, send a write command that writes nothing, and close it again.
	 * @param namespace the namespace of the store
	 * @throws JobStoreException if no connection can be opened within a few seconds, or
	 * the server takes no writes for now, as a replica; if a server rejected the
	 * application, the root cause is that error
	 */
	public void connect(String namespace) {
		AbstractRedisClient client = this.factory.getRequiredNativeClient();
		String nothing = "{" + namespace + ":0}:nothing";
		CompletableFuture<Long> written = (client instanceof RedisClusterClient cluster)
				? written(cluster::connect, (connection) -> connection.async().del(nothing))
				: written(((RedisClient) client)::connect, (connection) -> connection.async().del(nothing));
		try {
			written.get(LONGEST_WAIT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			refused((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (TimeoutException ex) {
			throw JobStoreException.refused("Redis does not reply", ex, true);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw JobStoreException.refused("Interrupted while Redis was connected to", ex, true);
		}
	}

	private static <C extends StatefulConnection<?, ?>> CompletableFuture<Long> written(Callable<C> opener,
			Function<C, CompletionStage<Long>> write) {
		return Connection.begin(opener)
			.thenCompose(
					(connection) -> write.apply(connection).whenComplete((reply, fault) -> connection.closeAsync()));
	}

	/**
	 * Report a server that rejected the application or takes no writes for now. Missing
	 * permissions are reported by the calls that need them.
	 */
	private void refused(Throwable cause) {
		JobStoreException fault = RedisErrors.of(cause);
		if (!RedisErrors.isAnswer(fault)) {
			throw fault;
		}
		if (fault.isTemporary()) {
			throw JobStoreException.refused("Redis at " + this.factory.getHostName() + ":" + this.factory.getPort()
					+ " takes no writes for now (" + cause.getMessage() + ")", cause, true);
		}
	}

	/**
	 * Return the report of the last check.
	 * @return the report, or empty as long as no server could be reached
	 */
	public Optional<ServerReport> report() {
		return Optional.ofNullable(this.report);
	}

	@Override
	public void close() {
		synchronized (this) {
			if (this.watched != null) {
				this.watched.removeListener(this.listener);
			}
		}
		this.thread.shutdownNow();
	}

	private synchronized void request() {
		this.requested = true;
		if (!this.scheduled) {
			this.scheduled = true;
			schedule(Duration.ZERO, FIRST_RETRY);
		}
	}

	private void schedule(Duration delay, Duration retry) {
		try {
			this.thread.schedule(() -> checkIfRequested(retry), delay.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (RejectedExecutionException ex) {
			logger.debug("The check has been closed");
		}
	}

	private void checkIfRequested(Duration retry) {
		synchronized (this) {
			if (!this.requested) {
				this.scheduled = false;
				return;
			}
			this.requested = false;
		}
		try {
			check();
			schedule(this.pause, FIRST_RETRY);
		}
		catch (Exception ex) {
			logger.debug("The server cannot be checked for now", ErrorText.loggable(ex));
			synchronized (this) {
				this.requested = true;
			}
			Duration next = retry.multipliedBy(2);
			schedule(retry, (next.compareTo(this.pause) < 0) ? next : this.pause);
		}
	}

	private void check() {
		this.checking = true;
		try {
			AbstractRedisClient client = this.factory.getRequiredNativeClient();
			ServerReport found = new ServerReport((client instanceof RedisClusterClient cluster) ? servers(cluster)
					: List.of(server((RedisClient) client)));
			this.report = found;
			log(found);
			watch(client);
		}
		finally {
			this.checking = false;
		}
	}

	private synchronized void watch(AbstractRedisClient client) {
		if (client != this.watched) {
			this.watched = client;
			client.addListener(this.listener);
		}
	}

	private void log(ServerReport found) {
		Set<String> now = new HashSet<>();
		for (Server server : found.servers()) {
			server.findings().forEach((finding) -> {
				String key = server.runId() + finding.problem();
				if (now.add(key) && !this.logged.contains(key)) {
					log(finding);
				}
			});
			String key = server.runId() + server.unchecked();
			if (!server.unchecked().isEmpty() && now.add(key) && !this.logged.contains(key)) {
				logger.info(
						"The Redis server {} does not permit checks of {}; make sure that they are as "
								+ "the documentation of the store says",
						server.address(), String.join(", ", server.unchecked()));
			}
		}
		this.logged = now;
	}

	private static void log(Finding finding) {
		if (finding.problem() == Problem.TOO_OLD) {
			logger.error(finding.message());
		}
		else {
			logger.warn(finding.message());
		}
	}

	private Server server(RedisClient client) {
		try (StatefulRedisConnection<String, String> connection = bounded(client.connect())) {
			return examine(null, connection);
		}
	}

	private List<Server> servers(RedisClusterClient client) {
		List<Server> servers = new ArrayList<>();
		try (StatefulRedisClusterConnection<String, String> connection = bounded(client.connect())) {
			for (RedisClusterNode node : connection.getPartitions()) {
				if (node.getRole() == Role.UPSTREAM && !node.hasNoSlots()) {
					servers.add(examine(node.getUri().getHost() + ":" + node.getUri().getPort(),
							bounded(connection.getConnection(node.getNodeId()))));
				}
			}
		}
		return servers;
	}

	private static <T extends StatefulConnection<?, ?>> T bounded(T connection) {
		if (connection.getTimeout().compareTo(LONGEST_WAIT) > 0) {
			connection.setTimeout(LONGEST_WAIT);
		}
		return connection;
	}

	private Server examine(@Nullable String address, StatefulRedisConnection<String, String> connection) {
		ServerFacts facts = ServerFacts.of(connection.sync());
		return facts.examine((address != null) ? address : address(facts), this.durability);
	}

	private String address(ServerFacts facts) {
		String port = facts.get("tcp_port");
		if (this.factory.getSentinelConfiguration() != null) {
			return "behind Sentinel" + ((port != null) ? " on port " + port : "");
		}
		return this.factory.getHostName() + ":" + this.factory.getPort();
	}

	/**
	 * Requests another check when a connection was opened, unless the check opened it.
	 */
	private final class Reconnects implements RedisConnectionStateListener {

		@Override
		public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
			if (!ServerCheck.this.checking) {
				request();
			}
		}

	}

}
