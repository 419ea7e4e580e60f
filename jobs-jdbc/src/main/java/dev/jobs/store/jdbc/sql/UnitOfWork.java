package dev.jobs.store.jdbc.sql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.jobs.store.jdbc.signal.Signal;
import dev.jobs.store.support.Refusals;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.DataAccessException;

/**
 * A call that writes: its statements, and its work after the commit. In a joined
 * transaction of the application, which may take long, it takes no lock that others need:
 * such work runs in its own transaction, or after the commit.
 *
 * @param statements its statements
 * @param dialect the dialect of this database
 * @param outside runs work that others must not wait for, or {@code null} if the call may
 * do it itself
 * @param refused the rows that the database refuses to change, which are skipped, or
 * {@code null} if all rows are changed together
 * @param signals what to publish after the commit
 * @param rest what to do after the commit
 */
public record UnitOfWork(Statements statements, Dialect dialect, @Nullable Consumer<Consumer<UnitOfWork>> outside,
		@Nullable RefusedRows refused, Set<Signal> signals, List<Consumer<UnitOfWork>> rest) {

	UnitOfWork(Statements statements, Dialect dialect, @Nullable Consumer<Consumer<UnitOfWork>> outside,
			@Nullable RefusedRows refused) {
		this(statements, dialect, outside, refused, new LinkedHashSet<>(), new ArrayList<>());
	}

	/**
	 * Return whether rows are changed one by one, to skip those that the database refuses
	 * to change.
	 */
	public boolean isCareful() {
		return this.refused != null;
	}

	/**
	 * Return the ids of jobs to pass over, because the database has just refused to
	 * change them.
	 */
	public Set<String> passedOver() {
		return (this.refused != null) ? this.refused.ids() : Set.of();
	}

	/**
	 * Change jobs, each by a run of the statement.
	 * @param queue returns the queue of a job
	 * @param id returns its id
	 * @param arguments returns the arguments of the statement for it
	 * @return the changed jobs; the database refuses the others
	 */
	public <T> List<T> changeEach(List<T> jobs, Function<T, String> queue, Function<T, String> id, String sql,
			Function<T, @Nullable Object[]> arguments) {
		if (this.refused == null) {
			this.statements.batch(sql, jobs.stream().map(arguments).toList());
			return jobs;
		}
		List<T> changed = new ArrayList<>();
		for (T job : jobs) {
			DataAccessException cause = this.statements.attempt(sql, arguments.apply(job));
			if (cause == null) {
				changed.add(job);
			}
			else {
				this.refused.add(queue.apply(job), id.apply(job), cause);
			}
		}
		return changed;
	}

	/**
	 * Return whether it may take locks that others need.
	 */
	public boolean mayLock() {
		return this.outside == null;
	}

	/**
	 * Run an action after the commit, because others would wait for its locks.
	 */
	public void afterCommit(Consumer<UnitOfWork> rest) {
		this.rest.add(rest);
	}

	/**
	 * Make sure that a queue has a row. Others would wait for an uncommitted row, even to
	 * enqueue a job of the same name.
	 */
	public void openQueue(String queue) {
		if (this.outside == null) {
			this.dialect.insertNew(this.statements, "queue", "name", queue);
		}
		else if (this.statements.number("select count(*) from {queue} where name = ?", queue) == 0) {
			this.outside.accept((own) -> own.openQueue(queue));
		}
	}

	/**
	 * Publish that a queue has ready jobs.
	 * @param at from when on
	 */
	public void signalReady(String queue, long at) {
		this.signals.add(Signal.ready(queue, at));
	}

	/**
	 * Publish that fewer jobs of a queue may start.
	 */
	public void signalRestricted(String queue) {
		signal(Signal.Kind.RESTRICTED, queue);
	}

	/**
	 * Publish something else.
	 */
	public void signal(Signal.Kind kind, String name) {
		signal(Signal.of(kind, name));
	}

	/**
	 * Publish something else.
	 */
	public void signal(Signal signal) {
		this.signals.add(signal);
	}

	/**
	 * Publish that a queue may have room, if it was too long for a job.
	 */
	public void signalRoom(String queue) {
		if (this.statements.update("update {queue} set refused_length = 0 where name = ? and refused_length > 0",
				queue) > 0) {
			signal(Signal.Kind.ROOM, queue);
		}
	}

	/**
	 * Rows of jobs that the database, perhaps a trigger of its owner, refuses to change.
	 * Statements that choose rows by themselves skip them.
	 *
	 * @param refusals remembers them
	 * @param kind the refused change, such as "to start job"
	 */
	public record RefusedRows(Refusals refusals, String kind) {

		/**
		 * Return the ids of rows to pass over for a while.
		 */
		Set<String> ids() {
			return this.refusals.resting(this.kind);
		}

		void add(String queue, String id, DataAccessException cause) {
			this.refusals.add(new Refusals.What(this.kind, queue, id), cause);
		}

	}

}
