package dev.jobs.sample;

import java.util.stream.Stream;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * The sample with the server of its profile in a container, to be started from an IDE or
 * by the command that {@code docs/getting-started.md} names. It needs a local Docker, so
 * the build does not run it; {@link ContainersTests} tests which servers it would start.
 */
final class TestSampleApplication {

	private TestSampleApplication() {
	}

	public static void main(String[] args) {
		start(args);
	}

	static SpringApplication.Running start(String... args) {
		return SpringApplication.from(SampleApplication::main)
			.with(Containers.class)
			.withAdditionalProfiles("containers")
			.run(Stream.concat(Stream.of(args), Stream.of("--spring.docker.compose.enabled=false"))
				.toArray(String[]::new));
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Containers {

		@Bean
		@ServiceConnection
		@Profile("postgres")
		PostgreSQLContainer postgres() {
			return new PostgreSQLContainer("postgres:17");
		}

		@Bean
		@ServiceConnection("redis")
		@Profile("redis")
		GenericContainer<?> redis() {
			return new GenericContainer<>("redis:7").withExposedPorts(6379);
		}

	}

}
