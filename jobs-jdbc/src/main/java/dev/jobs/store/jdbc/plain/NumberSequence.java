package dev.jobs.store.jdbc.plain;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import dev.jobs.store.jdbc.sql.Statements;

/**
 * Returns numbers, each greater than any returned before.
 */
interface NumberSequence {

	/** MariaDB ends a recursion after 1000 steps and returns the numbers so far. */
	int AT_ONCE = 1000;

	List<Long> next(Statements statements, String name, int count);

	/**
	 * Read a sequence of the database, by a query.
	 */
	static NumberSequence sequence(String sql) {
		return (statements, name, count) -> {
			List<Long> numbers = new ArrayList<>(count);
			while (numbers.size() < count) {
				numbers.addAll(statements.query(sql.formatted(name), (row, n) -> row.getLong(1),
						Math.min(count - numbers.size(), AT_ONCE)));
			}
			return numbers.stream().sorted().toList();
		};
	}

	/**
	 * Count in a row of a table, which blocks others until the transaction ends.
	 */
	static NumberSequence counter() {
		return (statements, name, count) -> {
			statements.update("update {counter} set last = last + ? where name = ?", count, name);
			long last = statements.number("select last from {counter} where name = ?", name);
			return LongStream.rangeClosed(last - count + 1, last).boxed().toList();
		};
	}

}
