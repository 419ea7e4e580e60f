package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the statements of a schema create, so that it stands nowhere else.
 *
 * @param tables the tables
 * @param sequences the names of the sequences
 * @param indexes the names of the indexes
 */
record SchemaText(List<Table> tables, List<String> sequences, List<String> indexes) {

	private static final Pattern TABLE = Pattern.compile("create table if not exists (\\S+) \\(\n(.*?)\n\\)",
			Pattern.DOTALL);

	private static final Pattern SEQUENCE = Pattern.compile("create sequence if not exists ([\\w.]+)");

	private static final Pattern INDEX = Pattern.compile("index if not exists (\\w+)");

	/** A comma between two columns, and not within what is said of one. */
	private static final Pattern BETWEEN = Pattern.compile(",\\s+(?![^()]*\\))");

	static SchemaText of(String text) {
		List<Table> tables = TABLE.matcher(text).results().map((found) -> {
			Map<String, String> columns = new LinkedHashMap<>();
			Stream.of(BETWEEN.split(found.group(2).strip()))
				.map(String::strip)
				.filter((column) -> !column.startsWith("primary key"))
				.forEach((column) -> columns.put(column.split(" ", 2)[0], column));
			return new Table(found.group(1), columns);
		}).toList();
		return new SchemaText(tables, names(SEQUENCE, text), names(INDEX, text));
	}

	private static List<String> names(Pattern pattern, String text) {
		List<String> names = new ArrayList<>();
		for (Matcher matcher = pattern.matcher(text); matcher.find();) {
			names.add(matcher.group(1));
		}
		return names;
	}

	/**
	 * Return the rows that count where there are no sequences.
	 */
	List<String> counters() {
		return this.tables.stream().anyMatch((table) -> table.name().endsWith("counter")) ? List.of("place", "token")
				: List.of();
	}

	/**
	 * A table.
	 *
	 * @param name its name
	 * @param columns what is said of each column, by its name
	 */
	record Table(String name, Map<String, String> columns) {

		/**
		 * Return the columns that may be written.
		 */
		List<String> writable() {
			return this.columns.entrySet()
				.stream()
				.filter((column) -> !column.getValue().contains("generated always"))
				.map(Map.Entry::getKey)
				.toList();
		}

	}

}
