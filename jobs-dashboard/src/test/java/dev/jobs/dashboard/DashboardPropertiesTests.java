package dev.jobs.dashboard;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import dev.jobs.autoconfigure.JobsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DashboardProperties}: their metadata, and mistakes in them.
 */
class DashboardPropertiesTests {

	private static final Path METADATA = Path.of("target/classes/META-INF/spring-configuration-metadata.json");

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class))
		.withPropertyValues("spring.application.name=shop", "jobs.store=memory");

	@Test
	void everyPropertyIsDescribedAndDocumented() throws IOException {
		String document = Files.readString(Path.of("../docs/configuration.md"));
		List<JsonNode> properties = metadata("properties");
		assertThat(properties).hasSizeGreaterThan(5).allSatisfy((property) -> {
			String name = property.path("name").asString();
			String description = property.path("description").asString("");
			assertThat(description).as(name).isNotBlank().endsWith(".").doesNotMatch("(The|An?) .*");
			assertThat(description.startsWith("Whether ")).as(name)
				.isEqualTo(property.path("type").asString().equals("java.lang.Boolean"));
			assertThat(document).contains("`" + name + "`");
		});
	}

	@Test
	void accessHasHints() throws IOException {
		assertThat(metadata("hints")).extracting((hint) -> hint.path("name").asString())
			.contains("jobs.dashboard.access");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jobs.dashboard.enable=true       | did you mean jobs.dashboard.enabled?
			jobs.dashboard.roles.views=admin | did you mean jobs.dashboard.roles.view?
			""")
	void unknownPropertyEndsTheStart(String property, String meant) {
		expectFailure(property, "Property: " + property.substring(0, property.indexOf('=')), "Origin: ", meant);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			jobs.dashboard.path=jobs          | must begin with a slash, such as /jobs
			jobs.dashboard.path=/             | must not be the root
			jobs.dashboard.path=/jobs/**      | must be a path such as /jobs
			jobs.dashboard.refresh=0s         | must be at least 500ms
			jobs.dashboard.trace-url=/trace   | must begin with http:// or https://
			jobs.dashboard.trace-url=https://{traceId} | must begin with http:// or https://
			""")
	void valueThatIsNotAcceptedIsNamedWithItsOrigin(String property, String reason) {
		String[] parts = property.split("=");
		expectFailure(property, "Property: " + parts[0], "Value: \"" + parts[1] + "\"",
				"Origin: \"" + parts[0] + "\" from property source", "Reason: " + reason);
	}

	@Test
	void allValuesThatAreNotAcceptedAreNamedAtOnce() {
		this.runner.withPropertyValues("jobs.dashboard.path=jobs", "jobs.dashboard.refresh=soon", "jobs.concurrency=0")
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.message()
				.contains("Property: jobs.dashboard.path", "Property: jobs.dashboard.refresh",
						"Property: jobs.concurrency"));
	}

	@ParameterizedTest
	@CsvSource({ "/actuator, /actuator", "/actuator/jobs, /actuator", "/manage, /manage/actuator", "/jobs/, /jobs" })
	void pathThatGetsInTheWayOfActuatorEndsTheStart(String path, String actuator) {
		this.runner
			.withPropertyValues("jobs.dashboard.enabled=true", "jobs.dashboard.path=" + path,
					"management.endpoints.web.base-path=" + actuator)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.message()
				.contains("Property: jobs.dashboard.path", "Value: \"" + path + "\"",
						"Actuator at " + actuator + " (management.endpoints.web.base-path)"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs.dashboard.path=/actuators", "management.server.port=0",
			"jobs.dashboard.enabled=false", "management.endpoints.web.base-path=/" })
	void pathThatIsApartFromActuatorIsAccepted(String property) {
		this.runner.withPropertyValues("jobs.dashboard.enabled=true", "jobs.dashboard.path=/actuator", property)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs.concurrency=1", "server.address=0.0.0.0", "server.address=::",
			"server.address=192.0.2.1", "management.server.address=127.0.0.1" })
	void localAccessToAServerThatListensElsewhereEndsTheStart(String property) {
		this.runner.withPropertyValues("jobs.dashboard.enabled=true", "jobs.dashboard.access=local", property)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.message()
				.contains("Property: jobs.dashboard.access", "set server.address=127.0.0.1"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "127.0.0.1", "127.1.2.3", "localhost", "::1" })
	void localAccessToAServerThatListensHereIsAccepted(String address) {
		this.runner
			.withPropertyValues("jobs.dashboard.enabled=true", "jobs.dashboard.access=local",
					"server.address=" + address)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	private void expectFailure(String property, String... parts) {
		this.runner.withPropertyValues(property)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().message().contains(parts));
	}

	private static List<JsonNode> metadata(String part) throws IOException {
		try (InputStream stream = Files.newInputStream(METADATA)) {
			return JsonMapper.shared().readTree(stream).path(part).valueStream().toList();
		}
	}

}
