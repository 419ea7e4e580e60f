package dev.jobs.docs;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

import dev.jobs.build.Ports;
import dev.jobs.store.jdbc.Database;
import dev.jobs.store.jdbc.JdbcSchema;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for every block of code in the pages of this project: it is a part of what the
 * build compiles and runs, or it is read as what it is. A block that matches nothing
 * fails.
 */
class ExamplesTests {

	private static final Map<String, String> PAGES = pages();

	private static final String GREETING = "sample-app/src/main/resources/static/index.html";

	private static final List<Block> BLOCKS = Stream
		.concat(PAGES.entrySet().stream().flatMap((page) -> Block.in(page.getKey(), page.getValue()).stream()),
				Block.inHtml(GREETING, Site.text(Path.of("..", GREETING))).stream())
		.toList();

	private static final List<String> PARTS = List.of("queues", "pools", "workers", "schedules", "bulk", "store",
			"lanes", "list", "job", "signals");

	private static final String ENDPOINT = "/actuator/jobs(/(" + String.join("|", PARTS) + ")(/[^/]+)?)?";

	/** Code that the build compiles and, but for the beans that need a server, runs. */
	private static final List<String> COMPILED = List.of("src/test/java", "../sample-app/src/main/java",
			"../jobs-store-contract/src/test/java");

	/** What is checked below, and what is not, with the reason. */
	private static final Map<String, String> LANGUAGES = Map.ofEntries(Map.entry("java", "compiled"),
			Map.entry("yaml", "bound to the properties, or read if it is of another system"),
			Map.entry("xml", "compared with the POMs and resources"), Map.entry("sql", "run on PostgreSQL"),
			Map.entry("kotlin", "compiled; of a Gradle script only the coordinates, since the build has no Gradle"),
			Map.entry("sh", "commands for a shell, of which modules, profiles, jars, options and addresses exist"),
			Map.entry("text", "output, or a command of another program"), Map.entry("mermaid", "a diagram"),
			Map.entry("markdown", "a template for records"),
			Map.entry("ruby", "code of another system, in a migration guide only"),
			Map.entry("go", "code of another system, in a migration guide only"));

	/**
	 * A first word that is a program of this project, or a variable that stands for it.
	 */
	private static final Pattern PROGRAM = Pattern
		.compile("(?m)^.*?(?:-jar (jobs-[a-z-]+)/target/\\S*\\.jar|\\$(?:jobs|lab))\\b(.*)$");

	private static final Pattern COORDINATES = Pattern.compile("\"([\\w.-]+):([\\w.-]+)(?::([\\w.-]+))?\"");

	@Test
	void everyBlockIsOfALanguageThatIsCheckedOrHasAReason() {
		assertThat(BLOCKS).allSatisfy((block) -> assertThat(LANGUAGES).containsKey(block.language()));
	}

	@Test
	void codeOfOtherSystemsIsInMigrationGuidesOnly() {
		assertThat(BLOCKS).filteredOn((block) -> block.isBefore() || Set.of("ruby", "go").contains(block.language()))
			.isNotEmpty()
			.allSatisfy((block) -> assertThat(block.page()).startsWith("docs/migrate/"));
	}

	@Test
	void everyJavaBlockIsCodeThatTheBuildCompiles() throws IOException {
		List<String> sources = sources(COMPILED);
		assertThat(of("java")).isNotEmpty();
		assertThat(of("java").stream()
			.filter((block) -> !block.isBefore())
			.filter((block) -> sources.stream().noneMatch((source) -> source.contains(plain(block.text()))))).isEmpty();
	}

	@Test
	void everyKotlinBlockIsCodeThatTheBuildCompiles() throws IOException {
		List<String> sources = sources(List.of("../jobs-kotlin-tests/src/test/kotlin"));
		List<Block> blocks = of("kotlin").stream().filter((block) -> !block.isOf("gradle")).toList();
		assertThat(blocks).isNotEmpty()
			.allSatisfy((block) -> assertThat(sources).as(block.toString())
				.anyMatch((source) -> source.contains(plain(block.text()))));
	}

