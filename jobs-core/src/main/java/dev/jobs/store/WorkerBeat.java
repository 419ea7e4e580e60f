package dev.jobs.store;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Job.Progress;
import org.jspecify.annotations.Nullable;

/**
 * A worker's sign of life.
 *
 * @param worker the worker's id, new for every start
 * @param lease how long the worker counts as alive from now on
 * @param info what it is; {@code null} leaves what is stored as it is, if anything
 * @param notes what its running jobs have told since the last beat
 * @param leaving whether it leaves for good and must be forgotten; jobs it still holds
 * are then those of a vanished worker
 * @param now the present
 */
public record WorkerBeat(String worker, Duration lease, @Nullable WorkerInfo info, List<Note> notes, boolean leaving,
		Instant now) {

	/**
	 * What a running job told. It is dropped if the job is not held under the token.
	 *
	 * @param jobId the job
	 * @param queue its queue
	 * @param token the token it is held under
	 * @param progress what it told
	 */
	public record Note(String jobId, String queue, long token, Progress progress) {

	}

}
