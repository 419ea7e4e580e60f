package dev.jobs.docs;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.annotation.Annotation;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.EnqueueOptions;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.operations.JobOperations;
import dev.jobs.test.TestJobs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for code within the sentences of the pages: types, methods, annotations,
 * properties, metrics and paths that it names exist.
 */
class InlineCodeTests {

	private static final Path ROOT = Path.of("..");

	private static final String CLASS_PATH = System.getProperty("surefire.test.class.path",
			System.getProperty("java.class.path"));

	private static final List<Inline> CODE = inlineCode();

	/** The names of types in the sources, with the text of the file of each. */
	private static final Map<String, String> SOURCES = new HashMap<>();

	/** Names of types in the JDK and in the libraries of the build. */
	private static final Set<String> LIBRARIES = new HashSet<>();

	private static final Pattern TYPE_NAME = Pattern
		.compile("(?m)^\\s*[^*/\\n]*?\\b(?:class|interface|enum|record|@interface) ([A-Z]\\w*)");

	private static final Pattern NAMED_TYPE = Pattern.compile("@?([A-Z]\\w*[a-z]\\w*)((?:\\.\\w+)*)(\\(.*\\))?");

	private static final Pattern CALL = Pattern.compile("(\\w+)\\.(\\w+)\\(.*");

	private static final Pattern BARE_CALL = Pattern.compile("(?:new )?(\\w+)\\([^()]*\\)");

	private static final Pattern ATTRIBUTE = Pattern.compile("[(,] *(\\w+) *=[^=]");

	private static final Pattern KEY = Pattern
		.compile("((?:jobs|management|spring)\\.[a-z<][a-z0-9<>.-]*[a-z0-9>])(?:[=:].*)?");

	/** What variables in the examples are. */
	private static final Map<String, List<Class<?>>> VARIABLES = Map.of("jobs",
			List.of(JobClient.class, TestJobs.class), "operations", List.of(JobOperations.class), "options",
			List.of(EnqueueOptions.Builder.class), "context", List.of(JobContext.class), "job", List.of(Job.class),
			"event", List.of(JobEvent.class));

	/** What is not in the build, with the reason why the pages name it. */
	private static final Map<String, String> OTHERS = Map.of("ContextSnapshot", "an optional library's", "JobRunr",
			"another system", "JobOperator", "Spring Batch's", "Helper", "a name to avoid", "Tests", "a suffix",
			"V7__jobs", "a file's name", "getX", "any getter", "isX", "any getter", "mavenLocal", "Gradle's", "kotlin",
			"Gradle's");

	static {
		readSources();
		readLibraries();
	}

	@Test
	void everyTypeExists() {
		assertThat(types().filter((type) -> !isOfOthers(type))
			.map((type) -> type.match().group(1))
			.filter((name) -> !SOURCES.containsKey(name) && !LIBRARIES.contains(name) && !isAlert(name))).isEmpty();
	}

	@Test
	void everyMemberOfATypeOfThisProjectExists() {
		assertThat(types().filter((type) -> SOURCES.containsKey(type.match().group(1)))
			.filter((type) -> !type.match().group(2).isEmpty())
			.filter((type) -> Arrays.stream(type.match().group(2).substring(1).split("\\."))
				.anyMatch((member) -> !hasMember(type.match().group(1), member)))
			.map(Found::toString)).isEmpty();
	}

	@Test
	void everyAttributeOfAnAnnotationOfThisProjectExists() {
		assertThat(types().filter((type) -> type.code().text().startsWith("@") && type.match().group(3) != null)
			.filter((type) -> annotation(type.match().group(1)) != null)
			.flatMap((type) -> ATTRIBUTE.matcher(type.match().group(3))
				.results()
				.map((attribute) -> attribute.group(1))
				.filter((attribute) -> !hasMethod(annotation(type.match().group(1)), attribute))
				.map((attribute) -> type + ": " + attribute)))
			.isEmpty();
	}

	@Test
	void everyCallOnAVariableIsOfAMethodThatExists() {
		assertThat(CODE.stream()
			.filter((code) -> !code.isOfOthers())
			.flatMap((code) -> code.matches(CALL))
			.filter((call) -> VARIABLES.containsKey(call.match().group(1)))
			.filter((call) -> VARIABLES.get(call.match().group(1))
				.stream()
				.noneMatch((type) -> hasMethod(type, call.match().group(2))))
			.map(Found::toString)).isEmpty();
	}

	@Test
	void everyBareCallIsOfAMethodThatExists() {
		Set<String> called = Pattern.compile("\\b(\\w+)\\(")
			.matcher(String.join("\n", SOURCES.values()))
			.results()
			.map((match) -> match.group(1))
			.collect(Collectors.toSet());
		assertThat(CODE.stream()
			.filter((code) -> !code.isOfOthers())
			.flatMap((code) -> code.matches(BARE_CALL))
			.filter((call) -> !called.contains(call.match().group(1)) && !OTHERS.containsKey(call.match().group(1)))
			.map(Found::toString)).isEmpty();
	}

