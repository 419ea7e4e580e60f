package dev.jobs.store.jdbc;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.sql.DataSource;

import dev.jobs.store.jdbc.sql.SqlFault;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.Tables;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Finds out whether tables can be used: it tries each kind of statement on each table,
 * without changing a row.
 */
public final class SchemaCheck {

	private static final Logger logger = LoggerFactory.getLogger(SchemaCheck.class);

	private static final int TIMEOUT_SECONDS = 5;

	private static final Pattern TABLE = Pattern.compile("create table if not exists (\\S+) \\(\n(.*?)\n\\)",
			Pattern.DOTALL);

	/** A comma between two columns, not within a column's definition. */
	private static final Pattern BETWEEN = Pattern.compile(",\\s+(?![^()]*\\))");

	/** A user that may write to these may write to all of SQLite. */
	private static final Set<String> ONE_OF_ALL = Set.of("job", "outbox");

	private final JdbcTemplate jdbc;

	private final Database database;

	private final Statements statements;

	private final Set<String> missing = new LinkedHashSet<>();

	private final Set<String> refused = new LinkedHashSet<>();

	private int version;

	private SchemaCheck(DataSource dataSource, Database database, String tablePrefix) {
		this.jdbc = bounded(dataSource);
		this.database = database;
		this.statements = new Statements(this.jdbc, new Tables(tablePrefix), database.dialect().valueLists(), true);
	}

	/**
	 * Check the tables of a store or an outbox.
	 * @param dataSource the data source of the database
	 * @param database the database
	 * @param tablePrefix the prefix of the tables
	 * @param outbox whether to check the tables of an outbox
	 * @return the findings
	 * @throws DataAccessException if the database cannot be asked, or is read-only
	 */
	public static SchemaCheck of(DataSource dataSource, Database database, String tablePrefix, boolean outbox) {
		SchemaCheck check = new SchemaCheck(dataSource, database, tablePrefix);
		if (outbox) {
			check.tryTables(JdbcSchema.ofOutbox(database, tablePrefix));
		}
		else {
			check.tryTables(JdbcSchema.of(database, tablePrefix));
			check.tryNumbers("place");
			check.tryNumbers("token");
			check.tryVersion();
		}
		if (!check.missing.isEmpty()) {
			check.requireWritable();
		}
		return check;
	}

	/**
	 * Return whether a table is missing. It is looked up, since servers and drivers log
	 * failed statements. If in doubt it counts as present, and a trial decides.
	 * @param dataSource the data source of the database
	 * @param database the database
	 * @param table the name of the table, perhaps with the name of its schema and a dot
	 * before it
	 * @return whether it is missing
	 * @throws DataAccessException if the database cannot be asked
	 */
	public static boolean findsNo(DataSource dataSource, Database database, String table) {
		String name = table.substring(table.indexOf('.') + 1).toLowerCase(Locale.ROOT);
		return database != Database.SQLITE && bounded(dataSource)
			.queryForList("select 1 from information_schema.tables where lower(table_name) = ?", Integer.class, name)
			.isEmpty();
	}

