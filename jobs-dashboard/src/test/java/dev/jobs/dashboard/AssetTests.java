package dev.jobs.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the files of the page.
 */
class AssetTests {

	private static final Path FOLDER = Path.of("src/main/resources/dev/jobs/dashboard");

	private static List<Path> files() throws IOException {
		try (Stream<Path> files = Files.list(FOLDER)) {
			return files.toList();
		}
	}

	@Test
	void allTogetherAreSmallAsTheyAreSent() throws IOException {
		ByteArrayOutputStream zipped = new ByteArrayOutputStream();
		for (Path file : files()) {
			try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
				gzip.write(Page.sent(file.getFileName().toString()));
			}
		}
		assertThat(zipped.size()).isBetween(1, 64_000);
	}

	@Test
	void dataNeverBecomesMarkup() throws IOException {
		assertThat(files()).hasSizeGreaterThan(10)
			.allSatisfy((file) -> assertThat(Files.readString(file)).doesNotContain("innerHTML", "outerHTML",
					"insertAdjacentHTML", "document.write", "eval(", "new Function", "DOMParser",
					"createContextualFragment", "srcdoc"));
	}

	@Test
	void nothingComesFromElsewhere() throws IOException {
		assertThat(files())
			.allSatisfy((file) -> assertThat(Files.readString(file).replace("http://www.w3.org/2000/svg", ""))
				.doesNotContain("http://", "https://", "@import"));
	}

}
