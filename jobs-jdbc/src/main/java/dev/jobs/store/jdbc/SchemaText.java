package dev.jobs.store.jdbc;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What the statements of a schema leave behind once all of them have run, read from the
 * statements, so that it is written down once.
 *
 * @param tables the tables
 * @param sequences the names of the sequences
 * @param indexes the names of the indexes
 */
record SchemaText(List<Table> tables, List<String> sequences, List<String> indexes) {

	private static final Pattern END = Pattern.compile(";\\s*(?:\n|$)");

	private static final Pattern TABLE = Pattern.compile("create table if not exists (\\S+) \\(\n(.*?)\n\\)",
			Pattern.DOTALL);

	private static final Pattern COLUMN = Pattern.compile("alter table (\\S+) add column (?:if not exists )?(.+)");

	private static final Pattern SEQUENCE = Pattern.compile("create sequence if not exists ([\\w.]+)");

	private static final Pattern INDEX = Pattern.compile("index if not exists (\\w+)");

	private static final Pattern DROPPED_INDEX = Pattern.compile("drop index (?:if exists )?(\\w+)");

	/** A comma between two columns, and not within what is said of one. */
	private static final Pattern BETWEEN = Pattern.compile(",\\s+(?![^()]*\\))");

	static SchemaText of(String text) {
		Map<String, Map<String, String>> tables = new LinkedHashMap<>();
		Set<String> sequences = new LinkedHashSet<>();
		Set<String> indexes = new LinkedHashSet<>();
		for (String statement : END.split(text)) {
			find(TABLE, statement, (found) -> tables.put(found.group(1), columns(found.group(2))));
			find(COLUMN, statement, (found) -> tables.computeIfAbsent(found.group(1), (name) -> new LinkedHashMap<>())
				.putAll(columns(found.group(2))));
			find(SEQUENCE, statement, (found) -> sequences.add(found.group(1)));
			find(INDEX, statement, (found) -> indexes.add(found.group(1)));
			find(DROPPED_INDEX, statement, (found) -> indexes.remove(found.group(1)));
		}
		return new SchemaText(
				tables.entrySet().stream().map((table) -> new Table(table.getKey(), table.getValue())).toList(),
				List.copyOf(sequences), List.copyOf(indexes));
	}

	private static void find(Pattern pattern, String statement, Consumer<MatchResult> found) {
		Matcher matcher = pattern.matcher(statement);
		if (matcher.find()) {
			found.accept(matcher);
		}
	}

	private static Map<String, String> columns(String definitions) {
		Map<String, String> columns = new LinkedHashMap<>();
		Stream.of(BETWEEN.split(definitions.strip()))
			.map(String::strip)
			.filter((column) -> !column.startsWith("primary key"))
			.forEach((column) -> columns.put(column.split(" ", 2)[0], column));
		return columns;
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
