package dev.jobs.store.redis;

import java.util.List;

import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ClockJumps;
import dev.jobs.store.contract.process.Ledger;

/**
 * Clocks that jump, with jobs in Redis.
 */
class RedisClockJumpTests extends ClockJumps {

	private final String namespace = TestRedis.newNamespace();

	private final RedisApplication application = RedisApplication.onSharedServer(this.namespace, new Ledger());

	@Override
	protected void close() {
		this.application.close();
	}

	@Override
	protected JobStore store() {
		return this.application.store();
	}

	@Override
	protected List<String> place() {
		return List.of("server=" + RedisApplication.sharedServer(), "namespace=" + this.namespace);
	}

}
