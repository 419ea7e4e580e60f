package dev.jobs.dashboard;

import java.io.IOException;
import java.util.List;

import dev.jobs.build.Ports;

import redis.embedded.RedisServer;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/**
 * Tests for the dashboard in a real browser, with jobs in Redis.
 */
class ChromiumRedisTests extends ChromiumSuite {

	private RedisServer redis;

	@Override
	Class<?> application() {
		return Application.class;
	}

	@Override
	List<String> properties() throws IOException {
		int port = Ports.reserve();
		this.redis = RedisServer.newRedisServer().port(port).bind("127.0.0.1").onShutdownForceStop(true).build();
		this.redis.start();
		return List.of("jobs.store=redis", "spring.data.redis.host=127.0.0.1", "spring.data.redis.port=" + port,
				"jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms", "jobs.handlers.fail.max-attempts=1",
				"jobs.worker.lease=3s", "jobs.worker.beat=500ms");
	}

	@Override
	void stopStore() throws IOException {
		this.redis.stop();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
	static class Application {

	}

}
