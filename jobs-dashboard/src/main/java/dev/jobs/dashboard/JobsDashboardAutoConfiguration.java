package dev.jobs.dashboard;

import java.time.InstantSource;
import java.util.Map;

import dev.jobs.JobClient;
import dev.jobs.audit.Audit;
import dev.jobs.audit.RecordedActions;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import dev.jobs.autoconfigure.handler.JobHandlerRegistrar;
import dev.jobs.autoconfigure.properties.JobsProperties;
import dev.jobs.autoconfigure.properties.PropertyCheck;
import dev.jobs.dashboard.view.Statistics;
import dev.jobs.dashboard.view.Overview;
import dev.jobs.dashboard.view.QueueDetails;
import dev.jobs.engine.JobEngine;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebHandler;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.util.StringUtils;

/**
 * {@link AutoConfiguration Auto-configuration} for the dashboard.
 */
@AutoConfiguration(after = JobsAutoConfiguration.class)
@ConditionalOnBooleanProperty("jobs.dashboard.enabled")
@ConditionalOnWebApplication
@ConditionalOnBean(JobOperations.class)
@EnableConfigurationProperties(DashboardProperties.class)
@ImportRuntimeHints(JobsDashboardAutoConfiguration.Files.class)
public final class JobsDashboardAutoConfiguration {

	@Bean
	Dashboard jobsDashboard(PropertyCheck check, DashboardProperties properties, JobOperations operations,
			ObjectProvider<JobHandlerRegistrar> handlers, ApplicationEventPublisher publisher,
			ObjectProvider<JobEngine> engine, JobClient client, JobsProperties jobsProperties, Environment environment,
			BeanFactory beans) {
		check.requireValid();
		InstantSource time = timeOf(engine);
		Audit audit = new Audit(time, publisher, (text) -> operations.store().note(text));
		boolean direct = !believesForwarded(environment, beans);
		// An external server listens wherever it was configured to.
		Gate gate = new Gate(properties, () -> direct && environment.containsProperty("local.server.port"));
		JobQueries jobs = new JobQueries(operations, time, (name) -> engine.getObject().maxAttempts(name).orElse(0));
		Statistics statistics = new Statistics(operations, time);
		Overview overview = new Overview(operations, statistics, jobsProperties::targetWait, time);
		SharedOverview shared = new SharedOverview(() -> overview.read().toString(), properties.refresh(),
				System::nanoTime);
		QueueDetails details = new QueueDetails(operations,
				() -> handlers.stream().flatMap((registrar) -> registrar.handlers().stream()).toList(), time);
		return new Dashboard(properties.path(), gate, new Page(properties), jobs, shared, overview, details, statistics,
				new Actions(operations, client, new RecordedActions(operations, audit)), audit);
	}

	/**
	 * Return the clock of the jobs, which need not be this machine's.
	 */
	private static InstantSource timeOf(ObjectProvider<JobEngine> engine) {
		return () -> engine.getObject().clock().instant();
	}

	/** If headers replace addresses, no address shows where a request comes from. */
	private static boolean believesForwarded(Environment environment, BeanFactory beans) {
		if (beans.containsBean("forwardedHeaderTransformer")) {
			return true;
		}
		if (StringUtils.hasText(environment.getProperty("server.tomcat.remoteip.remote-ip-header"))
				|| StringUtils.hasText(environment.getProperty("server.tomcat.remoteip.protocol-header"))) {
			return true;
		}
		String strategy = environment.getProperty("server.forward-headers-strategy");
		if (strategy != null) {
			return !strategy.equalsIgnoreCase("none");
		}
		CloudPlatform platform = CloudPlatform.getActive(environment);
		return platform != null && platform.isUsingForwardHeaders();
	}

	@Bean
	Announcement jobsDashboardAnnouncement(DashboardProperties properties, Environment environment) {
		return new Announcement(properties, environment);
	}

	/**
	 * The dashboard on Spring MVC.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	@ConditionalOnClass(DispatcherServlet.class)
	static class ServletConfiguration {

		@Bean
		ServletDashboard jobsServletDashboard(Dashboard dashboard) {
			return new ServletDashboard(dashboard);
		}

		@Bean
		org.springframework.web.servlet.handler.SimpleUrlHandlerMapping jobsDashboardMapping(ServletDashboard dashboard,
				DashboardProperties properties) {
			return new org.springframework.web.servlet.handler.SimpleUrlHandlerMapping(
					Map.of(properties.path() + "/**", dashboard), Ordered.HIGHEST_PRECEDENCE + 10);
		}

		@Bean
		SmartInitializingSingleton jobsDashboardNeighbours(DashboardProperties properties,
				ObjectProvider<org.springframework.web.servlet.mvc.method.RequestMappingInfoHandlerMapping> mappings) {
			return () -> {
				HiddenHandlers hidden = new HiddenHandlers(properties.path());
				mappings.stream()
					.forEach((mapping) -> mapping.getHandlerMethods()
						.forEach((info, handler) -> hidden.add(info.getMethodsCondition().getMethods(),
								info.getPatternValues(), handler)));
				hidden.requireNone();
			};
		}

	}

	/**
	 * The dashboard on Spring WebFlux.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	@ConditionalOnClass(DispatcherHandler.class)
	static class ReactiveConfiguration {

		@Bean
		org.springframework.web.reactive.handler.SimpleUrlHandlerMapping jobsDashboardMapping(Dashboard dashboard,
				DashboardProperties properties) {
			WebHandler handler = new ReactiveDashboard(dashboard);
			return new OwnServerMapping(Map.of(properties.path() + "/**", handler), Ordered.HIGHEST_PRECEDENCE + 10);
		}

		@Bean
		SmartInitializingSingleton jobsDashboardNeighbours(DashboardProperties properties,
				ObjectProvider<org.springframework.web.reactive.result.method.RequestMappingInfoHandlerMapping> mappings) {
			return () -> {
				HiddenHandlers hidden = new HiddenHandlers(properties.path());
				mappings.stream()
					.forEach((mapping) -> mapping.getHandlerMethods()
						.forEach((info, handler) -> hidden.add(info.getMethodsCondition().getMethods(),
								info.getPatternsCondition()
									.getPatterns()
									.stream()
									.map(PathPattern::getPatternString)
									.toList(),
								handler)));
				hidden.requireNone();
			};
		}

	}

	/**
	 * Answers only on the server of its own context. Actuator's server, if it has its own
	 * port, finds the mappings of the application too.
	 */
	private static final class OwnServerMapping
			extends org.springframework.web.reactive.handler.SimpleUrlHandlerMapping {

		OwnServerMapping(Map<String, WebHandler> handlers, int order) {
			super(handlers, order);
		}

		@Override
		public Mono<Object> getHandlerInternal(ServerWebExchange exchange) {
			ApplicationContext server = exchange.getApplicationContext();
			return (server == null || server == getApplicationContext()) ? super.getHandlerInternal(exchange)
					: Mono.empty();
		}

	}

	/**
	 * Includes resources in a native image that are not found automatically.
	 */
	static class Files implements RuntimeHintsRegistrar {

		@Override
		public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
			hints.resources().registerPattern("dev/jobs/dashboard/*");
		}

	}

}
