package dev.jobs.store.memory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.Note;
import dev.jobs.Trail;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.support.Standing;
import dev.jobs.store.view.OperatorSetting;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The contents of the store, and the moves that a job can make in it. Guarded by the
 * store's lock.
 */
final class Contents {

	private static final Logger logger = LoggerFactory.getLogger(Contents.class);

	final Map<String, StoredJob> jobs = new HashMap<>();

	final Map<String, Queue> queues = new TreeMap<>();

	final Map<String, Worker> workers = new TreeMap<>();

	/** The jobs of vanished workers, by token. */
	final Map<Long, Delivery> abandoned = new TreeMap<>();

	final UniqueKeys keys = new UniqueKeys();

	/** The jobs that may expire, by when to look at them. */
	final NavigableSet<StoredJob> expiring = new TreeSet<>(StoredJob.BY_EXPIRY);

	final Ends ends = new Ends();

	final RememberedIds remembered = new RememberedIds();

	final Schedules schedules = new Schedules();

	final Statistics statistics = new Statistics();

	/** By id, the latest at the end. */
	final Map<String, Note> notes = new LinkedHashMap<>();

	/** By kind and name. */
	final Map<String, OperatorSetting> settings = new TreeMap<>();

	long revision;

	final Signals signals = new Signals();

	private long lastToken;

	Queue queue(String name) {
		return this.queues.computeIfAbsent(name, (added) -> new Queue(added, this.signals));
	}

	void store(NewJob job, Instant now) {
		Queue queue = queue(job.name());
		StoredJob stored = new StoredJob(job, now);
		this.jobs.put(job.id(), stored);
		this.keys.take(stored, now);
		lookAt(stored, job.firstExpiry());
		queue.add(stored, now);
	}

	/**
	 * Set when to look whether a job has expired.
	 */
	void lookAt(StoredJob job, @Nullable Instant at) {
		if (job.lookAt != null) {
			this.expiring.remove(job);
		}
		job.lookAt = at;
		if (at != null) {
			this.expiring.add(job);
		}
	}

	/**
	 * Let a job that waits carry something else, which may take it to another place.
	 */
	void carry(StoredJob job, byte[] payload, Map<String, String> headers, Instant now) {
		Standing standing = Standing.of(headers);
		boolean moves = (job.state() == JobState.READY || job.keepsLane) && !job.standing().equals(standing);
		if (moves) {
			leave(job, now);
			job.keepsLane &= Objects.equals(job.standing().lane(), standing.lane());
		}
		job.carry(payload, headers);
		lookAt(job, Job.firstExpiry(headers));
		if (moves) {
			queue(job.queue()).add(job, now);
		}
	}

	void remove(StoredJob job, Instant now) {
		leave(job, now);
		this.keys.free(job);
		lookAt(job, null);
		this.jobs.remove(job.id());
	}

	/**
	 * Return a delivery for claimed jobs. Its token is used up only if it gets a job.
	 */
	Delivery deliveryFor(Worker worker) {
		return new Delivery(this.lastToken + 1, worker.id(), worker.deliveries);
	}

	Claim claim(StoredJob job, Delivery delivery, Instant now) {
		freeKeyUnlessHeldIn(JobState.RUNNING, job);
		return hold(job, delivery, now, null, false);
	}

	/**
	 * Take over a running job; its progress and the request to cancel it stay.
	 */
	Claim takeOver(StoredJob job, Delivery delivery, Instant now) {
		return hold(job, delivery, now, job.progress(), job.isCancelRequested());
	}

	/**
	 * Move a job to wait until an instant.
	 */
	void moveToWait(StoredJob job, Instant dueAt, Trail trail, Instant now) {
		boolean keepsPlace = job.state() == JobState.READY && job.lane() == null && !dueAt.isAfter(now);
		if (keepsPlace) {
			job.waitUntil(dueAt, trail, now);
			return;
		}
		leave(job, now);
		job.waitUntil(dueAt, trail, now);
		queue(job.queue()).add(job, now);
	}

	/**
	 * Take a job out of the running ones to be {@linkplain Queue#addFirst put in front}.
	 */
	void release(StoredJob job, Trail trail, Instant now) {
		leave(job, now);
		job.waitInFront(trail);
		this.keys.take(job, now);
	}

	/**
	 * Let a job wait for what its trail says.
	 */
	void park(StoredJob job, Instant until, Trail trail, Instant now) {
		leave(job, now);
		job.park(until, trail);
		queue(job.queue()).add(job, now);
	}

	/**
	 * Put jobs that wait for a thing in front of their queues.
	 * @return whether any waited
	 */
	boolean releaseFor(String thing, int limit, Instant now) {
		List<StoredJob> waiting = new ArrayList<>(this.queues.values()
			.stream()
			.flatMap((queue) -> queue.scheduled.waitingFor(thing).stream())
			.limit(limit)
			.toList());
		Collections.reverse(waiting);
		for (StoredJob job : waiting) {
			leave(job, now);
			job.waitInFront(now);
			queue(job.queue()).addFirst(job, now);
		}
		return !waiting.isEmpty();
	}

