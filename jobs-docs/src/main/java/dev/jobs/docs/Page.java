package dev.jobs.docs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.HardLineBreak;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.HtmlInline;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * A page of the site.
 *
 * @param path its path in the repository
 * @param title its first heading
 * @param html what is on it
 * @param sections its parts, as the search finds them
 * @param anchors where links into it may lead
 * @param links where its links within the repository lead
 */
record Page(String path, String title, String html, List<Section> sections, Set<String> anchors, List<Target> links) {

	private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());

	private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

	private static final HtmlRenderer RENDERER = HtmlRenderer.builder()
		.extensions(EXTENSIONS)
		.attributeProviderFactory((context) -> (node, tag, attributes) -> {
			if (node instanceof Heading heading) {
				attributes.put("id", anchor(textOf(heading)));
			}
		})
		.nodeRendererFactory(CodeBlocks::new)
		.build();

	private static final Pattern ID = Pattern.compile("<a id=\"([^\"]+)\">");

	private static final Pattern SOURCE = Pattern.compile("<img src=\"([^\"]+)\"");

	static Page read(String path, String text) {
		Node document = PARSER.parse(text);
		Reader reader = new Reader(path);
		document.accept(reader);
		reader.end();
		return new Page(path, reader.title, RENDERER.render(document), reader.sections, reader.anchors, reader.links);
	}

	/**
	 * Return where the page is in the site.
	 */
	String address() {
		return addressOf(this.path);
	}

	boolean hasAnchor(String anchor) {
		return anchor.isEmpty() || this.anchors.contains(anchor);
	}

	private static String addressOf(String path) {
		return path.endsWith(".md") ? path.substring(0, path.length() - 3) + ".html" : path;
	}

	/**
	 * Return the anchor of a heading, the same as where the repository is shown.
	 */
	private static String anchor(String heading) {
		return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\d _-]", "").replace(' ', '-');
	}

	private static String textOf(Node node) {
		Words words = new Words();
		node.accept(words);
		return words.text.toString().strip();
	}

	static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
	}

	/**
	 * A part of a page below a heading.
	 *
	 * @param page the title of the page
	 * @param heading the heading
	 * @param address where it is in the site
	 * @param text its words
	 */
	record Section(String page, String heading, String address, String text) {

		String json() {
			return "[" + quoted(this.page) + "," + quoted(this.heading) + "," + quoted(this.address) + ","
					+ quoted(this.text) + "]";
		}

		private static String quoted(String text) {
			return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s+", " ").replace("</", "<\\/")
					+ "\"";
		}

	}

	/**
	 * Where a link within the repository leads.
	 *
	 * @param path the path of the file
	 * @param anchor the anchor in it; may be empty
	 */
	record Target(String path, String anchor) {

		@Override
		public String toString() {
			return this.anchor.isEmpty() ? this.path : this.path + "#" + this.anchor;
		}

	}

	/**
	 * Collects what is on a page, and has its links lead to other pages of the site.
	 */
	private static final class Reader extends AbstractVisitor {

		private final String path;

		private final List<Section> sections = new ArrayList<>();

		private final Set<String> anchors = new HashSet<>();

		private final List<Target> links = new ArrayList<>();

		private final StringBuilder text = new StringBuilder();

		private String title = "";

		private String heading = "";

		Reader(String path) {
			this.path = path;
		}

		void end() {
			if (!this.heading.isEmpty()) {
				String anchor = this.heading.equals(this.title) ? "" : "#" + anchor(this.heading);
				this.sections
					.add(new Section(this.title, this.heading, addressOf(this.path) + anchor, this.text.toString()));
			}
			this.text.setLength(0);
		}

		@Override
		public void visit(Heading heading) {
			end();
			this.heading = textOf(heading);
			this.anchors.add(anchor(this.heading));
			this.title = this.title.isEmpty() ? this.heading : this.title;
			visitChildren(heading);
		}

		@Override
		public void visit(Link link) {
			link.setDestination(followed(link.getDestination()));
			visitChildren(link);
		}

		@Override
		public void visit(Image image) {
			image.setDestination(followed(image.getDestination()));
		}

		private String followed(String destination) {
			if (destination.matches("[a-z]+:.*")) {
				return destination;
			}
			String[] parts = destination.split("#", 2);
			String anchor = (parts.length > 1) ? parts[1] : "";
			Path file = parts[0].isEmpty() ? Path.of(this.path) : Path.of(this.path).resolveSibling(parts[0]);
			this.links.add(new Target(file.normalize().toString().replace('\\', '/'), anchor));
			return addressOf(parts[0]) + (anchor.isEmpty() ? "" : "#" + anchor);
		}

		@Override
		public void visit(HtmlBlock html) {
			read(html.getLiteral());
		}

		@Override
		public void visit(HtmlInline html) {
			read(html.getLiteral());
		}

		private void read(String html) {
			ID.matcher(html).results().forEach((id) -> this.anchors.add(id.group(1)));
			SOURCE.matcher(html).results().forEach((source) -> followed(source.group(1)));
		}

		@Override
		public void visit(Text text) {
			this.text.append(text.getLiteral()).append(' ');
		}

		@Override
		public void visit(Code code) {
			this.text.append(code.getLiteral()).append(' ');
		}

		@Override
		public void visit(FencedCodeBlock block) {
			this.text.append(block.getLiteral()).append(' ');
		}

	}

	/**
	 * Collects words.
	 */
	private static final class Words extends AbstractVisitor {

		private final StringBuilder text = new StringBuilder();

		@Override
		public void visit(Text text) {
			this.text.append(text.getLiteral());
		}

		@Override
		public void visit(Code code) {
			this.text.append(code.getLiteral());
		}

		@Override
		public void visit(SoftLineBreak lineBreak) {
			this.text.append(' ');
		}

		@Override
		public void visit(HardLineBreak lineBreak) {
			this.text.append(' ');
		}

	}

}
