package dev.jobs.sample;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that what the README says about this application is true.
 */
class ReadmeTests {

	private static final Path README = Path.of("../README.md");

	private static List<String> blocks(String language) throws IOException {
		return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(README))
			.results()
			.map((MatchResult result) -> result.group(1))
			.toList();
	}

	private static String plain(String text) {
		return text.replaceAll("\\s+", " ").strip();
	}

	@Test
	void everyJavaSnippetIsCodeOfTheSample() throws IOException {
		String code;
		try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
			code = plain(files.filter((file) -> file.toString().endsWith(".java"))
				.map(ReadmeTests::read)
				.collect(Collectors.joining("\n")));
		}
		assertThat(blocks("java")).isNotEmpty().allSatisfy((snippet) -> assertThat(code).contains(plain(snippet)));
	}

	@Test
	void configurationIsThatOfTheSample() throws IOException {
		String configuration = plain(read(Path.of("src/main/resources/application.yml")));
		assertThat(blocks("yaml")).isNotEmpty()
			.allSatisfy((snippet) -> assertThat(configuration).contains(plain(snippet)));
	}

	@Test
	void readmeIsShort() throws IOException {
		assertThat(Files.readAllLines(README)).hasSizeLessThanOrEqualTo(250);
	}

	@Test
	void linkedDocumentsExist() throws IOException {
		assertThat(Pattern.compile("]\\(([^)#]+)\\)").matcher(Files.readString(README)).results())
			.extracting((result) -> result.group(1))
			.isNotEmpty()
			.allSatisfy((link) -> assertThat(README.resolveSibling(link)).exists());
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
