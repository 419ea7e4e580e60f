package dev.jobs.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the site that is made of the pages.
 */
class SiteTests {

	private static final Pattern REFERENCE = Pattern.compile("(?:href|src)=\"([^\"#]*)(?:#([^\"]*))?\"");

	@TempDir
	static Path target;

	private static Site site;

	@BeforeAll
	static void write() {
		site = new Site(Path.of(".."), target, "1.2.3");
		site.write();
	}

	@Test
	void everyLinkOfThePagesLeadsSomewhere() {
		assertThat(site.brokenLinks()).isEmpty();
	}

	@Test
	void everyReferenceOfTheSiteLeadsToAFileAndAnAnchor() throws IOException {
		Set<String> broken = new TreeSet<>();
		for (Path page : pages()) {
			REFERENCE.matcher(Files.readString(page).replaceAll("(?s)<pre.*?</pre>", ""))
				.results()
				.filter((match) -> !match.group(1).matches("[a-z]+:.*|.*api/index.html"))
				.filter((match) -> !leadsSomewhere(page, match.group(1), match.group(2)))
				.forEach((match) -> broken.add(target.relativize(page) + ": " + match.group()));
		}
		assertThat(broken).isEmpty();
	}

	@Test
	void everyPageIsInTheMenuOrLinkedFromOneThatIs() throws IOException {
		Set<String> linked = new TreeSet<>();
		for (Path page : pages()) {
			REFERENCE.matcher(Files.readString(page))
				.results()
				.map((match) -> page.resolveSibling(match.group(1)).normalize().toString())
				.forEach(linked::add);
		}
		assertThat(pages()).filteredOn((page) -> !page.endsWith("index.html"))
			.filteredOn((page) -> !linked.contains(page.toString()))
			.isEmpty();
	}

	@Test
	void everyPageShowsTheVersion() throws IOException {
		for (Path page : pages()) {
			if (!page.endsWith("index.html")) {
				assertThat(page).content().contains("<span class=\"version\">1.2.3</span>");
			}
		}
	}

	@Test
	void searchKnowsTheHeadingsOfPages() {
		assertThat(target.resolve("search.js")).content()
			.contains("\"docs/troubleshooting.html")
			.contains("\"Retries\"")
			.doesNotContain("</script");
	}

	@Test
	void menuIsThatOfTheContents() {
		assertThat(target.resolve("docs/stores/redis.html")).content()
			.contains("<a href=\"../../docs/getting-started.html\">")
			.contains("<a href=\"../../docs/stores/redis.html\" aria-current=\"page\">");
	}

	private static boolean leadsSomewhere(Path page, String file, String anchor) {
		Path linked = file.isEmpty() ? page : page.resolveSibling(file).normalize();
		try {
			return Files.isRegularFile(linked) && (anchor == null || anchor.isEmpty()
					|| Files.readString(linked).contains("id=\"" + anchor + "\""));
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Set<Path> pages() throws IOException {
		try (Stream<Path> files = Files.walk(target)) {
			return new TreeSet<>(files.filter((file) -> file.toString().endsWith(".html")).toList());
		}
	}

}
