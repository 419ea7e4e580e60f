package dev.jobs.store.jdbc.sql;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.store.jdbc.signal.Signal;
import org.jspecify.annotations.Nullable;

/**
 * A call that writes: its statements, and what follows once they are committed. One that
 * has joined a transaction of the application, which may take long, takes no lock that
 * others need: such work runs in a transaction of its own, or after the commit.
 *
 * @param statements its statements
 * @param dialect what differs on this database
 * @param outside runs what others must not wait for, or {@code null} if it may do so
 * itself
 * @param signals what to publish after the commit
 * @param rest what to do after the commit
 */
public record UnitOfWork(Statements statements, Dialect dialect, @Nullable Outside outside, Set<Signal> signals,
		List<Consumer<UnitOfWork>> rest) {

	UnitOfWork(Statements statements, Dialect dialect, @Nullable Outside outside) {
		this(statements, dialect, outside, new LinkedHashSet<>(), new ArrayList<>());
	}

	/**
	 * Return whether it may lock what others need.
	 */
	public boolean mayLock() {
		return this.outside == null;
	}

	/**
	 * Do something after the commit, since others would have to wait for its locks.
	 */
	public void afterCommit(Consumer<UnitOfWork> rest) {
		this.rest.add(rest);
	}

	/**
	 * Make sure that a queue has a row. Others would have to wait for one that is not
	 * committed, even to enqueue a job of the same name.
	 */
	public void openQueue(String queue) {
		if (this.outside == null) {
			this.dialect.insertNew(this.statements, "queue", "name", queue);
		}
		else if (this.statements.number("select count(*) from {queue} where name = ?", queue) == 0) {
			this.outside.write((own) -> own.openQueue(queue));
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
	 * Publish something else.
	 */
	public void signal(Signal.Kind kind, String name) {
		this.signals.add(Signal.of(kind, name));
	}

	/**
	 * Publish that a queue may have room, if it has refused a job for its length.
	 */
	public void signalRoom(String queue) {
		if (this.statements.update("update {queue} set refused_length = 0 where name = ? and refused_length > 0",
				queue) > 0) {
			signal(Signal.Kind.ROOM, queue);
		}
	}

	/**
	 * Runs what the transactions of others must not wait for.
	 */
	@FunctionalInterface
	interface Outside {

		/**
		 * Write in a transaction of its own.
		 */
		void write(Consumer<UnitOfWork> change);

	}

}
