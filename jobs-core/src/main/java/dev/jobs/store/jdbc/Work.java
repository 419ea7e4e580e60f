package dev.jobs.store.jdbc;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * A verb under way: its statements, and what is to be told once they are committed.
 *
 * @param statements its statements
 * @param news what is to be told
 */
record Work(Statements statements, Set<Signal> news) {

	Work(Statements statements) {
		this(statements, new LinkedHashSet<>());
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
