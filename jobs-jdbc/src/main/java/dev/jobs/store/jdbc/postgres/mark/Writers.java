package dev.jobs.store.jdbc.postgres.mark;

import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.jobs.store.jdbc.postgres.statement.PostgresSql;
import dev.jobs.store.jdbc.sql.Statements;

/**
 * The transactions under way in PostgreSQL that may still commit a row with a number
 * drawn before now. Each holds a lock on the table of the rows: a statement takes it
 * before it draws, and its transaction keeps it until what it wrote can be seen.
 * Transactions that only read the table, or have written elsewhere, do not count.
 *
 * @param all the transactions
 */
public record Writers(List<Writer> all) {

	static Writers underWay(Statements statements, String table) {
		return new Writers(
				statements.query(PostgresSql.WRITERS_UNDER_WAY.text(), Writer::read, statements.name(table)));
	}

	/**
	 * Return the transactions of these that are, or may be, still under way.
	 */
	Writers still(Writers now) {
		return new Writers(now.all.stream()
			.filter((writer) -> this.all.stream().anyMatch((known) -> known.mayBe(writer)))
			.toList());
	}

	boolean isNone() {
		return this.all.isEmpty();
	}

	/**
	 * One transaction.
	 *
	 * @param names its name in its session, unless it is prepared, and its numbers
	 * @param isPrepared whether it waits for the second phase of its commit
	 */
	record Writer(Set<String> names, boolean isPrepared) {

		private static Writer read(ResultSet row, int number) throws SQLException {
			boolean prepared = row.getBoolean(2);
			Set<String> names = new HashSet<>();
			if (!prepared) {
				names.add(row.getString(1));
			}
			Array numbers = row.getArray(3);
			if (numbers != null) {
				names.addAll(Arrays.asList((String[]) numbers.getArray()));
			}
			return new Writer(names, prepared);
		}

		/**
		 * Return whether a transaction seen later may be this one. A transaction without
		 * a number may have got one since and be prepared by now.
		 */
		private boolean mayBe(Writer later) {
			boolean hasNumber = this.isPrepared || this.names.size() > 1;
			return !Collections.disjoint(this.names, later.names) || (!hasNumber && later.isPrepared);
		}

	}

}
