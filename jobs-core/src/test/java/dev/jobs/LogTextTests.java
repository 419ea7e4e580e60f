package dev.jobs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.jobs.text.ErrorText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that exceptions reach the log by {@link ErrorText} only, since their texts could
 * pass for other lines.
 */
class LogTextTests {

	private static final Pattern TEXT = Pattern.compile("\"(?:\\\\.|[^\"\\\\\\n])*+\"");

	private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*+");

	private static final Pattern LOG = Pattern
		.compile("\\b(?:\\w*[lL]ogger|log)\\s*\\.\\s*(?:trace|debug|info|warn|error|at\\w+)\\s*\\(");

	private static final Pattern CLEANING = Pattern.compile("\\b(?:ErrorText\\.(?:loggable|of|clean)|plain)\\(");

	private static final Pattern THROWN = Pattern
		.compile("\\b\\w*(?:Exception|Throwable|Error)\\s++(\\w++)\\s*+[),;=:&|]");

	@ParameterizedTest
	@ValueSource(strings = { "jobs-core", "jobs-redis", "jobs-jdbc", "jobs-spring-boot-autoconfigure", "jobs-dashboard",
			"jobs-test", "jobs-store-contract" })
	void noExceptionIsLoggedAsItIs(String module) throws IOException {
		try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java"))) {
			assertThat(files.filter((file) -> file.toString().endsWith(".java")))
				.allSatisfy((file) -> assertThat(rawIn(read(file))).isEmpty());
		}
	}

	@Test
	void callsThatLogAnExceptionAsItIsAreFound() {
		assertThat(rawIn("catch (A | BException ex) { logger.warn(\"no (\", ex); }")).hasSize(1);
		assertThat(rawIn("void a(Throwable cause) { this.logger\n.error(\"{}: {}\",\n name(), cause.getMessage()); }"))
			.hasSize(1);
		assertThat(rawIn("if (a instanceof IOException gone && b) { logger.info(\"{}\", plain(a), gone); }"))
			.hasSize(1);
		assertThat(rawIn("(ex) -> logger.atWarn().setCause(ex).log();")).hasSize(1);
		assertThat(rawIn("catch (AException ex) { logger.warn(\"a {}\", ErrorText.of(ex), ErrorText.loggable(ex)); }"))
			.isEmpty();
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Return the calls of a logger that have an exception among their arguments which is
	 * not cleaned.
	 */
	private static List<String> rawIn(String source) {
		String code = COMMENT.matcher(TEXT.matcher(source).replaceAll("\"\"")).replaceAll("");
		Set<String> thrown = new TreeSet<>(Set.of("ex"));
		THROWN.matcher(code).results().forEach((found) -> thrown.add(found.group(1)));
		Pattern raw = Pattern.compile("\\b(?:" + String.join("|", thrown) + ")\\b(?!\\s*\\()");
		List<String> calls = new ArrayList<>();
		Matcher call = LOG.matcher(code);
		while (call.find()) {
			int end = code.indexOf(';', call.end());
			String logged = code.substring(call.start(), (end >= 0) ? end : code.length());
			if (raw.matcher(withoutCleaned(logged)).find()) {
				calls.add(logged);
			}
		}
		return calls;
	}

	private static String withoutCleaned(String logged) {
		String left = logged;
		Matcher cleaning = CLEANING.matcher(left);
		while (cleaning.find()) {
			left = left.substring(0, cleaning.start()) + left.substring(endOfCall(left, cleaning.end()));
			cleaning = CLEANING.matcher(left);
		}
		return left;
	}

	private static int endOfCall(String code, int start) {
		int open = 1;
		int at = start;
		while (open > 0 && at < code.length()) {
			char c = code.charAt(at++);
			open += (c == '(') ? 1 : (c == ')') ? -1 : 0;
		}
		return at;
	}

}
