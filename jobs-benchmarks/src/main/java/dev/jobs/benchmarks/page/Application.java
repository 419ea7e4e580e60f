package dev.jobs.benchmarks.page;

import java.util.Map;

import dev.jobs.store.JobStore;

import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/**
 * A web application on a store, with a dashboard and Actuator, as others have it. It runs
 * no jobs.
 */
final class Application implements AutoCloseable {

	/** Answers that are reused for a while are reused as briefly as can be set. */
	private static final Map<String, Object> PROPERTIES = Map.of("server.address", "127.0.0.1", "server.port", 0,
			"jobs.worker.enabled", false, "jobs.dashboard.enabled", true, "jobs.dashboard.access", "operate",
			"jobs.dashboard.refresh", "500ms", "jobs.metrics.cache-time", "100ms",
			"management.endpoints.web.exposure.include", "jobs,prometheus", "spring.application.name", "benchmark");

	private final ConfigurableApplicationContext context;

	Application(JobStore store) {
		this.context = new SpringApplicationBuilder(Root.class).web(WebApplicationType.SERVLET)
			.logStartupInfo(false)
			.bannerMode(Banner.Mode.OFF)
			.registerShutdownHook(false)
			.properties(PROPERTIES)
			.initializers((context) -> context.getBeanFactory().registerSingleton("jobStore", store))
			.run();
	}

	String url() {
		return "http://127.0.0.1:" + this.context.getEnvironment().getProperty("local.server.port");
	}

	@Override
	public void close() {
		this.context.close();
	}

	/**
	 * What there is, is configured by itself.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Root {

	}

}