	@Test
	void everyYamlBlockBindsToPropertiesThatExist() {
		PropertyNames names = PropertyNames.read();
		assertThat(of("yaml")).isNotEmpty();
		assertThat(of("yaml").stream()
			.filter((block) -> !block.isOf("kubernetes"))
			.flatMap((block) -> names.problems(block.text()).stream().map((problem) -> block.page() + ": " + problem)))
			.isEmpty();
	}

	@Test
	void everyYamlBlockIsYaml() {
		Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
		assertThat(of("yaml")).allSatisfy((block) -> assertThat(yaml.loadAll(block.text())).as(block.toString())
			.isNotEmpty()
			.allSatisfy((document) -> assertThat(document).isInstanceOf(Map.class)));
	}

	@Test
	void everyModuleProfileAndJarOfACommandExists() {
		String poms = String.join("\n", xmlFiles());
		assertThat(of("sh")).isNotEmpty().allSatisfy((block) -> {
			assertThat(found(block, "-pl (\\S+)").flatMap((modules) -> Stream.of(modules.split(","))))
				.allSatisfy((module) -> assertThat(Path.of("..", module, "pom.xml")).isRegularFile());
			assertThat(found(block, "-P(\\S+)"))
				.allSatisfy((profile) -> assertThat(poms).contains("<id>" + profile + "</id>"));
			assertThat(found(block, "-D([a-z]+\\.[a-z.]+)="))
				.allSatisfy((property) -> assertThat(poms).contains(property));
			assertThat(found(block, "(\\S+)/target/\\S*\\.jar").map((module) -> module.replaceAll(".*[ \"=]", "")))
				.allSatisfy((module) -> assertThat(Path.of("..", module, "pom.xml")).isRegularFile());
			assertThat(found(block, "(?:--spring\\.profiles\\.active|-Dspring-boot\\.run\\.profiles)=(\\S+)")
				.flatMap((profiles) -> Stream.of(profiles.split(","))))
				.allSatisfy((profile) -> assertThat(
						Path.of("../sample-app/src/main/resources/application-" + profile + ".yml"))
					.isRegularFile());
		});
	}

	/** Alone, a module of a fresh clone does not find the others. */
	@Test
	void everyModuleThatIsRunAloneIsInstalledBefore() {
		List<Block> running = of("sh").stream().filter((block) -> block.text().contains(" spring-boot:")).toList();
		assertThat(running).extracting(Block::page).contains(GREETING, "docs/getting-started.md");
		assertThat(running).allSatisfy((block) -> {
			assertThat(found(block, "-pl (\\S+) spring-boot:").distinct().toList()).isNotEmpty()
				.allSatisfy((module) -> assertThat(block.text())
					.containsPattern("^mvn .*-pl " + module + " -am -DskipTests install\\n"));
		});
	}

	/** What stands in a sentence would not be read. */
	@Test
	void everyCommandOfTheGreetingIsInABlock() {
		assertThat(BLOCKS).filteredOn((block) -> block.page().equals(GREETING)).isNotEmpty();
		assertThat(Site.text(Path.of("..", GREETING)).replaceAll("(?s)<pre>.*?</pre>", "")).doesNotContain("mvn",
				"java -");
	}

	@Test
	void everyOptionOfACommandExists() throws IOException {
		Map<String, String> code = Map.of("jobs-benchmarks",
				String.join("", sources(List.of("../jobs-benchmarks/src/main/java"))), "jobs-fault-lab",
				String.join("", sources(List.of("../jobs-fault-lab/src/main/java"))));
		List<String> options = of("sh").stream().flatMap((block) -> {
			String module = found(block, "(jobs-[a-z-]+)/target/").findFirst().orElse("");
			return PROGRAM.matcher(block.text())
				.results()
				.flatMap((line) -> Pattern.compile("--[a-z]+").matcher(line.group(2)).results())
				.map((option) -> module + " " + option.group());
		}).toList();
		assertThat(options).hasSizeGreaterThan(20)
			.allSatisfy((option) -> assertThat(code.get(option.split(" ")[0])).as(option)
				.contains("\"" + option.split(" ")[1] + "\""));
	}

