package dev.jobs.store.redis.partition;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import dev.jobs.Enqueued;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Save;
import dev.jobs.store.Settled;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;

/**
 * The verbs of {@link JobStore} on a namespace with one or several partitions.
 */
public interface StoreVerbs {

	/**
	 * Store new jobs.
	 * @param jobs the jobs
	 * @param memory how long their ids are remembered; zero to forget them with the jobs
	 * @param now the time
	 * @param early may get the outcome before the call returns
	 * @return the outcome
	 */
	List<Enqueued> enqueue(List<NewJob> jobs, Duration memory, Instant now, Consumer<List<Enqueued>> early);

	ClaimReply claim(ClaimRequest request);

	ClaimReply takeOver(TakeOver request);

	List<Settled> settle(List<Transition> transitions, Instant now);

	List<Settled> save(List<Save> saves, Instant now);

	BeatReply beat(WorkerBeat beat);

	List<Changed> change(List<Change> changes, Instant now);

	Pruned prune(PruneRequest request);

	List<TickReply> fireTicks(List<Tick> ticks, Instant now);

	Instant time();

	/**
	 * Return how often each kind was repaired since the start.
	 */
	Map<String, Long> repairs();

}
