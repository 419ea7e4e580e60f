package dev.jobs.store.redis;

import java.nio.file.Path;
import java.util.List;

import dev.jobs.build.Ports;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.process.ServerClock;
import dev.jobs.store.contract.process.ServerClockJumps;
import redis.embedded.RedisServer;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis whose clock is set while it runs. The environment variable
 * {@code JOBS_TEST_FAKETIME} names the library for that; without it these tests are
 * skipped.
 */
class RedisServerClockTests extends ServerClockJumps {

	private RedisServer server;

	private LettuceConnectionFactory factory;

	private RedisJobStore store;

	@Override
	protected JobStore start(ServerClock clock, Path directory) {
		int port = Ports.reserve();
		this.server = TestRedis.start(port, List.of("save \"\""), () -> clock.starting(TestRedis.executable().get()));
		this.factory = new LettuceConnectionFactory("127.0.0.1", port);
		this.factory.afterPropertiesSet();
		this.factory.start();
		this.store = new RedisJobStore(this.factory, "clock");
		return this.store;
	}

	@Override
	protected void close() {
		this.store.close();
		TestRedis.destroy(this.factory);
		TestRedis.stop(this.server);
	}

}
