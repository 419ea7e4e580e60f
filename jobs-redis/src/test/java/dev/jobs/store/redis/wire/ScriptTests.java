package dev.jobs.store.redis.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Script}: each file begins with a header of one form.
 */
class ScriptTests {

	private static final Pattern HEADER = Pattern.compile("(?:--.*\\n)+");

	private static final Pattern LABEL = Pattern.compile("(?m)^-- (KEYS\\[\\d+]|ARGV\\[\\d*(?:\\.\\.)?]|[a-z]+) +\\S");

	private static final Pattern USED = Pattern.compile("(KEYS|ARGV)\\[(\\d+)]");

	private static final Pattern STATED = Pattern.compile("(?m)^-- (KEYS|ARGV)\\[(\\d+)(\\.\\.)?]");

	private static String read(String name) {
		try (InputStream file = Script.class.getResourceAsStream("/dev/jobs/store/redis/lua/" + name + ".lua")) {
			return new String(file.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String read(Script script) {
		return read(script.name().toLowerCase(Locale.ROOT));
	}

	private static String header(String text) {
		return HEADER.matcher(text).results().findFirst().map(MatchResult::group).orElse("");
	}

	/**
	 * Return the labels of a header in their order: those of the paragraph after its
	 * purpose.
	 */
	private static List<String> labels(String header) {
		String[] paragraphs = header.split("\n--\n", 2);
		assertThat(paragraphs).hasSize(2);
		assertThat(paragraphs[0]).matches("(?s)-- [A-Z].*\\.");
		return LABEL.matcher(paragraphs[1]).results().map((label) -> label.group(1)).toList();
	}

	private static List<String> names(String header, String label) {
		String[] parts = header.split("\n-- " + label + " +", 2);
		assertThat(parts).hasSize(2);
		String value = parts[1].split("\n-- \\S")[0].replace("--", "").strip();
		return value.equals("nothing") ? List.of() : Arrays.asList(value.split(",\\s+"));
	}

	@ParameterizedTest
	@EnumSource
	void headerStatesPurposeKeysArgumentsReturnsAndErrorsInThisOrder(Script script) {
		List<String> labels = new ArrayList<>(labels(header(read(script))));
		assertThat(labels.remove(0)).isEqualTo("KEYS[1]");
		assertThat(labels.remove(0)).isEqualTo("ARGV[1]");
		assertThat(labels.subList(labels.size() - 2, labels.size())).containsExactly("returns", "errors");
		List<String> arguments = labels.subList(0, labels.size() - 2);
		for (int i = 0; i < arguments.size(); i++) {
			String rest = (i == arguments.size() - 1 && arguments.get(i).endsWith("..]")) ? ".." : "";
			assertThat(arguments.get(i)).isEqualTo("ARGV[" + (i + 2) + rest + "]");
		}
	}

	@ParameterizedTest
	@EnumSource
	void highestKeyAndArgumentThatAreUsedAreStated(Script script) {
		String text = read(script);
		String header = header(text);
		USED.matcher(text.substring(header.length()))
			.results()
			.forEach((used) -> assertThat(STATED.matcher(header).results()).as(used.group())
				.anyMatch((stated) -> stated.group(1).equals(used.group(1))
						&& isStated(Integer.parseInt(used.group(2)), stated)));
	}

	private static boolean isStated(int number, MatchResult stated) {
		int from = Integer.parseInt(stated.group(2));
		return number == from || (number > from && stated.group(3) != null);
	}

	static Stream<String> sharedParts() {
		Set<String> parts = new TreeSet<>(Set.of("keys"));
		Arrays.stream(Script.values()).forEach((script) -> parts.addAll(script.parts()));
		return parts.stream();
	}

	@ParameterizedTest
	@MethodSource("sharedParts")
	void headerOfASharedPartStatesPurposeWhatItNeedsAndWhatItDefines(String part) {
		String text = read("shared/" + part);
		String header = header(text);
		List<String> labels = labels(header);
		assertThat(labels).startsWith("needs").endsWith("defines");
		assertThat(labels.subList(1, labels.size() - 1)).allMatch((label) -> label.matches("(KEYS|ARGV)\\[.*"));
		String body = text.substring(header.length());
		assertThat(names(header, "defines")).allSatisfy((name) -> assertThat(body).as(name)
			.containsPattern("(?m)^local (function )?([\\w, ]*\\b)?" + name + "\\b"));
		USED.matcher(body).results().forEach((used) -> assertThat(header).contains("-- " + used.group()));
	}

	@ParameterizedTest
	@EnumSource
	void whatASharedPartNeedsComesBeforeIt(Script script) {
		List<String> before = new ArrayList<>(List.of("keys"));
		for (String part : script.parts()) {
			assertThat(before).as(part).containsAll(names(header(read("shared/" + part)), "needs"));
			before.add(part);
		}
	}

	@Test
	void partsOfAQueueAreInOneListAndNotWrittenOtherwise() {
		Map<String, String> texts = new TreeMap<>();
		Arrays.stream(Script.values()).forEach((script) -> texts.put(script.name(), read(script)));
		sharedParts().forEach((part) -> texts.put(part, read("shared/" + part)));
		Set<String> parts = matches("PART\\.([A-Z]+), '", texts.get("fields"));
		assertThat(parts).contains("READY", "RUNNING");
		assertThat(texts).allSatisfy((name, text) -> {
			assertThat(parts).containsAll(matches("PART\\.([A-Z]+)", text));
			assertThat(text.toUpperCase(Locale.ROOT))
				.doesNotContainPattern("OF\\([^)=]*'(" + String.join("|", parts) + ")'");
		});
	}

	private static Set<String> matches(String pattern, String text) {
		return Pattern.compile(pattern)
			.matcher(text)
			.results()
			.map((match) -> match.group(1))
			.collect(Collectors.toSet());
	}

}
