package dev.jobs.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the site in a real browser, which the environment variable
 * {@code JOBS_TEST_CHROMIUM} names. A page shows each page of the site in a frame as wide
 * as a phone, since a window cannot be as narrow, and the browser prints what its script
 * measures.
 */
class ChromiumSiteTests {

	private static final int PHONE = 390;

	private static final String MEASURE = """
			<script>
			const report = (frame) => {
				const page = frame.contentDocument;
				const box = page.getElementById('search')?.getBoundingClientRect();
				const wide = page.documentElement.scrollWidth;
				return `${frame.getAttribute('src')} is ${wide} wide, its search ends at ${Math.ceil(box?.right ?? 0)}`;
			};
			addEventListener('load', () => document.body.textContent =
				[...document.querySelectorAll('iframe')].map((frame) => `[${report(frame)}]`).join(' '));
			</script>
			""";

	/** Types before the sections are there, and asks for some once they are. */
	private static final String SEARCH = """
			<script>
			addEventListener('load', async () => {
				const frame = document.querySelector('iframe');
				const page = frame.contentDocument;
				const errors = [];
				frame.contentWindow.addEventListener('error', (event) => errors.push(event.message));
				const field = page.getElementById('search');
				const ask = (query) => {
					field.value = query;
					field.dispatchEvent(new Event('input'));
					return [...page.querySelectorAll('#found a')].map((link) => link.href.replace(/.*site\\//, '')).join(' ');
				};
				field.dispatchEvent(new Event('focus'));
				ask('job');
				while (!page.querySelector('#found a')) {
					await new Promise((resolve) => setTimeout(resolve, 10));
				}
				const asked = %s;
				document.body.textContent = asked.map((query) => `[${query}: ${ask(query)}]`).join('') + `[errors: ${errors.join(' ')}]`;
			});
			</script>
			""";

	private static final Pattern REPORT = Pattern.compile("\\[(\\S+) is (\\d+) wide, its search ends at (\\d+)]");

	@TempDir
	private Path target;

	@Test
	void everyPageFitsAPhone() throws IOException, InterruptedException {
		new Site(Path.of(".."), this.target, "0.1.0-SNAPSHOT").write();
		List<String> pages = pages();
		List<Measured> measured = REPORT.matcher(shown(pages))
			.results()
			.map((match) -> new Measured(match.group(1), Integer.parseInt(match.group(2)),
					Integer.parseInt(match.group(3))))
			.toList();
		assertThat(measured).extracting(Measured::page).containsExactlyElementsOf(pages);
		assertThat(measured).allSatisfy((page) -> assertThat(page.width()).isEqualTo(PHONE))
			.allSatisfy((page) -> assertThat(page.searchEnd()).isBetween(1, PHONE));
	}

	@Test
	void searchFindsPagesForUsersFirstByTheirWordsOrThoseOfOthers() throws IOException, InterruptedException {
		Path site = this.target.resolve("site");
		new Site(Path.of(".."), site, "0.1.0-SNAPSHOT").write();
		String answer = printed(site.resolve("all.html"),
				"<!doctype html><meta charset=\"utf-8\"><body><iframe src=\"docs/README.html\"></iframe>" + SEARCH
					.formatted("['dead letter', 'DLQ', 'cron job', 'rate limit', 'graalvm', 'native', 'handler', "
							+ "'max-attempts', 'ate']"));
		assertThat(found(answer, "errors")).isEmpty();
		for (String query : List.of("dead letter", "DLQ", "cron job", "rate limit", "graalvm", "native", "handler",
				"max-attempts")) {
			List<Integer> ranks = found(answer, query).stream().map(ChromiumSiteTests::rank).toList();
			assertThat(ranks).as(query).isNotEmpty().isSorted().first().isEqualTo(0);
		}
		assertThat(found(answer, "cron job")).anyMatch((page) -> page.startsWith("docs/schedules.html"));
		assertThat(found(answer, "handler")).anyMatch((page) -> page.startsWith("docs/handlers.html"));
		assertThat(found(answer, "dead letter").get(0)).doesNotContain("benchmarks");
		assertThat(found(answer, "ate")).as("a part of words").isEmpty();
	}

	private static int rank(String address) {
		return address.startsWith("CHANGELOG") ? 2 : address.matches("(README|docs/(?!adr/)).*") ? 0 : 1;
	}

	private static List<String> found(String answer, String query) {
		Matcher matcher = Pattern.compile("\\[" + query + ": ([^\\]]*)]").matcher(answer);
		assertThat(matcher.find()).as("%s in %s", query, answer).isTrue();
		return Stream.of(matcher.group(1).split(" ")).filter((address) -> !address.isEmpty()).toList();
	}

	private List<String> pages() throws IOException {
		try (Stream<Path> files = Files.walk(this.target)) {
			return files.map((file) -> this.target.relativize(file).toString())
				.filter((file) -> file.endsWith(".html") && !file.equals("index.html"))
				.sorted()
				.toList();
		}
	}

	/** Returns what the browser makes of a page with all pages. */
	private String shown(List<String> pages) throws IOException, InterruptedException {
		return printed(this.target.resolve("all.html"),
				"<!doctype html><meta charset=\"utf-8\"><body>" + pages.stream()
					.map((page) -> "<iframe width=\"" + PHONE
							+ "\" height=\"844\" style=\"border:0\" src=\"%s\"></iframe>".formatted(page))
					.collect(Collectors.joining()) + MEASURE);
	}

	/** Returns a page as its scripts have left it. */
	private String printed(Path page, String html) throws IOException, InterruptedException {
		Files.writeString(page, html);
		Path printed = this.target.resolve("printed.txt");
		String browser = Objects.requireNonNull(System.getenv("JOBS_TEST_CHROMIUM"), "JOBS_TEST_CHROMIUM");
		Process process = new ProcessBuilder(browser, "--headless=new", "--no-sandbox", "--disable-gpu",
				"--disable-dev-shm-usage", "--hide-scrollbars", "--allow-file-access-from-files",
				"--virtual-time-budget=60000", "--user-data-dir=" + this.target.resolve("browser"), "--dump-dom",
				page.toUri().toString())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.redirectOutput(printed.toFile())
			.start();
		assertThat(process.waitFor()).isZero();
		return Files.readString(printed);
	}

	private record Measured(String page, int width, int searchEnd) {

	}

}
