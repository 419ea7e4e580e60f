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

	@Test
	void pathWithAPatternEndsTheStart() {
		expectFailure("jobs.dashboard.path=jobs/**", "Reason: 'jobs.dashboard.path' must be a path such as /jobs");
	}

	private static void expectFailure(String property, String... parts) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class))
			.withPropertyValues("spring.application.name=shop", "jobs.store=memory", property)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause().message().contains(parts));
	}

	private static List<JsonNode> metadata(String part) throws IOException {
		try (InputStream stream = Files.newInputStream(METADATA)) {
			return JsonMapper.shared().readTree(stream).path(part).valueStream().toList();
		}
	}

}
