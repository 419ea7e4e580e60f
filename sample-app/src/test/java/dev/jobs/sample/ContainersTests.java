package dev.jobs.sample;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the containers of {@link TestSampleApplication}, which are not started here,
 * since that needs a Docker: each is the server that its profile asks for.
 */
class ContainersTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withUserConfiguration(LocalPostgres.class, TestSampleApplication.Containers.class)
		.withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class));

	@Test
	void postgresIsTheDatabaseOfItsProfileInsteadOfTheLocalOne() {
		this.runner.withPropertyValues("spring.profiles.active=postgres,containers")
			.run((context) -> assertThat(context).hasSingleBean(JdbcConnectionDetails.class)
				.doesNotHaveBean(DataRedisConnectionDetails.class)
				.doesNotHaveBean(EmbeddedPostgres.class));
	}

	@Test
	void redisIsTheServerOfItsProfile() {
		this.runner.withPropertyValues("spring.profiles.active=redis,containers")
			.run((context) -> assertThat(context).hasSingleBean(DataRedisConnectionDetails.class)
				.doesNotHaveBean(JdbcConnectionDetails.class));
	}

	@Test
	void withoutAProfileNothingIsStarted() {
		this.runner.withPropertyValues("spring.profiles.active=containers")
			.run((context) -> assertThat(context).doesNotHaveBean(DataRedisConnectionDetails.class)
				.doesNotHaveBean(JdbcConnectionDetails.class));
	}

	/** The plugin passes the profile of a command as an argument. */
	@Test
	void profileOfTheCommandCounts() {
		try (ConfigurableApplicationContext context = TestSampleApplication
			.start("--spring.profiles.active=any", "--sample.customers=-", "--server.port=0")
			.getApplicationContext()) {
			assertThat(context.getEnvironment().getActiveProfiles()).containsExactlyInAnyOrder("any", "containers");
		}
	}

}
