package dev.jobs.engine.upkeep;

import java.util.List;
import java.util.Optional;

import dev.jobs.JobStoreException;
import dev.jobs.Note;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.store.Change;
import dev.jobs.text.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a note if this worker is the first of a new version, so that people can see what
 * a deployment changed.
 */
final class VersionNote {

	private static final Logger logger = LoggerFactory.getLogger(VersionNote.class);

	private static final String BEGIN = "Worker: start by ";

	private final WorkerContext context;

	private boolean done;

	VersionNote(WorkerContext context) {
		this.context = context;
		this.done = context.settings().version().isEmpty();
	}

	/**
	 * Keep the note once; try again later if the store does not answer. Workers of one
	 * version that start together give it the same id.
	 */
	void keep() {
		try {
			if (!this.done) {
				look();
			}
			this.done = true;
		}
		catch (JobStoreException ex) {
			if (!ex.isTemporary()) {
				throw ex;
			}
			logger.debug("The version of the application cannot be noted now", ErrorText.loggable(ex));
		}
	}

	private void look() {
		String version = ErrorText.clean(this.context.settings().version(), 100);
		Optional<Note> last = this.context.store()
			.inspector()
			.notes()
			.stream()
			.filter((note) -> note.text().startsWith(BEGIN))
			.findFirst();
		if (last.filter((note) -> note.text().endsWith(": version " + version)).isEmpty()) {
			this.context.store()
				.change(List
					.of(new Change.KeepNote("version " + version + last.map((note) -> " after " + note.at()).orElse(""),
							BEGIN + this.context.worker() + ": version " + version)),
						this.context.clock().now());
		}
	}

}
