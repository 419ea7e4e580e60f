package dev.jobs.autoconfigure.properties;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.cron.Misfire;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the generated metadata of the configuration properties.
 */
class ConfigurationMetadataTests {

	private final JsonNode metadata = read();

	@Test
	void everyPropertyIsDescribed() {
		List<JsonNode> properties = this.metadata.path("properties").valueStream().toList();
		assertThat(properties).hasSizeGreaterThan(40);
		assertThat(properties).allSatisfy((property) -> {
			String description = property.path("description").asString("");
			assertThat(description).as(property.path("name").asString()).isNotBlank().endsWith(".");
			assertThat(description).doesNotStartWith("The ").doesNotStartWith("A ").doesNotStartWith("An ");
		});
	}

	@Test
	void booleansAskWhether() {
		assertThat(this.metadata.path("properties").valueStream())
			.filteredOn((property) -> property.path("type").asString().equals("java.lang.Boolean"))
			.isNotEmpty()
			.allSatisfy((property) -> assertThat(property.path("description").asString()).startsWith("Whether "));
	}

	@Test
	void whatIsForOneHandlerIsNoDefaultOfAll() {
		assertThat(this.metadata.path("properties").valueStream())
			.extracting((property) -> property.path("name").asString())
			.doesNotContain("jobs.defaults.enabled", "jobs.defaults.aliases", "jobs.defaults.cron")
			.contains("jobs.defaults.zone", "jobs.defaults.backoff.delay", "jobs.defaults.unique.mode");
	}

	@Test
	void everyPropertyIsDocumented() throws IOException {
		String document = Files.readString(Path.of("../docs/configuration.md"));
		assertThat(this.metadata.path("properties").valueStream())
			.extracting((property) -> property.path("name").asString())
			.allSatisfy((name) -> assertThat(document).containsAnyOf("`" + name + "`", "`" + name + ".<name>"));
	}

	@Test
	void whatIsBuiltInIsTheDefaultValue() throws IOException {
		Map<String, String> documented = Pattern.compile("(?m)^\\| `(jobs\\.defaults\\.[a-z.-]+)` \\| `([^`]+)` \\|")
			.matcher(Files.readString(Path.of("../docs/configuration.md")))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2)));
		assertThat(documented).hasSizeGreaterThan(20);
		assertThat(this.metadata.path("properties").valueStream())
			.filteredOn((property) -> documented.containsKey(property.path("name").asString()))
			.hasSameSizeAs(documented.keySet())
			.allSatisfy((property) -> assertThat(property.path("defaultValue").asString())
				.isEqualTo(documented.get(property.path("name").asString())));
	}

	@Test
	void everyDefaultOfHandlersHasAValueUnlessThereIsNone() {
		assertThat(this.metadata.path("properties").valueStream())
			.filteredOn((property) -> property.path("name").asString().startsWith("jobs.defaults."))
			.filteredOn((property) -> !property.has("defaultValue"))
			.extracting((property) -> property.path("name").asString())
			.containsExactlyInAnyOrder("jobs.defaults.tags", "jobs.defaults.no-retry-for", "jobs.defaults.backoff.bean",
					"jobs.defaults.rate", "jobs.defaults.lanes.rate", "jobs.defaults.lanes.weights");
	}

	@Test
	void zonesMissedTicksAndBeansAreProposedAndAnyOtherIsAllowed() {
		assertThat(hint("jobs.defaults.zone").path("values").valueStream())
			.extracting((value) -> ZoneId.of(value.path("value").asString()))
			.contains(ZoneId.of("UTC"));
		assertThat(hint("jobs.defaults.misfire").path("values").valueStream())
			.extracting((value) -> Misfire.parse(value.path("value").asString()))
			.doesNotContainNull();
		assertThat(List.of("jobs.defaults.zone", "jobs.defaults.misfire", "jobs.handlers.keys", "jobs.pools.keys",
				"jobs.schedules.keys"))
			.allSatisfy((name) -> assertThat(provider(name).path("name").asString()).isEqualTo("any"));
		assertThat(provider("jobs.defaults.backoff.bean").at("/parameters/target").asString())
			.isEqualTo(Backoff.class.getName());
		assertThat(provider("jobs.defaults.no-retry-for").at("/parameters/target").asString())
			.isEqualTo(Throwable.class.getName());
	}

	@Test
	void everyValueOfAClosedChoiceIsProposed() {
		assertThat(hint("jobs.store").path("values").valueStream())
			.extracting((value) -> value.path("value").asString())
			.containsExactlyInAnyOrderElementsOf(Stream.of(JobsProperties.Store.values())
				.map((value) -> value.name().toLowerCase(Locale.ROOT))
				.toList());
	}

	private JsonNode hint(String name) {
		return this.metadata.path("hints")
			.valueStream()
			.filter((hint) -> hint.path("name").asString().equals(name))
			.findFirst()
			.orElseThrow();
	}

	private JsonNode provider(String name) {
		return hint(name).path("providers").path(0);
	}

	@Test
	void noNameOfSomebodyElseIsProposed() {
		assertThat(this.metadata.path("hints").valueStream())
			.filteredOn((hint) -> hint.path("name").asString().endsWith(".keys"))
			.hasSize(3)
			.allSatisfy((hint) -> assertThat(hint.has("values")).isFalse());
	}

	@Test
	void keysAndOpenValuesHaveHints() {
		assertThat(this.metadata.path("hints").valueStream()).extracting((hint) -> hint.path("name").asString())
			.contains("jobs.handlers.keys", "jobs.pools.keys", "jobs.schedules.keys", "jobs.store",
					"jobs.defaults.backoff.type", "jobs.defaults.misfire", "jobs.defaults.zone");
	}

	@Test
	void defaultsOfDevtoolsAreProperties() throws IOException {
		Properties devtools = new Properties();
		try (InputStream stream = beside("spring-devtools.properties").openStream()) {
			devtools.load(stream);
		}
		assertThat(devtools).containsEntry("defaults.jobs.shutdown.grace", "0s");
		assertThat(this.metadata.path("properties").valueStream())
			.extracting((property) -> "defaults." + property.path("name").asString())
			.containsAll(devtools.stringPropertyNames());
	}

	private static URL beside(String file) throws IOException {
		String classFile = "/" + JobsProperties.class.getName().replace('.', '/') + ".class";
		URL url = Objects.requireNonNull(JobsProperties.class.getResource(classFile));
		return new URL(url.toString().replace(classFile, "/META-INF/" + file));
	}

	private static JsonNode read() {
		try (InputStream stream = beside("spring-configuration-metadata.json").openStream()) {
			return JsonMapper.shared().readTree(stream);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