	/**
	 * Let a job that waits free the place of its lane.
	 */
	void giveUpLane(StoredJob job, Instant now) {
		if (job.keepsLane) {
			leave(job, now);
			job.keepsLane = false;
			queue(job.queue()).add(job, now);
		}
	}

	void end(StoredJob job, JobState state, Instant at, Trail trail, Instant now) {
		leave(job, now);
		freeKeyUnlessHeldIn(state, job);
		job.end(state, at, trail);
		queue(job.queue()).add(job, now);
	}

	private void freeKeyUnlessHeldIn(JobState state, StoredJob job) {
		if (job.key != null && !job.key.isHeldIn(state)) {
			this.keys.free(job);
		}
	}

	Worker beat(WorkerBeat beat) {
		Worker worker = this.workers.computeIfAbsent(beat.worker(), Worker::new);
		worker.beat(beat);
		return worker;
	}

	@Nullable Worker liveWorker(String id, Instant now) {
		Worker worker = this.workers.get(id);
		return (worker != null && worker.isAlive(now)) ? worker : null;
	}

	boolean isServed(Queue queue, Instant now) {
		return this.workers.values().stream().anyMatch((worker) -> worker.isAlive(now) && worker.serves(queue.name()));
	}

	/**
	 * Cut leases that end later than their own length from now.
	 */
	void cutLeases(Instant now) {
		for (Worker worker : this.workers.values()) {
			if (worker.cutLease(now)) {
				logger.warn(
						"The lease of the worker '{}' ended later than it can and was cut, since the clock was set back "
								+ "or another program wrote it; unless the worker beats, its jobs are soon taken over",
						worker.id());
			}
		}
	}

	void forgetWorkers(Predicate<Worker> which) {
		for (Worker worker : this.workers.values().stream().filter(which).toList()) {
			List.copyOf(worker.deliveries.values()).forEach((delivery) -> delivery.listIn(this.abandoned));
			this.workers.remove(worker.id());
		}
	}

	boolean set(Change.Set set, Instant now) {
		String id = set.kind() + ":" + set.name();
		String value = set.value();
		OperatorSetting before = (value != null)
				? this.settings.put(id, new OperatorSetting(set.kind(), set.name(), value, now, set.by()))
				: this.settings.remove(id);
		if (value == null && before == null) {
			return false;
		}
		announceSettings(now);
		return true;
	}

	Changed swap(Change.Swap swap, Instant now) {
		String id = swap.kind() + ":" + swap.name();
		OperatorSetting before = this.settings.get(id);
		if (before == null) {
			return Changed.NOT_FOUND;
		}
		if (!before.value().equals(swap.expected())) {
			return Changed.REFUSED;
		}
		this.settings.put(id, new OperatorSetting(swap.kind(), swap.name(), swap.value(), now, before.by()));
		if (swap.announced()) {
			announceSettings(now);
		}
		return Changed.DONE;
	}

	private void announceSettings(Instant now) {
		this.revision = Math.max(this.revision + 1, now.toEpochMilli());
		this.signals.settingsChanged();
	}

	void purge(Instant now) {
		new ArrayList<>(this.queues.values()).forEach(Queue::signalEnd);
		this.jobs.clear();
		this.expiring.clear();
		this.queues.clear();
		this.keys.freeAll();
		this.schedules.removeAll();
		this.statistics.forgetAll();
		this.notes.clear();
		this.ends.forgetAll();
		this.settings.clear();
		this.revision++;
		this.workers.values().removeIf((worker) -> !worker.isAlive(now));
		this.workers.values().forEach((worker) -> worker.deliveries.clear());
		this.abandoned.clear();
	}

	private Claim hold(StoredJob job, Delivery delivery, Instant now, Job.@Nullable Progress progress,
			boolean cancelRequested) {
		leave(job, now);
		job.run(Job.Run.of(delivery.worker(), delivery.token(), now)
			.withProgress(progress)
			.withCancelRequested(cancelRequested));
		queue(job.queue()).add(job, now);
		delivery.add(job);
		this.lastToken = delivery.token();
		return new Claim(job.job(), delivery.token());
	}

	private void leave(StoredJob job, Instant now) {
		queue(job.queue()).remove(job, now);
		if (job.run() != null) {
			deliveryOf(job.run()).remove(job);
		}
	}

	private Delivery deliveryOf(Job.Run run) {
		Worker worker = this.workers.get(run.worker());
		Delivery delivery = (worker != null) ? worker.deliveries.get(run.token()) : null;
		return (delivery != null) ? delivery : Objects.requireNonNull(this.abandoned.get(run.token()));
	}

}
