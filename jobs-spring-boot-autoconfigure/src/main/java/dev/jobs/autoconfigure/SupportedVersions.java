package dev.jobs.autoconfigure;

import dev.jobs.autoconfigure.properties.InvalidJobsConfigurationException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Ends the start on an unsupported version of Spring Boot, before anything else fails
 * with an unclear message. It uses only API that older versions have, too.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class SupportedVersions implements ApplicationContextInitializer<ConfigurableApplicationContext> {

	@Override
	public void initialize(ConfigurableApplicationContext context) {
		check(SpringBootVersion.getVersion());
	}

	static void check(@Nullable String version) {
		if (version != null && version.matches("[0-3]\\..*")) {
			throw new InvalidJobsConfigurationException(
					"Jobs needs Spring Boot 4.0.0 or later, but this application has %s.".formatted(version),
					"Update Spring Boot.");
		}
	}

}