	@Test
	void everyPropertyOrMetricExists() {
		PropertyNames names = PropertyNames.read();
		String code = String.join("\n", SOURCES.values());
		assertThat(CODE.stream()
			.filter((inline) -> !inline.isOfOthers())
			.flatMap((inline) -> inline.matches(KEY))
			.filter((key) -> !key.code().text().contains("("))
			.filter((key) -> !names.isKnownOrPrefix(key.match().group(1))
					&& !code.contains("\"" + key.match().group(1) + "\""))
			.map(Found::toString)).isEmpty();
	}

	private static Stream<Found> types() {
		return CODE.stream().flatMap((code) -> code.matches(NAMED_TYPE));
	}

	private static boolean isOfOthers(Found type) {
		return type.code().isOfOthers() || OTHERS.containsKey(type.match().group(1));
	}

	private static boolean isAlert(String name) {
		return Site.text(ROOT.resolve("docs/operations/alerts.yml")).contains("alert: " + name + "\n");
	}

	private static boolean hasMember(String type, String member) {
		Class<?> loaded = load(type);
		if (loaded != null && (hasMethod(loaded, member)
				|| Arrays.stream(loaded.getDeclaredFields()).anyMatch((field) -> field.getName().equals(member)))) {
			return true;
		}
		return Pattern.compile("\\b" + member + "\\b(?=[(,;)<{\\s])").matcher(SOURCES.get(type)).find();
	}

	private static boolean hasMethod(Class<?> type, String name) {
		return Stream.of(type.getMethods(), type.getDeclaredMethods(), Object.class.getMethods())
			.flatMap(Arrays::stream)
			.anyMatch((method) -> method.getName().equals(name));
	}

	private static Class<?> annotation(String name) {
		Class<?> type = load(name);
		return (type != null && Annotation.class.isAssignableFrom(type)) ? type : null;
	}

	/** Return a type of this project, or {@code null} if this module does not see it. */
	private static Class<?> load(String name) {
		Set<String> packages = Pattern.compile("(?m)^package ([\\w.]+);")
			.matcher(SOURCES.getOrDefault(name, ""))
			.results()
			.map((match) -> match.group(1))
			.collect(Collectors.toSet());
		for (String candidate : packages) {
			try {
				return Class.forName(candidate + "." + name, false, InlineCodeTests.class.getClassLoader());
			}
			catch (ClassNotFoundException ex) {
				// the next one, or the source instead
			}
		}
		return null;
	}

	private static void readSources() {
		try (Stream<Path> modules = Files.list(ROOT)) {
			for (Path module : modules.map((it) -> it.resolve("src")).filter(Files::isDirectory).toList()) {
				try (Stream<Path> files = Files.walk(module)) {
					files.filter((file) -> file.toString().endsWith(".java")).forEach((file) -> {
						String source = Site.text(file);
						TYPE_NAME.matcher(source)
							.results()
							.forEach((match) -> SOURCES.merge(match.group(1), source, (one, two) -> one + "\n" + two));
					});
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void readLibraries() {
		try {
			for (String entry : CLASS_PATH.split(File.pathSeparator)) {
				if (entry.endsWith(".jar")) {
					try (JarFile jar = new JarFile(entry)) {
						jar.stream().forEach((file) -> addLibrary(file.getName()));
					}
				}
			}
			for (String module : List.of("java.base", "java.sql")) {
				try (Stream<Path> files = Files
					.walk(FileSystems.getFileSystem(URI.create("jrt:/")).getPath("modules", module))) {
					files.forEach((file) -> addLibrary(file.toString()));
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static void addLibrary(String file) {
		if (file.endsWith(".class")) {
			LIBRARIES.add(file.substring(Math.max(file.lastIndexOf('/'), file.lastIndexOf('$')) + 1,
					file.length() - ".class".length()));
		}
	}

	private static List<Inline> inlineCode() {
		try (Stream<Path> top = Files.list(ROOT); Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
			return Stream.concat(top, docs)
				.filter((file) -> file.toString().endsWith(".md"))
				.flatMap((file) -> Inline.in(ROOT.relativize(file).toString(), Site.text(file)))
				.toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Code within a sentence.
	 *
	 * @param page the page it is on
	 * @param text the code
	 */
	private record Inline(String page, String text) {

		private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");

		static Stream<Inline> in(String page, String text) {
			return CODE.matcher(text.replaceAll("(?ms)^```.*?^```$", ""))
				.results()
				.map((match) -> new Inline(page, match.group(1)));
		}

		/**
		 * Whether it may be code of another system, as in a migration guide.
		 */
		boolean isOfOthers() {
			return this.page.startsWith("docs/migrate/");
		}

		Stream<Found> matches(Pattern pattern) {
			return Stream.of(pattern.matcher(this.text))
				.filter((matcher) -> matcher.matches())
				.map((matcher) -> new Found(this, matcher.toMatchResult()));
		}

	}

	/**
	 * Code of a certain form.
	 *
	 * @param code the code
	 * @param match its parts
	 */
	private record Found(Inline code, MatchResult match) {

		@Override
		public String toString() {
			return this.code.page() + ": " + this.code.text();
		}

	}

}
