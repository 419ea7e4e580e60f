package dev.jobs.lab;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

import dev.jobs.store.contract.process.ServerClock;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of servers.
 */
enum Topology {

	/** One Redis whose log is on the disk before it answers. */
	REDIS(EnumSet.complementOf(EnumSet.of(Fault.FAIL_OVER, Fault.KILL_MASTER))) {

		@Override
		Servers start(Path directory, @Nullable ServerClock clock) {
			return new RedisServers(directory, clock);
		}

	},

	/** A Redis and its replica, watched by a sentinel; an enqueue waits for both. */
	SENTINEL(EnumSet.complementOf(EnumSet.of(Fault.CUT_CONNECTIONS, Fault.STALL_CONNECTIONS, Fault.REFUSE_CONNECTIONS,
			Fault.RESTART_SERVER))) {

		@Override
		boolean takesOver(Fault fault) {
			return fault == Fault.FREEZE_SERVER || super.takesOver(fault);
		}

		@Override
		Servers start(Path directory, @Nullable ServerClock clock) {
			return new SentinelServers(directory, clock);
		}

	},

	/**
	 * A Redis Cluster; an enqueue waits for a replica. Its nodes take each other for gone
	 * if their clocks jump.
	 */
	CLUSTER(EnumSet.complementOf(EnumSet.of(Fault.CUT_CONNECTIONS, Fault.STALL_CONNECTIONS, Fault.REFUSE_CONNECTIONS,
			Fault.RESTART_SERVER, Fault.JUMP_SERVER_CLOCK))) {

		@Override
		boolean takesOver(Fault fault) {
			return fault == Fault.FREEZE_SERVER || super.takesOver(fault);
		}

		@Override
		Servers start(Path directory, @Nullable ServerClock clock) {
			return new ClusterServers(directory);
		}

	},

	/** One PostgreSQL with its default settings. */
	POSTGRESQL(EnumSet.complementOf(EnumSet.of(Fault.FAIL_OVER, Fault.KILL_MASTER, Fault.FORGET_SCRIPTS))) {

		@Override
		Servers start(Path directory, @Nullable ServerClock clock) {
			return new PostgresServers(directory, clock);
		}

	};

	private final Set<Fault> faults;

	Topology(Set<Fault> faults) {
		this.faults = faults;
	}

	/**
	 * Return what can be broken there.
	 */
	Set<Fault> faults() {
		return this.faults;
	}

	/**
	 * Return whether a fault lets another server take over, which may lack the latest
	 * writes.
	 */
	boolean takesOver(Fault fault) {
		return fault == Fault.FAIL_OVER || fault == Fault.KILL_MASTER;
	}

	/**
	 * Start the servers.
	 * @param directory where they keep their data
	 * @param clock the clock that they see; {@code null} for that of the machine
	 */
	abstract Servers start(Path directory, @Nullable ServerClock clock);

}
