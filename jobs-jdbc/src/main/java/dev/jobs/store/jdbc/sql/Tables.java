package dev.jobs.store.jdbc.sql;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.store.jdbc.row.StateColumn;

/**
 * The names of the tables. In the texts of statements a name in braces stands for a
 * table, {@code {job}} for {@code jobs_job}, or for the number of a state, as
 * {@code {ready}} does.
 */
public final class Tables {

	/** A prefix becomes part of statements, so only this is allowed. */
	private static final Pattern VALID = Pattern
		.compile("([A-Za-z_][A-Za-z0-9_]{0,62}\\.)?[A-Za-z_][A-Za-z0-9_]{0,39}");

	private static final Pattern NAME = Pattern.compile("\\{(\\w+)}");

	private final String prefix;

	private final Map<String, String> texts = new ConcurrentHashMap<>();

	public Tables(String prefix) {
		if (!VALID.matcher(prefix).matches()) {
			throw new IllegalArgumentException(
					"The prefix of the tables must have letters, digits and underscores only, "
							+ "at most 40, perhaps after the name of a schema and a dot, but was '" + prefix + "'");
		}
		this.prefix = prefix;
	}

	/**
	 * Return the name of a table or sequence.
	 */
	String name(String table) {
		return this.prefix + table;
	}

	/**
	 * Return a statement with the names of the tables and the numbers of states in it.
	 */
	public String in(String text) {
		return this.texts.computeIfAbsent(text, (added) -> NAME.matcher(added)
			.replaceAll((found) -> Matcher.quoteReplacement(meaning(found.group(1)))));
	}

	private String meaning(String name) {
		Integer state = StateColumn.NUMBERS.get(name);
		return (state != null) ? state.toString() : name(name);
	}

	/**
	 * Return the text of a schema, written with the prefix {@code jobs_}, with the real
	 * names. Names of indexes never have a schema.
	 */
	public String inSchema(String text) {
		String bare = this.prefix.substring(this.prefix.indexOf('.') + 1);
		return text.replaceAll("(index if not exists )jobs_(\\w+)", "$1" + bare + "$2")
			.replaceAll(
					"(?<![\\w.])jobs_(?=(place|token|job|lane|queue|gate|worker|delivery|schedule|tally|note|setting|throttle|saved|end|"
							+ "counter|schema|outbox|step)\\b)",
					Matcher.quoteReplacement(this.prefix));
	}

}
