package dev.jobs.store.jdbc;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

import javax.sql.DataSource;

import dev.jobs.store.ErrorText;
import dev.jobs.store.jdbc.sql.SqlFault;
import dev.jobs.store.jdbc.sql.Statements;
import dev.jobs.store.jdbc.sql.Tables;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Finds out what tables lack: each statement of each kind is tried, and none of them
 * changes a row.
 */
public final class SchemaCheck {

	private static final Logger logger = LoggerFactory.getLogger(SchemaCheck.class);

	private static final int TIMEOUT_SECONDS = 5;

	private static final String VERSION = "schema";

	private final JdbcTemplate jdbc;

	private final Database database;

	private final SchemaText text;

	private final Statements statements;

	private final Set<String> missing = new LinkedHashSet<>();

	private final Set<String> missingIndexes = new LinkedHashSet<>();

	private final Set<String> refused = new LinkedHashSet<>();

	private final List<String> additions = new ArrayList<>();

	private int version;

	private SchemaCheck(DataSource dataSource, Database database, String tablePrefix, String text) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.jdbc.setQueryTimeout(TIMEOUT_SECONDS);
		this.database = database;
		this.text = SchemaText.of(text);
		this.statements = new Statements(this.jdbc, new Tables(tablePrefix), database.dialect().valueLists(), true);
	}

	/**
	 * Check the tables of a store.
	 * @param dataSource leads to the database
	 * @param database the database
	 * @param tablePrefix what the names of the tables begin with
	 * @return what was found
	 * @throws DataAccessException if the database cannot be asked, or is read-only
	 */
	public static SchemaCheck of(DataSource dataSource, Database database, String tablePrefix) {
		SchemaCheck check = new SchemaCheck(dataSource, database, tablePrefix, JdbcSchema.of(database, tablePrefix));
		check.readVersion();
		check.run();
		if (check.missing.isEmpty() && check.refused.isEmpty()) {
			check.checkVersion();
		}
		return check;
	}

	/**
	 * Check the table of an outbox.
	 * @param dataSource leads to the database
	 * @param database the database
	 * @param tablePrefix what the names of the tables begin with
	 * @return what was found
	 * @throws DataAccessException if the database cannot be asked, or is read-only
	 */
	public static SchemaCheck ofOutbox(DataSource dataSource, Database database, String tablePrefix) {
		SchemaCheck check = new SchemaCheck(dataSource, database, tablePrefix,
				JdbcSchema.ofOutbox(database, tablePrefix));
		check.run();
		return check;
	}

	/**
	 * Return whether the first table of a schema is not to be seen on a server. It is
	 * looked up, since servers and drivers log statements that fail. If in doubt it is
	 * there, and a trial decides.
	 * @param dataSource leads to the database
	 * @param database the database
	 * @param schema the statements of the schema
	 * @return whether nothing is there yet
	 * @throws DataAccessException if the database cannot be asked
	 */
	public static boolean findsNothing(DataSource dataSource, Database database, String schema) {
		String sql = switch (database) {
			case POSTGRESQL -> "select count(to_regclass(?))";
			case MARIADB ->
				"select count(*) from information_schema.tables "
						+ "where ? in (table_name, concat(table_schema, '.', table_name)) "
						+ "and (table_schema = database() or ? like '%.%')";
			case H2, SQLITE -> "";
		};
		if (sql.isEmpty()) {
			return false;
		}
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		jdbc.setQueryTimeout(TIMEOUT_SECONDS);
		String table = SchemaText.of(schema).tables().get(0).name();
		long arguments = sql.chars().filter((sign) -> sign == '?').count();
		boolean[] nothing = new boolean[1];
		attempt(() -> nothing[0] = jdbc
			.queryForList(sql, Long.class, Collections.nCopies((int) arguments, table).toArray())
			.contains(0L));
		return nothing[0];
	}

	/**
	 * Return whether a fault is that of a server that takes no writes for now, as one
	 * that is a standby.
	 * @param fault the fault
	 * @return whether it comes from such a server
	 */
	public static boolean isReadOnly(Throwable fault) {
		return SqlFault.of(fault) == SqlFault.READ_ONLY;
	}

	/**
	 * Return what is not there, each with its kind and its name: tables, columns as in
	 * {@code column jobs_queue.paused}, sequences, the version.
	 * @return the names
	 */
	public List<String> missing() {
		return List.copyOf(this.missing);
	}

	/**
	 * Return the indexes that are not there. Nothing fails without them, but it takes
	 * longer.
	 * @return their names
	 */
	public List<String> missingIndexes() {
		return List.copyOf(this.missingIndexes);
	}

	/**
	 * Return what the user may not do, each as in {@code delete on table jobs_job}.
	 * @return the rights that are missing
	 */
	public List<String> refused() {
		return List.copyOf(this.refused);
	}

	/**
	 * Return the statements that add the columns that are missing. All else that is
	 * missing is added by those of the schema.
	 * @return the statements
	 */
	public List<String> additions() {
		return List.copyOf(this.additions);
	}

	/**
	 * Return the version of the tables.
	 * @return the version, 0 if there are none or they have no version
	 */
	public int version() {
		return this.version;
	}

	private void run() {
		for (SchemaText.Table table : this.text.tables()) {
			if (hasColumns(table) && !table.name().equals(this.statements.name(VERSION))) {
				checkRights(table);
			}
		}
		this.text.sequences().forEach(this::checkSequence);
		if (this.database == Database.SQLITE && this.missing.isEmpty()) {
			this.text.counters().forEach(this::checkCounter);
		}
		if (this.missing.isEmpty()) {
			checkIndexes();
		}
		else {
			requireWritable();
		}
	}

	/**
	 * Report nothing as missing on a server that is read-only, since it may be a standby
	 * that is still to receive it.
	 */
	private void requireWritable() {
		String sql = switch (this.database) {
			case POSTGRESQL -> "select count(*) where current_setting('transaction_read_only') = 'on'";
			case MARIADB -> "select @@global.read_only";
			case H2, SQLITE -> "";
		};
		if (!sql.isEmpty() && this.jdbc.queryForList(sql, Long.class).contains(1L)) {
			throw new TransientDataAccessResourceException("Not writable",
					new SQLException("the server is read-only", "25006"));
		}
	}

	private boolean hasColumns(SchemaText.Table table) {
		String columns = String.join(", ", table.columns().keySet());
		SqlFault fault = attempt("select " + columns + " from " + table.name() + " where 1 = 0");
		if (fault == null) {
			return true;
		}
		if (fault == SqlFault.REFUSED) {
			this.refused.add("select on table " + table.name());
		}
		else if (attempt("select 1 from " + table.name() + " where 1 = 0") != null) {
			this.missing.add("table " + table.name());
		}
		else {
			table.columns().forEach((column, definition) -> checkColumn(table.name(), column, definition));
		}
		return false;
	}

	private void checkColumn(String table, String column, String definition) {
		if (attempt("select " + table + "." + column + " from " + table + " where 1 = 0") != null) {
			this.missing.add("column " + table + "." + column);
			this.additions.add("alter table " + table + " add column " + definition);
		}
	}

	/**
	 * Check whether rows may be written. In SQLite who may write to one table may write
	 * to all, and each statement would wait for other writers.
	 */
	private void checkRights(SchemaText.Table table) {
		if (this.database == Database.SQLITE && !table.equals(this.text.tables().get(0))) {
			return;
		}
		String columns = String.join(", ", table.writable());
		String last = table.writable().get(table.writable().size() - 1);
		requireRight("insert", table, "insert into " + table.name() + " (" + columns + ") select " + columns + " from "
				+ table.name() + " where 1 = 0");
		requireRight("update", table, "update " + table.name() + " set " + last + " = " + last + " where 1 = 0");
		requireRight("delete", table, "delete from " + table.name() + " where 1 = 0");
	}

	private void requireRight(String right, SchemaText.Table table, String sql) {
		if (attempt(sql) != null) {
			this.refused.add(right + " on table " + table.name());
		}
	}

	/**
	 * Draw a number, which nobody misses.
	 */
	private void checkSequence(String name) {
		String bare = name.substring(this.statements.name("").length());
		SqlFault fault = attempt(() -> this.database.dialect().next(this.statements, bare, 1));
		if (fault == SqlFault.REFUSED) {
			this.refused.add("usage on sequence " + name);
		}
		else if (fault != null) {
			this.missing.add("sequence " + name);
			return;
		}
		if (this.database == Database.POSTGRESQL && attempt("select last_value from " + name) != null) {
			this.refused.add("select on sequence " + name);
		}
	}

	private void checkCounter(String name) {
		if (this.statements.number("select count(*) from {counter} where name = ?", name) == 0) {
			this.missing.add("row '" + name + "' of table " + this.statements.name("counter"));
		}
	}

	private void checkIndexes() {
		Set<String> known = new LinkedHashSet<>();
		for (SchemaText.Table table : this.text.tables()) {
			known.addAll(indexes(table.name()));
		}
		this.text.indexes()
			.stream()
			.filter(Predicate.not((index) -> known.contains(index.toLowerCase(Locale.ROOT))))
			.forEach(this.missingIndexes::add);
	}

	private List<String> indexes(String table) {
		String sql = switch (this.database) {
			case POSTGRESQL -> "select lower(c.relname) from pg_index i join pg_class c on c.oid = i.indexrelid "
					+ "where i.indrelid = to_regclass(?) and i.indisvalid";
			case MARIADB ->
				"select distinct lower(index_name) from information_schema.statistics "
						+ "where ? in (table_name, concat(table_schema, '.', table_name)) "
						+ "and (table_schema = database() or ? like '%.%')";
			case H2 -> "select lower(index_name) from information_schema.indexes "
					+ "where lower(?) in (lower(table_name), lower(table_schema || '.' || table_name)) "
					+ "and (table_schema = schema() or ? like '%.%')";
			case SQLITE -> "select lower(name) from sqlite_master "
					+ "where type = 'index' and ? in (tbl_name, 'main.' || tbl_name)";
		};
		long arguments = sql.chars().filter((sign) -> sign == '?').count();
		return this.jdbc.queryForList(sql, String.class, Collections.nCopies((int) arguments, table).toArray());
	}

	private void readVersion() {
		attempt(() -> this.version = (int) this.statements.number("select coalesce(max(version), 0) from {schema}"));
	}

	private void checkVersion() {
		if (this.version < JdbcSchema.VERSION) {
			this.missing.add("version " + JdbcSchema.VERSION + " of the tables, which have version " + this.version);
		}
	}

	private @Nullable SqlFault attempt(String sql) {
		return attempt(() -> this.jdbc.execute(sql));
	}

	/**
	 * Try something. Where others are in its way, it would have worked. A server that is
	 * read-only is asked again later, like one that is down.
	 * @return why it failed, or {@code null} if it did not
	 */
	private static @Nullable SqlFault attempt(Runnable statement) {
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
			return (fault != SqlFault.BUSY) ? fault : null;
		}
	}

}
