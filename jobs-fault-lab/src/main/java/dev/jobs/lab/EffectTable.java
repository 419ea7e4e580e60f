package dev.jobs.lab;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

import javax.sql.DataSource;

import dev.jobs.engine.run.HandlerTransactions;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/**
 * Where transactional steps write: a row for each effect, beside the jobs.
 */
final class EffectTable implements HandlerTransactions {

	private final JdbcTemplate jdbc;

	private final PlatformTransactionManager manager;

	EffectTable(DataSource dataSource) {
		this.jdbc = new JdbcTemplate(dataSource);
		this.manager = new JdbcTransactionManager(dataSource);
	}

	void create() {
		this.jdbc.execute("create table lab_effects (job varchar(100), step varchar(100))");
	}

	void add(String job, String step) {
		this.jdbc.update("insert into lab_effects (job, step) values (?, ?)", job, step);
	}

	/**
	 * Return how many rows there are, by the job and the step with a space in between.
	 */
	Map<String, Long> rows() {
		Map<String, Long> rows = new TreeMap<>();
		RowCallbackHandler handler = (row) -> rows.put(row.getString(1) + " " + row.getString(2), row.getLong(3));
		this.jdbc.query("select job, step, count(*) from lab_effects group by job, step", handler);
		return rows;
	}

	@Override
	public End run(BooleanSupplier work) {
		TransactionStatus status = this.manager.getTransaction(new DefaultTransactionDefinition());
		boolean wanted = false;
		try {
			wanted = work.getAsBoolean();
		}
		finally {
			if (!wanted) {
				this.manager.rollback(status);
			}
		}
		if (!wanted) {
			return new End(Fate.ROLLED_BACK, null);
		}
		try {
			this.manager.commit(status);
			return new End(Fate.COMMITTED, null);
		}
		catch (RuntimeException ex) {
			return new End(Fate.UNKNOWN, ex);
		}
	}

}
