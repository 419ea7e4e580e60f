package dev.jobs.docs;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlWriter;
import org.jspecify.annotations.Nullable;

/**
 * Writes blocks of code, with the words of their language marked. Diagrams, which
 * browsers cannot draw, become a table of their arrows.
 */
final class CodeBlocks implements NodeRenderer {

	private static final Pattern ARROW = Pattern.compile(
			"(?m)^\\s*(\\[\\*]|[\\w.-]+)(?:\\[\"?([^]\"]+)\"?])? --> (\\[\\*]|[\\w.-]+)(?:\\[\"?([^]\"]+)\"?])?(?: : (.*))?$");

	private static final Pattern CODE = Pattern.compile(
			"(?m)(?<comment>//.*$|(?<![\\w\"'{])#.*$|<!--.*?-->)|(?<text>\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\""
					+ "|'(?:\\\\.|[^'\\\\\n])*')|(?<mark>@\\w+(?:\\.\\w+)*|</?[\\w.:-]+|/?>|^[ \\t-]*[\\w.\\[\\]<>/-]+:(?=\\s|$))"
					+ "|(?<word>\\b[a-z]+\\b)");

	private static final Set<String> JAVA = Set.of("abstract", "boolean", "break", "case", "catch", "class", "continue",
			"default", "do", "else", "enum", "extends", "false", "final", "finally", "for", "if", "implements",
			"import", "instanceof", "int", "interface", "long", "new", "null", "package", "permits", "private",
			"protected", "public", "record", "return", "sealed", "static", "switch", "this", "throw", "throws", "true",
			"try", "var", "void", "while");

	private static final Set<String> KOTLIN = Set.of("as", "by", "class", "data", "else", "false", "for", "fun", "if",
			"import", "in", "inline", "interface", "is", "null", "object", "open", "override", "package", "private",
			"reified", "return", "sealed", "suspend", "throw", "true", "val", "value", "var", "when");

	private static final Set<String> SQL = Set.of("and", "as", "by", "create", "concurrently", "exists", "from", "if",
			"in", "index", "insert", "interval", "into", "is", "join", "left", "like", "not", "null", "on", "or",
			"order", "select", "using", "values", "where");

	private static final Map<String, Set<String>> KEYWORDS = Map.of("java", JAVA, "kotlin", KOTLIN, "sql", SQL, "ruby",
			Set.of("class", "def", "do", "end", "include"), "go", Set.of("func", "return", "struct"));

	private final HtmlWriter html;

	CodeBlocks(HtmlNodeRendererContext context) {
		this.html = context.getWriter();
	}

	@Override
	public Set<Class<? extends Node>> getNodeTypes() {
		return Set.of(FencedCodeBlock.class);
	}

	@Override
	public void render(Node node) {
		FencedCodeBlock block = (FencedCodeBlock) node;
		String[] info = block.getInfo().strip().split("\\s+", 2);
		this.html.line();
		if (info[0].equals("mermaid")) {
			this.html.raw(arrows(block.getLiteral()));
			return;
		}
		this.html.tag("pre", Map.of("data-language", info[0]));
		this.html.tag("code");
		this.html.raw(info[0].isEmpty() ? Page.escape(block.getLiteral())
				: marked(block.getLiteral(), KEYWORDS.getOrDefault(info[0], Set.of())));
		this.html.tag("/code");
		this.html.tag("/pre");
		this.html.line();
	}

	private static String arrows(String diagram) {
		List<MatchResult> arrows = ARROW.matcher(diagram).results().toList();
		Map<String, String> names = new HashMap<>(Map.of("[*]", "·"));
		for (MatchResult arrow : arrows) {
			note(names, arrow.group(1), arrow.group(2));
			note(names, arrow.group(3), arrow.group(4));
		}
		StringBuilder table = new StringBuilder("<table class=\"arrows\">\n");
		for (MatchResult arrow : arrows) {
			table.append("<tr><td>")
				.append(name(names, arrow.group(1)))
				.append("</td><td>→</td><td>")
				.append(name(names, arrow.group(3)))
				.append("</td><td>")
				.append((arrow.group(5) != null) ? Page.escape(arrow.group(5)) : "")
				.append("</td></tr>\n");
		}
		return table.append("</table>\n").toString();
	}

	private static void note(Map<String, String> names, String id, @Nullable String name) {
		if (name != null) {
			names.put(id, name);
		}
	}

	private static String name(Map<String, String> names, String id) {
		return Page.escape(names.getOrDefault(id, id));
	}

	private static String marked(String code, Set<String> keywords) {
		StringBuilder marked = new StringBuilder();
		Matcher part = CODE.matcher(code);
		int end = 0;
		while (part.find()) {
			marked.append(Page.escape(code.substring(end, part.start())));
			end = part.end();
			String kind = kind(part, keywords);
			String text = Page.escape(part.group());
			marked.append(kind.isEmpty() ? text : "<span class=\"" + kind + "\">" + text + "</span>");
		}
		return marked.append(Page.escape(code.substring(end))).toString();
	}

	private static String kind(Matcher part, Set<String> keywords) {
		if (part.group("comment") != null) {
			return "comment";
		}
		if (part.group("text") != null) {
			return "text";
		}
		if (part.group("mark") != null) {
			return "mark";
		}
		return keywords.contains(part.group("word")) ? "word" : "";
	}

}