	@Test
	void everyAddressOfACommandExists() throws IOException {
		List<String> code = sources(COMPILED);
		List<String> addresses = of("sh").stream()
			.flatMap((block) -> found(block, "localhost:8080(/[^?\\s'\"]*)"))
			.toList();
		assertThat(addresses).isNotEmpty().allSatisfy((address) -> {
			if (address.startsWith("/actuator/jobs")) {
				assertThat(address).matches(ENDPOINT);
			}
			else {
				assertThat(code).anyMatch((source) -> source.contains("Mapping(\"" + address + "\")"));
			}
		});
	}

	@Test
	void everyPartOfTheEndpointThatAPageNamesExists() {
		String endpoint = Site.text(
				Path.of("../jobs-spring-boot-autoconfigure/src/main/java/dev/jobs/actuate/endpoint/JobsEndpoint.java"));
		assertThat(PARTS).allSatisfy((part) -> assertThat(endpoint).contains("case \"" + part + "\" ->"));
		assertThat(PAGES.values().stream().flatMap((text) -> found(text, "(/actuator/jobs[^`\"'\\s?,;)]*)")))
			.isNotEmpty()
			.allSatisfy((path) -> assertThat(path).matches(ENDPOINT));
	}

	@Test
	void everyXmlBlockIsOfAPomOrAResourceOfThisProject() throws Exception {
		String version = versionIn(Path.of("../pom.xml"));
		String files = plain(String.join("", xmlFiles()));
		for (Block block : of("xml")) {
			Document xml = parse("<blocks>" + block.text() + "</blocks>");
			NodeList dependencies = xml.getElementsByTagName("dependency");
			if (dependencies.getLength() == 0) {
				assertThat(files).as(block.toString()).contains(plain(block.text()));
			}
			for (int i = 0; i < dependencies.getLength(); i++) {
				Element dependency = (Element) dependencies.item(i);
				check(block, child(dependency, "groupId"), child(dependency, "artifactId"),
						child(dependency, "version"), version);
			}
		}
	}

	@Test
	void everyGradleBlockNamesModulesOfThisProjectAndItsVersion() throws Exception {
		String version = versionIn(Path.of("../pom.xml"));
		List<Block> blocks = of("kotlin").stream().filter((block) -> block.isOf("gradle")).toList();
		assertThat(blocks).isNotEmpty();
		for (Block block : blocks) {
			assertThat(block.text()).containsPattern(COORDINATES);
			COORDINATES.matcher(block.text())
				.results()
				.forEach((match) -> check(block, match.group(1), match.group(2), match.group(3), version));
		}
	}

	@Test
	void everySqlBlockRunsOnPostgresql() throws IOException, SQLException {
		try (EmbeddedPostgres server = EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setServerConfig("fsync", "off")
			.start(); Connection connection = server.getPostgresDatabase().getConnection()) {
			try (Statement statement = connection.createStatement()) {
				statement.execute(JdbcSchema.of(Database.POSTGRESQL, "jobs_"));
				for (Block block : of("sql")) {
					statement.execute(block.text());
				}
			}
		}
	}

	@Test
	void readmeShowsTheSample() throws IOException {
		List<String> code = sources(List.of("../sample-app/src/main/java"));
		String configuration = plain(Site.text(Path.of("../sample-app/src/main/resources/application.yml")));
		assertThat(BLOCKS).filteredOn((block) -> block.page().equals("README.md")).isNotEmpty().allSatisfy((block) -> {
			if (block.language().equals("java")) {
				assertThat(code).as(block.toString()).anyMatch((source) -> source.contains(plain(block.text())));
			}
			if (block.language().equals("yaml")) {
				assertThat(configuration).as(block.toString()).contains(plain(block.text()));
			}
		});
	}

	@Test
	void readmeIsShort() throws IOException {
		assertThat(Files.readAllLines(Path.of("../README.md"))).hasSizeLessThanOrEqualTo(250);
	}

