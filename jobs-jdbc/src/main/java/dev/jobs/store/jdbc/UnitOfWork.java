package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * A verb under way: its statements, and what is to be told once they are committed. One
 * that has joined a transaction of the application, which may go on for long, locks
 * nothing that others need, and does that outside or once the transaction is committed.
 *
 * @param statements its statements
 * @param outside where it does what others must not wait for, or {@code null} if it may
 * do so itself
 * @param news what is to be told
 * @param rest what is to be done after the commit
 */
record UnitOfWork(Statements statements, @Nullable Session outside, Set<Signal> news, List<Consumer<UnitOfWork>> rest) {

	UnitOfWork(Statements statements, @Nullable Session outside) {
		this(statements, outside, new LinkedHashSet<>(), new ArrayList<>());
	}

	boolean mayLock() {
		return this.outside == null;
	}

	/**
	 * Do something after the commit, since its locks would have to be waited for.
	 */
	void afterCommit(Consumer<UnitOfWork> rest) {
		this.rest.add(rest);
	}

	/**
	 * Make a queue known. Others would have to wait for one that is not yet committed, be
	 * it only to enqueue a job of the same name.
	 */
	void openQueue(String queue) {
		if (this.outside == null) {
			dialect().insertNew(this.statements, "queue", "name", queue);
		}
		else if (this.statements.number("select count(*) from {queue} where name = ?", queue) == 0) {
			this.outside.write((own) -> dialect().insertNew(own.statements(), "queue", "name", queue));
		}
	}

	Dialect dialect() {
		return this.statements.dialect();
	}

	void ready(String queue, long at) {
		this.news.add(Signal.ready(queue, at));
	}

	void tell(Signal.Kind kind, String name) {
		this.news.add(Signal.of(kind, name));
	}

	/**
	 * Tell that a queue may have room, if one was refused a job for its length.
	 */
	void tellOfRoom(String queue) {
		if (this.statements.update("update {queue} set refused_at = 0 where name = ? and refused_at > 0", queue) > 0) {
			tell(Signal.Kind.ROOM, queue);
		}
	}

}
