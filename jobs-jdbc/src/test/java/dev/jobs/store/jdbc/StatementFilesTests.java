package dev.jobs.store.jdbc;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link StatementFiles}.
 */
class StatementFilesTests {

	@Test
	void nativeImageHasEveryStatement() throws IOException {
		RuntimeHints hints = new RuntimeHints();
		for (RuntimeHintsRegistrar registrar : AotServices.factories().load(RuntimeHintsRegistrar.class)) {
			registrar.registerHints(hints, getClass().getClassLoader());
		}
		Path resources = Path.of("src/main/resources");
		try (Stream<Path> files = Files.walk(resources)) {
			assertThat(files.filter((file) -> file.toString().endsWith(".sql")).map(resources::relativize))
				.hasSizeGreaterThan(20)
				.allSatisfy((file) -> assertThat(RuntimeHintsPredicates.resource().forResource(file.toString()))
					.accepts(hints));
		}
	}

	/**
	 * But for those that create the tables, which other tools run as they are.
	 */
	@Test
	void statementsNameStatesAndHaveNoNumbersOfThem() throws IOException {
		Pattern literal = Pattern.compile("\\bstate\\s*(=|<|>|<>|<=|>=|in|not in|between)\\s*\\(?\\d");
		List<String> found = new ArrayList<>();
		try (Stream<Path> files = Files.walk(Path.of("src/main"))) {
			for (Path file : files.filter((each) -> each.toString().matches(".*\\.(java|sql)")).toList()) {
				if (!file.toString().contains("migration")) {
					literal.matcher(Files.readString(file))
						.results()
						.forEach((hit) -> found.add(file + ": " + hit.group()));
				}
			}
		}
		assertThat(found).isEmpty();
		assertThat(literal.matcher("where state = 1").find()).isTrue();
	}

}
