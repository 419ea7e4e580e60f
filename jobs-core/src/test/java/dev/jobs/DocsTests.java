package dev.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the documents that name types of this module.
 */
class DocsTests {

	private static final Path SOURCES = Path.of("src/main/java");

	private static final Path DOCS = Path.of("../docs");

	private static final Map<String, Path> TESTS = tests();

	private static final Pattern TYPE = Pattern
		.compile("`@?([A-Z][A-Za-z]*[a-z][A-Za-z]*)(?:\\.([a-z][A-Za-z]*))?[^`]*`");

	private static final Set<String> FOREIGN = Set.of("ArchitectureTests", "CronExpression", "DurationFormatterUtils",
			"InstantSource");

	@Test
	void walkNamesOnlyTypesAndMembersThatExist() throws IOException {
		assertThat(missing(DOCS.resolve("how-a-job-runs.md"))).isEmpty();
	}

	@Test
	void statesNameOnlyTypesAndMembersThatExist() throws IOException {
		assertThat(missing(DOCS.resolve("states.md"))).isEmpty();
	}

	@Test
	void decisionsNameOnlyTypesAndMembersThatExist() throws IOException {
		try (Stream<Path> files = Files.list(DOCS.resolve("adr"))) {
			for (Path file : files.toList()) {
				assertThat(missing(file)).as(file.toString()).isEmpty();
			}
		}
	}

	@Test
	void everyDecisionIsListed() throws IOException {
		String list = Files.readString(DOCS.resolve("adr/README.md"));
		try (Stream<Path> files = Files.list(DOCS.resolve("adr"))) {
			assertThat(files.map((file) -> file.getFileName().toString()).filter((name) -> name.matches("\\d{3}-.*")))
				.isNotEmpty()
				.allSatisfy((name) -> assertThat(list).contains("(" + name + ")"));
		}
	}

	@Test
	void checklistNamesOnlyTestsThatExist() throws IOException {
		Set<String> missing = new TreeSet<>();
		Pattern.compile("`([A-Z]\\w+)(?:\\.(\\w+))?`")
			.matcher(Files.readString(DOCS.resolve("checklist.md")))
			.results()
			.forEach((match) -> {
				Path file = TESTS.get(match.group(1) + ".java");
				if (file == null || (match.group(2) != null && !contains(file, match.group(2)))) {
					missing.add(match.group());
				}
			});
		assertThat(missing).isEmpty();
	}

	@Test
	void checklistHasEveryRowOnce() throws IOException {
		List<String> rows = Pattern.compile("^\\| ([GHLBSK]\\d\\d) \\|", Pattern.MULTILINE)
			.matcher(Files.readString(DOCS.resolve("checklist.md")))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(rows).hasSize(69 + 18 + 29 + 12 + 21 + 60).doesNotHaveDuplicates();
	}

	private static Map<String, Path> tests() {
		try (Stream<Path> files = Files.walk(Path.of(".."))) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.filter((file) -> file.toString().contains("/src/test/") || file.toString().contains("/jobs-test/"))
				.collect(Collectors.toMap((file) -> file.getFileName().toString(), (file) -> file, (a, b) -> a));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Set<String> missing(Path document) throws IOException {
		String text = Files.readString(document).replaceAll("(?s)```.*?```", "");
		Set<String> missing = new TreeSet<>();
		TYPE.matcher(text).results().forEach((match) -> {
			String type = match.group(1);
			if (FOREIGN.contains(type) || type.equals(type.toUpperCase())) {
				return;
			}
			List<Path> files = sourcesOf(type);
			boolean member = match.group(2) == null
					|| files.stream().anyMatch((file) -> contains(file, match.group(2)));
			if (files.isEmpty() || !member) {
				missing.add(match.group());
			}
		});
		return missing;
	}

	private static List<Path> sourcesOf(String type) {
		try (Stream<Path> files = Files.walk(SOURCES)) {
			return files.filter((file) -> file.endsWith(type + ".java")).collect(Collectors.toList());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean contains(Path file, String member) {
		try {
			return Files.readString(file).contains(" " + member + "(");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
