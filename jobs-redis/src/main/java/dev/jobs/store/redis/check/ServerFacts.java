package dev.jobs.store.redis.check;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import dev.jobs.store.redis.check.ServerReport.Finding;
import dev.jobs.store.redis.check.ServerReport.Problem;
import dev.jobs.store.redis.check.ServerReport.Server;
import dev.jobs.store.redis.RedisDurability;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import org.jspecify.annotations.Nullable;

/**
 * A server's facts about itself, and their meaning for jobs. Nearly all come from {@code
 * INFO}, since many managed servers forbid {@code CONFIG}.
 */
final class ServerFacts {

	private static final int OLDEST_MAJOR = 6;

	private static final int OLDEST_MINOR = 2;

	private final Map<String, String> facts;

	private ServerFacts(Map<String, String> facts) {
		this.facts = facts;
	}

	static ServerFacts of(RedisCommands<String, String> commands) {
		Map<String, String> facts = new HashMap<>();
		ask(commands, RedisCommands::info).lines().forEach((line) -> {
			int colon = line.indexOf(':');
			if (colon > 0) {
				facts.put(line.substring(0, colon), line.substring(colon + 1).strip());
			}
		});
		if ("1".equals(facts.get("aof_enabled"))) {
			String fsync = ask(commands, (server) -> server.configGet("appendfsync").get("appendfsync"));
			if (!fsync.isEmpty()) {
				facts.put("appendfsync", fsync);
			}
		}
		return new ServerFacts(facts);
	}

	/** Ask for a fact that may be forbidden or unknown. */
	private static String ask(RedisCommands<String, String> commands,
			Function<RedisCommands<String, String>, @Nullable String> question) {
		try {
			String answer = question.apply(commands);
			return (answer != null) ? answer : "";
		}
		catch (RedisCommandExecutionException ex) {
			if (String.valueOf(ex.getMessage()).startsWith("LOADING ")) {
				throw ex;
			}
			return "";
		}
	}

	@Nullable String get(String fact) {
		return this.facts.get(fact);
	}

	Server examine(String address, RedisDurability durability) {
		List<Finding> findings = new ArrayList<>();
		List<String> unchecked = new ArrayList<>();
		String version = this.facts.get("redis_version");
		if (version == null) {
			unchecked.add("the version");
		}
		else if (isTooOld(version)) {
			findings.add(new Finding(Problem.TOO_OLD,
					("The Redis server %s is of version %s, and jobs need 6.2 or "
							+ "later: they will not work. Upgrade the server, or set jobs.store to another store")
						.formatted(address, version)));
		}
		examineEviction(address, findings, unchecked);
		examinePersistence(address, findings, unchecked);
		if (durability.isReplicated()) {
			examineReplicas(address, durability.replicas(), findings, unchecked);
		}
		return new Server(address, this.facts.getOrDefault("run_id", address), (version != null) ? version : "",
				findings, unchecked);
	}

	private void examineEviction(String address, List<Finding> findings, List<String> unchecked) {
		String policy = this.facts.get("maxmemory_policy");
		if (policy == null) {
			unchecked.add("'maxmemory-policy'");
		}
		else if (!policy.equals("noeviction")) {
			findings.add(new Finding(Problem.EVICTS,
					("The Redis server %s removes keys when its memory is full (maxmemory-policy %s), and jobs are lost "
							+ "with them. Set 'maxmemory-policy noeviction'")
						.formatted(address, policy)));
		}
	}

	private void examinePersistence(String address, List<Finding> findings, List<String> unchecked) {
		String enabled = this.facts.get("aof_enabled");
		String fsync = this.facts.get("appendfsync");
		if (enabled == null) {
			unchecked.add("'appendonly'");
		}
		else if (!enabled.equals("1")) {
			findings.add(new Finding(Problem.NO_APPEND_ONLY_FILE,
					("The Redis server %s keeps no append-only file, so jobs enqueued since its last snapshot are lost "
							+ "when it ends. Set 'appendonly yes'")
						.formatted(address)));
		}
		else if (fsync == null) {
			unchecked.add("'appendfsync'");
		}
		else if (fsync.equals("no")) {
			findings.add(new Finding(Problem.NO_FSYNC,
					("The Redis server %s leaves it to the operating system when its append-only file reaches the disk "
							+ "(appendfsync no), so jobs of about half a minute are lost when the machine ends. Set "
							+ "'appendfsync everysec' or 'appendfsync always'")
						.formatted(address)));
		}
	}

	private void examineReplicas(String address, int wanted, List<Finding> findings, List<String> unchecked) {
		String connected = this.facts.get("connected_slaves");
		if (connected == null) {
			unchecked.add("its replicas");
		}
		else if (Integer.parseInt(connected) < wanted) {
			findings.add(new Finding(Problem.TOO_FEW_REPLICAS,
					("Enqueues are to wait for %d replica(s), but the Redis server %s has %s: each will wait for its "
							+ "time-out in vain. Attach replicas, or set jobs.redis.durability=default")
						.formatted(wanted, address, connected)));
		}
	}

	private static boolean isTooOld(String version) {
		String[] parts = version.split("\\D+");
		int major = Integer.parseInt(parts[0]);
		int minor = (parts.length > 1) ? Integer.parseInt(parts[1]) : 0;
		return major < OLDEST_MAJOR || (major == OLDEST_MAJOR && minor < OLDEST_MINOR);
	}

}
