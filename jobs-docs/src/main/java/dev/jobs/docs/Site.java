package dev.jobs.docs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A static site of the project's pages: all of {@code docs} and those beside the
 * {@code README.md}, with a menu, a search and, if wanted, the Javadoc. Each page keeps
 * its path, so that a link between two pages leads to the same place here as in the
 * repository.
 */
public final class Site {

	private static final String CONTENTS = "docs/README.md";

	private static final Pattern MENU = Pattern
		.compile("(?m)^(?:## (.+)|[-*|].*?\\[([^]]+)]\\(([^)#\\s]+\\.md)\\).*)$");

	private final Path root;

	private final Path target;

	private final String version;

	private final Map<String, Page> pages = new TreeMap<>();

	/**
	 * Read the pages.
	 * @param root the root of the repository
	 * @param target where to put the site
	 * @param version the version to show
	 */
	public Site(Path root, Path target, String version) {
		this.root = root;
		this.target = target;
		this.version = version;
		try (Stream<Path> top = Files.list(root); Stream<Path> docs = Files.walk(root.resolve("docs"))) {
			Stream.concat(top, docs)
				.filter((file) -> file.toString().endsWith(".md"))
				.map((file) -> root.relativize(file).toString().replace('\\', '/'))
				.forEach((path) -> this.pages.put(path, Page.read(path, text(root.resolve(path)))));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Make the site with its Javadoc.
	 * @param args the root of the repository, where to put the site, and the version
	 */
	public static void main(String[] args) {
		Path root = Path.of(args[0]).normalize();
		Path target = Path.of(args[1]);
		Site site = new Site(root, target, args[2]);
		site.write();
		Set<String> broken = site.brokenLinks();
		if (!broken.isEmpty()) {
			throw new IllegalStateException("Links that lead nowhere: " + broken);
		}
		ApiDocs.write(root, target.resolve("api"), "Jobs " + args[2]);
		System.out.println("The site is in " + target.resolve("index.html"));
	}

	/**
	 * Write all pages, and the files they link to.
	 */
	public void write() {
		String template = resource("page.html");
		this.pages.values().forEach((page) -> write(page.address(), filled(template, page)));
		write("index.html", "<!doctype html>\n<meta charset=\"utf-8\">\n<title>Jobs</title>\n"
				+ "<meta http-equiv=\"refresh\" content=\"0; url=docs/README.html\">\n");
		write("site.css", resource("site.css"));
		write("site.js", resource("site.js"));
		write("search.js",
				"window.sections = [" + this.pages.values()
					.stream()
					.flatMap((page) -> page.sections().stream())
					.map(Page.Section::json)
					.collect(Collectors.joining(",\n")) + "];\n");
		linkedFiles().forEach(this::copy);
	}

	/**
	 * Return the links of pages that lead neither to a page, nor to a heading of it, nor
	 * to a file.
	 * @return each with the page it is on
	 */
	public Set<String> brokenLinks() {
		Set<String> broken = new TreeSet<>();
		this.pages.values().forEach((page) -> page.links().forEach((link) -> {
			Page linked = this.pages.get(link.path());
			boolean found = (linked != null) ? linked.hasAnchor(link.anchor())
					: Files.isRegularFile(this.root.resolve(link.path()));
			if (!found) {
				broken.add(page.path() + ": " + link);
			}
		}));
		return broken;
	}

	private Set<String> linkedFiles() {
		return this.pages.values()
			.stream()
			.flatMap((page) -> page.links().stream())
			.map(Page.Target::path)
			.filter((path) -> !this.pages.containsKey(path) && Files.isRegularFile(this.root.resolve(path)))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private String filled(String template, Page page) {
		String up = "../".repeat((int) page.path().chars().filter((c) -> c == '/').count());
		return template.replace("{title}", Page.escape(page.title()))
			.replace("{up}", up)
			.replace("{version}", Page.escape(this.version))
			.replace("{menu}", menu(page, up))
			.replace("{content}", page.html());
	}

	/**
	 * Return the menu, which is what the contents list, in their order.
	 */
	private String menu(Page current, String up) {
		StringBuilder menu = new StringBuilder();
		List<String> open = new ArrayList<>();
		Matcher line = MENU.matcher(text(this.root.resolve(CONTENTS)));
		while (line.find()) {
			if (line.group(1) != null) {
				open.forEach(menu::append);
				open.clear();
				menu.append("<h2>").append(Page.escape(line.group(1))).append("</h2>\n<ul>\n");
				open.add("</ul>\n");
				continue;
			}
			String path = Path.of(CONTENTS).resolveSibling(line.group(3)).normalize().toString().replace('\\', '/');
			Page page = this.pages.get(path);
			if (page != null) {
				menu.append("<li><a href=\"")
					.append(up)
					.append(page.address())
					.append(page.equals(current) ? "\" aria-current=\"page\">" : "\">")
					.append(Page.escape(line.group(2)))
					.append("</a></li>\n");
			}
		}
		open.forEach(menu::append);
		return menu.toString();
	}

	private void copy(String path) {
		try {
			Path copy = this.target.resolve(path);
			Files.createDirectories(Objects.requireNonNull(copy.getParent()));
			Files.write(copy, Files.readAllBytes(this.root.resolve(path)));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void write(String path, String text) {
		try {
			Path file = this.target.resolve(path);
			Files.createDirectories(Objects.requireNonNull(file.getParent()));
			Files.writeString(file, text);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String resource(String name) {
		try (InputStream in = Objects.requireNonNull(Site.class.getResourceAsStream(name), name)) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