	private static void check(Block block, String group, String artifact, String version, String current) {
		if (group.equals("dev.jobs")) {
			assertThat(Path.of("..", artifact)).as(block.toString()).isDirectory();
			if (version == null || version.isEmpty()) {
				assertThat(PAGES.get(block.page())).as("a version, or the BOM on the same page:\n" + block)
					.containsAnyOf("platform(\"dev.jobs:jobs-bom:" + current, "<artifactId>jobs-bom</artifactId>");
			}
			else {
				assertThat(version).as(block.toString()).isEqualTo(current);
			}
		}
		else {
			assertThat(xmlFiles()).as(block.toString())
				.anyMatch((file) -> file.contains("<artifactId>" + artifact + "</artifactId>"));
		}
	}

	private static List<Block> of(String language) {
		return BLOCKS.stream().filter((block) -> block.language().equals(language)).toList();
	}

	private static String plain(String text) {
		return text.replaceAll("\\s+", "");
	}

	private static List<String> sources(List<String> roots) throws IOException {
		Set<String> sources = new TreeSet<>();
		for (String root : roots) {
			try (Stream<Path> files = Files.walk(Path.of(root))) {
				files.filter((file) -> file.toString().matches(".*\\.(java|kt)"))
					.forEach((file) -> sources.add(plain(Site.text(file))));
			}
		}
		return List.copyOf(sources);
	}

	private static List<String> xmlFiles() {
		try (Stream<Path> modules = Files.list(Path.of(".."))) {
			return modules.filter((module) -> Files.exists(module.resolve("pom.xml")))
				.flatMap((module) -> Stream
					.of("pom.xml", "src/test/resources/logback-test.xml", "src/main/resources/logback.xml")
					.map(module::resolve))
				.filter(Files::exists)
				.map(Site::text)
				.toList();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String versionIn(Path pom) throws Exception {
		NodeList top = parse(Site.text(pom)).getDocumentElement().getChildNodes();
		for (int i = 0; i < top.getLength(); i++) {
			if (top.item(i).getNodeName().equals("version")) {
				return top.item(i).getTextContent();
			}
		}
		throw new IllegalStateException("no version in " + pom);
	}

	private static String child(Element element, String name) {
		NodeList children = element.getElementsByTagName(name);
		return (children.getLength() > 0) ? children.item(0).getTextContent() : "";
	}

	private static Document parse(String xml) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
	}

	private static Map<String, String> pages() {
		Path root = Path.of("..");
		try (Stream<Path> top = Files.list(root); Stream<Path> docs = Files.walk(root.resolve("docs"))) {
			return Stream.concat(top, docs)
				.filter((file) -> file.toString().endsWith(".md"))
				.collect(Collectors.toMap((file) -> root.relativize(file).toString(), Site::text));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Stream<String> found(Block block, String pattern) {
		return found(block.text(), pattern);
	}

	private static Stream<String> found(String text, String pattern) {
		return Pattern.compile(pattern).matcher(text).results().map((match) -> match.group(1));
	}

	/**
	 * A block of code.
	 *
	 * @param page the page it is on
	 * @param info its language, and what else is noted behind it: {@code before} for code
	 * of another system
	 * @param text the code
	 */
	record Block(String page, String info, String text) {

		private static final Pattern FENCE = Pattern.compile("(?m)^```([^\n`]*)\n(.*?)^```$", Pattern.DOTALL);

		static List<Block> in(String page, String text) {
			return FENCE.matcher(text)
				.results()
				.map((match) -> new Block(page, match.group(1).strip(), match.group(2)))
				.toList();
		}

		/** Returns the blocks of a page in HTML, which are all commands. */
		static List<Block> inHtml(String page, String text) {
			return Pattern.compile("(?s)<pre>(.*?)</pre>")
				.matcher(text)
				.results()
				.map((match) -> new Block(page, "sh", match.group(1)))
				.toList();
		}

		String language() {
			return this.info.isEmpty() ? "text" : this.info.split(" ")[0];
		}

		boolean isBefore() {
			return isOf("before");
		}

		boolean isOf(String kind) {
			return this.info.endsWith(" " + kind);
		}

		@Override
		public String toString() {
			return this.page + ":\n" + this.text;
		}

	}

}
