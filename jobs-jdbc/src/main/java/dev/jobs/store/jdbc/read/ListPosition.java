package dev.jobs.store.jdbc.read;

import java.util.List;

import dev.jobs.store.support.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * A position in a list of jobs: after a ready job of a queue, a time and an id, or only
 * an id. Cursors carry it.
 *
 * @param kind which of these
 * @param queue the queue, of a ready job
 * @param number the place of a ready job, or the time
 * @param id the id, unless it is a ready job
 */
public record ListPosition(String kind, String queue, long number, String id) {

	static final String READY = "ready";

	static final String TIME = "time";

	static final String ID = "id";

	static ListPosition of(Candidate job, boolean byId) {
		if (byId) {
			return new ListPosition(ID, "", 0, job.id());
		}
		return job.isReady() ? new ListPosition(READY, job.queue(), job.place(), "")
				: new ListPosition(TIME, "", job.time(), job.id());
	}

	/**
	 * Read a position; there is none at the beginning of a list.
	 */
	static @Nullable ListPosition read(List<String> position) {
		try {
			return position.isEmpty() ? null : new ListPosition(position.get(0), position.get(1),
					Long.parseLong(position.get(2)), position.get(3));
		}
		catch (NumberFormatException | IndexOutOfBoundsException ex) {
			throw Cursor.refused(ex);
		}
	}

	List<String> position() {
		return List.of(this.kind, this.queue, Long.toString(this.number), this.id);
	}

}
