package dev.jobs.autoconfigure.metrics;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the documents that name metrics.
 */
class MetricsDocsTests {

	private static final Path OPERATIONS = Path.of("../docs/operations");

	private static final Path SOURCES = Path.of("../jobs-core/src/main/java/dev/jobs/metrics");

	/** What a counter, a timer or a gauge in seconds is called in Prometheus. */
	private static final Pattern ENDING = Pattern.compile("(_seconds)?_(total|count|sum|bucket|max)$|_seconds$");

	@Test
	void tableHasExactlyTheMetersOfTheCode() throws IOException {
		Set<String> documented = names(read("metrics.md"), "^\\| `(jobs\\.[a-z.]+)` \\| (?:counter|timer|gauge)");
		Set<String> coded = new TreeSet<>();
		try (Stream<Path> files = Files.list(SOURCES)) {
			files.forEach((file) -> coded.addAll(names(text(file),
					"(?:builder|rows|count|gauge|schedule)\\((?:[\\w.]+,)?\\s*\"(jobs\\.[a-z.]+)\"")));
		}
		assertThat(documented).hasSizeGreaterThan(15).isEqualTo(coded);
	}

	@Test
	void observationsAreDocumented() {
		String document = read("metrics.md");
		Set<String> coded = new TreeSet<>(
				names(text(SOURCES.resolve("JobRunObservationConvention.java")), "return \"(jobs\\.[a-z]+)\""));
		coded
			.addAll(names(text(SOURCES.resolve("JobEnqueueObservationConvention.java")), "return \"(jobs\\.[a-z]+)\""));
		assertThat(coded).hasSize(2).allSatisfy((name) -> assertThat(document).contains("| `" + name + "` |"));
	}

	@Test
	void dashboardAndAlertsUseOnlyMetersAndTagsOfTheTable() {
		Map<String, String> tags = new TreeMap<>();
		Pattern.compile("^\\| `(jobs\\.[a-z.]+)` \\| [^|]+ \\| ([^|]+) \\|", Pattern.MULTILINE)
			.matcher(read("metrics.md"))
			.results()
			.forEach((row) -> tags.put(row.group(1).replace('.', '_'), row.group(2)));
		for (String file : Set.of("grafana-dashboard.json", "alerts.yml", "keda.yml")) {
			Set<MatchResult> used = Pattern.compile("\\b(jobs_[a-z_]+)(?:\\{([a-z]+)=)?")
				.matcher(read(file).replace("\\\"", "\""))
				.results()
				.collect(Collectors.toSet());
			assertThat(used).as(file).isNotEmpty().allSatisfy((use) -> {
				String meter = ENDING.matcher(use.group(1)).replaceFirst("");
				assertThat(tags).as(file).containsKey(meter);
				if (use.group(2) != null) {
					assertThat(tags.get(meter)).as(meter).contains("`" + use.group(2) + "`");
				}
			});
		}
	}

	@Test
	void dashboardAndAlertsAreWellFormed() {
		assertThat(JsonMapper.shared().readTree(read("grafana-dashboard.json")).path("panels").size())
			.isGreaterThan(10);
		Map<String, Object> alerts = new Yaml().load(read("alerts.yml"));
		assertThat(alerts).containsKey("groups");
	}

	private static Set<String> names(String text, String pattern) {
		return Pattern.compile(pattern, Pattern.MULTILINE)
			.matcher(text)
			.results()
			.map((match) -> match.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static String read(String file) {
		return text(OPERATIONS.resolve(file));
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