	private static JdbcTemplate bounded(DataSource dataSource) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.setQueryTimeout(TIMEOUT_SECONDS);
		return jdbc;
	}

	/**
	 * Return whether a fault means that the server takes no writes for now, as a standby.
	 * @param fault the fault
	 * @return whether it means that
	 */
	public static boolean isReadOnly(Throwable fault) {
		return SqlFault.of(fault) == SqlFault.READ_ONLY;
	}

	/**
	 * Return what is missing: tables, sequences, the version, and one column of each
	 * table, in the words of the database.
	 * @return what is missing
	 */
	public List<String> missing() {
		return List.copyOf(this.missing);
	}

	/**
	 * Return the missing rights of the user, such as {@code delete on table jobs_job}.
	 * @return the rights that are missing
	 */
	public List<String> refused() {
		return List.copyOf(this.refused);
	}

	/**
	 * Return the version of the tables.
	 * @return the version, 0 if they have none or cannot be used
	 */
	public int version() {
		return this.version;
	}

	private void tryTables(String schema) {
		TABLE.matcher(schema).results().forEach((found) -> tryTable(found.group(1), columns(found.group(2))));
	}

	/**
	 * Return the columns that may be written.
	 */
	private static String columns(String definitions) {
		return Arrays.stream(BETWEEN.split(definitions.strip()))
			.filter((column) -> !column.matches("(primary key|check) .*") && !column.contains("generated always"))
			.map((column) -> column.split(" ", 2)[0])
			.collect(Collectors.joining(", "));
	}

	private void tryTable(String table, String columns) {
		DataAccessException fault = attempt("select " + columns + " from " + table + " where 1 = 0");
		if (fault == null) {
			tryWrites(table, columns);
		}
		else if (SqlFault.of(fault) == SqlFault.REFUSED) {
			this.refused.add("select on table " + table);
		}
		else if (attempt("select 1 from " + table + " where 1 = 0") != null) {
			this.missing.add("table " + table);
		}
		else {
			String text = String.valueOf(NestedExceptionUtils.getMostSpecificCause(fault).getMessage());
			this.missing.add("a column of table " + table + " (" + text.lines().findFirst().orElse("") + ")");
		}
	}

	/**
	 * Try to write to a table. The versions are only read. In SQLite each statement would
	 * wait for other writers.
	 */
	private void tryWrites(String table, String columns) {
		String name = table.substring(this.statements.name("").length());
		if (name.equals("schema") || (this.database == Database.SQLITE && !ONE_OF_ALL.contains(name))) {
			return;
		}
		String last = columns.substring(columns.lastIndexOf(' ') + 1);
		requireRight("insert", table,
				"insert into " + table + " (" + columns + ") select " + columns + " from " + table + " where 1 = 0");
		requireRight("update", table, "update " + table + " set " + last + " = " + last + " where 1 = 0");
		requireRight("delete", table, "delete from " + table + " where 1 = 0");
	}

	private void requireRight(String right, String table, String sql) {
		if (attempt(sql) != null) {
			this.refused.add(right + " on table " + table);
		}
	}

	/**
	 * Draw a number, which nobody misses. In SQLite, where a row counts, this would wait
	 * for other writers.
	 */
	private void tryNumbers(String name) {
		String sequence = this.statements.name(name);
		if (this.database == Database.SQLITE) {
			attempt(() -> {
				if (this.statements.number("select count(*) from {counter} where name = ?", name) == 0) {
					this.missing.add("row '" + name + "' of table " + this.statements.name("counter"));
				}
			});
			return;
		}
		DataAccessException fault = attempt(() -> this.database.dialect().next(this.statements, name, 1));
		if (fault != null && SqlFault.of(fault) != SqlFault.REFUSED) {
			this.missing.add("sequence " + sequence);
			return;
		}
		if (fault != null) {
			this.refused.add("usage on sequence " + sequence);
		}
		if (this.database == Database.POSTGRESQL && attempt("select last_value from " + sequence) != null) {
			this.refused.add("select on sequence " + sequence);
		}
	}

	private void tryVersion() {
		if (!this.missing.isEmpty() || !this.refused.isEmpty()) {
			return;
		}
		attempt(() -> this.version = (int) this.statements.number("select max(version) from {schema}"));
		if (this.version < JdbcSchema.VERSION) {
			this.missing.add("version " + JdbcSchema.VERSION + " of the tables, which have version " + this.version);
		}
	}

	/**
	 * Report nothing as missing on a read-only server, since it may be a standby that
	 * will still receive it.
	 */
	private void requireWritable() {
		String sql = switch (this.database) {
			case POSTGRESQL -> "select count(*) where current_setting('transaction_read_only') = 'on'";
			case MARIADB -> "select @@global.read_only";
			case H2, SQLITE -> "";
		};
		if (!sql.isEmpty() && this.statements.number(sql) == 1) {
			throw new TransientDataAccessResourceException("Not writable",
					new SQLException("the server is read-only", "25006"));
		}
	}

	private @Nullable DataAccessException attempt(String sql) {
		return attempt(() -> this.jdbc.execute(sql));
	}

	/**
	 * Try a statement. If only a lock of others stops it, it counts as working. A
	 * read-only server is asked again later, like one that is down.
	 * @return why it failed, or {@code null} if it did not
	 */
	private static @Nullable DataAccessException attempt(Runnable statement) {
		try {
			statement.run();
			return null;
		}
		catch (DataAccessResourceFailureException ex) {
			throw ex;
		}
		catch (TransientDataAccessException ex) {
			logger.debug("Others were in the way of a check", ErrorText.loggable(ex));
			return null;
		}
		catch (DataAccessException ex) {
			SqlFault fault = SqlFault.of(ex);
			if (fault == SqlFault.READ_ONLY) {
				throw ex;
			}
			return (fault != SqlFault.BUSY) ? ex : null;
		}
	}

}
