package dev.jobs.engine.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import dev.jobs.Job.Progress;
import dev.jobs.engine.lease.HeldJobs;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.store.WorkerBeat.Note;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs that run here, and the lines of those that wait for a thread. Everything that
 * watches them from outside does so here.
 */
public final class RunningJobs implements HeldJobs {

	private static final Logger logger = LoggerFactory.getLogger(RunningJobs.class);

	private final List<Line> lines = new ArrayList<>();

	private final Set<Slot> slots = ConcurrentHashMap.newKeySet();

	/** The runs that write to their logs. */
	private final Map<Key, Run> logging = new ConcurrentHashMap<>();

	/**
	 * Add the line of a pool, before any job waits in it.
	 */
	public void add(Line line) {
		this.lines.add(line);
	}

	/**
	 * Add the place for the runs of a thread, before it has any.
	 */
	Slot newSlot() {
		Slot slot = new Slot();
		this.slots.add(slot);
		return slot;
	}

	/**
	 * Remove the place of a thread that ends.
	 */
	void remove(Slot slot) {
		this.slots.remove(slot);
	}

	void each(Consumer<Run> consumer) {
		for (Slot slot : this.slots) {
			Run run = slot.run;
			if (run != null) {
				consumer.accept(run);
			}
		}
	}

	public List<Run> all() {
		List<Run> runs = new ArrayList<>();
		each(runs::add);
		return runs;
	}

	/**
	 * Ask all to stop.
	 * @param reason why
	 */
	public void stop(Stop reason) {
		each((run) -> run.stop(reason));
	}

	// --- for the heartbeat

	@Override
	public void drainPendingProgress(Consumer<Note> notes) {
		each((run) -> {
			Progress progress = run.drainPendingProgress();
			if (progress != null) {
				notes.accept(new Note(run.id(), run.name(), run.fencingToken(), progress));
			}
		});
	}

	@Override
	public void lost(Set<Long> tokens) {
		this.lines.forEach((line) -> line.drop(tokens));
		each((run) -> {
			if (tokens.contains(run.fencingToken())) {
				logger.warn("Job '{}' {} is no longer held by this worker; its run is asked to stop", run.name(),
						run.id());
				run.stop(Stop.LEASE_LOST);
			}
		});
	}

	@Override
	public void cancel(Set<String> ids) {
		this.lines.forEach((line) -> line.cancel(ids));
		each((run) -> {
			if (ids.contains(run.id())) {
				run.stop(Stop.CANCELLED);
			}
		});
	}

	// --- their logs

	/**
	 * Record a line that a handler wrote to its log. It belongs to the run with that
	 * token: a run that has lost its job and continues is not the one that has it now.
	 */
	public void log(String id, String token, String line) {
		Key key = new Key(id, token);
		Run run = this.logging.computeIfAbsent(key, this::find);
		if (run != null && !run.log(line)) {
			this.logging.remove(key, run);
		}
	}

	@SuppressWarnings("NullAway") // null leaves the map as it is
	private @Nullable Run find(Key key) {
		for (Slot slot : this.slots) {
			Run run = slot.run;
			if (run != null && run.id().equals(key.id()) && Long.toString(run.fencingToken()).equals(key.token())) {
				return run;
			}
		}
		return null;
	}

	/**
	 * Forget a run that has ended and takes no more lines.
	 */
	public void forget(Run run) {
		if (run.logged() != null) {
			this.logging.remove(new Key(run.id(), Long.toString(run.fencingToken())), run);
		}
	}

	/**
	 * Identifies a run; runs of one claim share a token.
	 *
	 * @param id the id of the job
	 * @param token the fencing token
	 */
	private record Key(String id, String token) {

	}

	/**
	 * The place for the run of one thread, which only that thread fills.
	 */
	static final class Slot {

		private volatile @Nullable Run run;

		void occupy(Run run) {
			this.run = run;
		}

		void free() {
			this.run = null;
		}

		@Nullable Run run() {
			return this.run;
		}

	}

}
