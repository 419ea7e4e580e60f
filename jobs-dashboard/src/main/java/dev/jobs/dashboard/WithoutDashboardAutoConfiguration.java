package dev.jobs.dashboard;

import java.util.List;
import java.util.stream.Stream;

import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * {@link AutoConfiguration Auto-configuration} that logs why there is no dashboard
 * although properties ask for one.
 */
@AutoConfiguration(after = JobsDashboardAutoConfiguration.class)
@ConditionalOnBean(JobOperations.class)
@ConditionalOnMissingBean(name = "jobsDashboardMapping")
public final class WithoutDashboardAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(WithoutDashboardAutoConfiguration.class);

	private static final List<String> WEB = List.of("org.springframework.web.servlet.DispatcherServlet",
			"org.springframework.web.reactive.DispatcherHandler");

	@Bean
	SmartInitializingSingleton jobsDashboardAbsence(Environment environment, ApplicationContext context) {
		return () -> {
			Boolean enabled = environment.getProperty("jobs.dashboard.enabled", Boolean.class);
			if (enabled == null) {
				warnOfPropertiesWithoutEffect(Binder.get(environment));
			}
			else if (enabled) {
				logger.warn(
						"jobs.dashboard.enabled is true, but there is no dashboard, since neither "
								+ "Spring MVC nor WebFlux runs here: {}, or set jobs.dashboard.enabled=false here",
						remedy(context.getClassLoader()));
			}
		};
	}

	/** A dashboard that is switched off may keep its other properties. */
	private static void warnOfPropertiesWithoutEffect(Binder binder) {
		List<String> set = Stream.of("access", "roles.view", "roles.operate", "roles.payloads")
			.map("jobs.dashboard."::concat)
			.filter((name) -> binder.bind(name, Bindable.listOf(String.class)).isBound())
			.toList();
		if (!set.isEmpty()) {
			logger.warn("There is no dashboard, so these properties have no effect: {}. Set jobs.dashboard.enabled to "
					+ "true, or to false where you want none", String.join(", ", set));
		}
	}

	private static String remedy(@Nullable ClassLoader classLoader) {
		return WEB.stream().anyMatch((type) -> ClassUtils.isPresent(type, classLoader))
				? "remove spring.main.web-application-type=none"
				: "add spring-boot-starter-webmvc or spring-boot-starter-webflux";
	}

}
