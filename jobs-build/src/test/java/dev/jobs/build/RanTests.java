package dev.jobs.build;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@code .ci/ran}, on what a build of two modules may have left.
 */
class RanTests {

	private static final Path SCRIPT = Path.of("..", ".ci", "ran").toAbsolutePath().normalize();

	private static final List<String> STORES = List.of("a.OneSuiteTests", "a.OtherSuiteTests");

	private final List<String> record = new ArrayList<>();

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path build;

	@BeforeEach
	void runAll() throws IOException {
		write("pom.xml", "<modules>\n<module>jobs-bom</module>\n<module>a</module>\n<module>b</module>\n</modules>\n");
		write("promises.md",
				"| A1 | shared | `RunSuite.runs`, `RunContract` | |\n| A2 | own | `LoneTests.stands` | |\n");
		write(".ci/shared-tests", """
				# groups
				stores one a\\.One(Suite|Contract)Tests
				stores other a\\.OtherSuiteTests
				stores third? a\\.ThirdSuiteTests
				""");
		for (String store : STORES) {
			ran(store + "$Run", "c.RunSuite", "runs");
			ran(store + "$Run", "c.RunSuite", "stops");
			ran(store + "$Contract$Claim", "c.RunContract", "runs");
		}
		ran("a.LoneTests", "a.LoneTests", "stands");
		write("b/target/test-record/1.txt", "began b.BTests b.BTests works\npassed b.BTests b.BTests works\n");
	}

	private void ran(String runner, String declaring, String method) {
		Stream.of("began", "passed")
			.forEach((event) -> this.record.add(String.join(" ", event, runner, declaring, method)));
	}

	private void write(String file, String text) throws IOException {
		Path path = this.build.resolve(file);
		Files.createDirectories(path.getParent());
		Files.writeString(path, text);
	}

	private List<String> script(String... arguments) throws IOException, InterruptedException {
		write("a/target/test-record/1.txt", String.join("\n", this.record) + "\n");
		List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
		Collections.addAll(command, arguments);
		Process process = new ProcessBuilder(command).directory(this.build.toFile()).redirectErrorStream(true).start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor()).as(output)
			.isEqualTo((arguments[0].startsWith("--unf") || output.isEmpty()) ? 0 : 1);
		return output.lines().toList();
	}

	@Test
	void nothingIsMissingIfAllRan() throws Exception {
		assertThat(script("promises.md")).isEmpty();
	}

	@Test
	void testThatRanOnOneStoreOnlyIsMissing() throws Exception {
		this.record.removeIf((line) -> line.contains("Other") && line.endsWith("stops"));
		assertThat(script("promises.md")).containsExactly("did not run on other: c.RunSuite.stops");
	}

	@Test
	void suiteThatAStoreLacksIsMissing() throws Exception {
		this.record.removeIf((line) -> line.contains("a.OtherSuiteTests$Contract"));
		assertThat(script("promises.md")).containsExactly("did not run on other: c.RunContract.runs");
	}

	@Test
	void storeThatRanNothingIsMissing() throws Exception {
		this.record.removeIf((line) -> line.contains("a.OtherSuiteTests"));
		assertThat(script("promises.md")).containsExactly("no class of \"stores\" ran on other");
	}

	@Test
	void storeThatNeedNotBeThereMustRunAllIfItIs() throws Exception {
		ran("a.ThirdSuiteTests$Run", "c.RunSuite", "runs");
		assertThat(script("promises.md")).containsExactly("did not run on third?: c.RunContract.runs",
				"did not run on third?: c.RunSuite.stops");
	}

	@Test
	void classThatInheritsWhatOthersDoAndIsInNoGroupIsNamed() throws Exception {
		ran("a.NewTests", "c.OtherSuite", "works");
		ran("a.NewerTests", "c.OtherSuite", "works");
		assertThat(script("promises.md")).singleElement()
			.asString()
			.startsWith("is in no line of .ci/shared-tests: who inherits c.OtherSuite");
	}

	@Test
	void testThatADocumentNamesMustRun() throws Exception {
		this.record.removeIf((line) -> line.contains("LoneTests"));
		assertThat(script("promises.md")).containsExactly("did not run: LoneTests.stands");
	}

	@Test
	void testThatFailedOrDidNotEndCountsAsNotRun() throws Exception {
		this.record.replaceAll((line) -> line.startsWith("passed a.Lone") ? line.replace("passed", "failed") : line);
		assertThat(script("promises.md")).containsExactly("did not run: LoneTests.stands");
	}

	@Test
	void simpleNameOfTwoClassesIsRefused() throws Exception {
		ran("b.LoneTests", "b.LoneTests", "works");
		assertThat(script("promises.md")).singleElement()
			.asString()
			.startsWith("is the name of several classes: LoneTests (")
			.contains(" a.LoneTests", " b.LoneTests");
	}

	@Test
	void moduleWithoutATestIsNamed() throws Exception {
		write("b/target/test-record/1.txt", "began b.BTests b.BTests works\nfailed b.BTests b.BTests works\n");
		assertThat(script("promises.md")).containsExactly("ran no test: b");
	}

	@Test
	void classOfAListThatDidNotRunIsNamed() throws Exception {
		assertThat(script("--classes", "LoneTests,BTests")).isEmpty();
		assertThat(script("--classes", "LoneTests,RenamedTests")).containsExactly("did not run: RenamedTests");
	}

	@Test
	void testThatBeganAndDidNotEndIsNamed() throws Exception {
		this.record.add("began a.OneSuiteTests$Run c.RunSuite hangs");
		assertThat(script("--unfinished")).containsExactly("did not end: a.OneSuiteTests$Run.hangs");
	}

	@Test
	void recordNamesTheClassThatRunsAndTheOneThatDeclares() throws IOException {
		try (Stream<Path> files = Files.list(Path.of("target", "test-record"))) {
			String runner = RanTests.class.getName();
			assertThat(files).anySatisfy((file) -> assertThat(Files.readAllLines(file))
				.contains("began " + runner + " " + runner + " recordNamesTheClassThatRunsAndTheOneThatDeclares"));
		}
	}

}
