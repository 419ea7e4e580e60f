package dev.jobs.engine.outbox;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.Enqueued.Outcome;
import dev.jobs.engine.context.Batches;
import dev.jobs.engine.context.EnqueueEvents;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.TimeKeeper;
import dev.jobs.engine.loop.LoopStatus;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.settings.EnqueueGate;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.Outbox;
import dev.jobs.store.OutboxTarget;
import dev.jobs.store.support.Refusals;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes new jobs to the outbox as a part of the caller's transaction, and carries
 * committed jobs to the store. A job is carried again if it may not have arrived; the
 * store remembers its id. Jobs that the store does not take stay in the outbox and hold
 * up no others: a queue whose jobs it cannot take now is left alone for a moment, and so
 * is a job that it refuses.
 */
public final class OutboxRelay implements EnqueueGate.Outlet<Integer> {

	private static final Logger logger = LoggerFactory.getLogger(OutboxRelay.class);

	private static final String REFUSED = "to take, from the outbox, job";

	private static final Duration LEFT_ALONE = Duration.ofSeconds(2);

	private static final Duration LOG_INTERVAL = Duration.ofSeconds(30);

	private static final Duration LAST_POLL = Duration.ofSeconds(10);

	private final Outbox outbox;

	private final JobStore store;

	private final OutboxTarget target;

	private final EnqueueGate gate;

	private final EnqueueEvents events;

	private final Refusals refusals;

	private final StoreClock clock;

	private final TimeKeeper time;

	private final Duration rest;

	private final Duration rememberFor;

	/** Queues to be left alone, and until when. */
	private final Map<String, Long> leftAlone = new HashMap<>();

	private final List<News> news = new ArrayList<>();

	private volatile @Nullable PollLoop loop;

	/** Whether to look for the queue at fault. */
	private boolean careful;

	/** How often in a row the store has failed. */
	private int faults;

	private boolean failed;

	/** How many rows are carried at once; fewer if a batch of that size fails. */
	private int most = Batches.LARGEST;

	private volatile boolean inTrouble;

	private long loggedNanos;

	public OutboxRelay(Outbox outbox, JobStore store, OutboxTarget target, EnqueueGate gate, EnqueueEvents events,
			Refusals refusals, StoreClock clock, TimeKeeper time, Duration rest, Duration rememberFor) {
		this.outbox = outbox;
		this.store = store;
		this.target = target;
		this.gate = gate;
		this.events = events;
		this.refusals = refusals;
		this.clock = clock;
		this.time = time;
		this.rest = rest;
		this.rememberFor = rememberFor;
	}

	// --- in the caller's transaction

	/**
	 * Write jobs to the outbox.
	 * @return whether there was a transaction to write them in
	 */
	public boolean put(List<NewJob> jobs) {
		for (List<NewJob> batch : Batches.of(jobs)) {
			if (!this.outbox.write(batch)) {
				return false;
			}
		}
		this.gate.hold(List.of(jobs.size()), this);
		return true;
	}

	@Override
	public void write(List<Integer> written) {
		if (!this.inTrouble) {
			wake();
		}
	}

	@Override
	public void giveUp(List<Integer> written) {
		wake();
	}

	// --- the loop

	public synchronized void start() {
		if (this.loop == null) {
			PollLoop loop = new PollLoop("outbox", this::poll, this.clock);
			this.loop = loop;
			loop.start();
		}
	}

	/**
	 * End the loop. Jobs that were just committed are still carried over, unless carrying
	 * fails anyway.
	 */
	public void stop() {
		PollLoop loop = this.loop;
		if (loop == null) {
			return;
		}
		loop.stop();
		try {
			Thread thread = loop.thread();
			if (thread != null) {
				thread.join(LAST_POLL.toMillis());
			}
			if ((thread == null || !thread.isAlive()) && loop.status().faults() == 0 && !this.inTrouble) {
				relayFor(LAST_POLL);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException ex) {
			logger.debug("Jobs stay in the outbox", ErrorText.loggable(ex));
		}
		finally {
			this.loop = null;
		}
	}

	public void wake() {
		PollLoop loop = this.loop;
		if (loop != null) {
			loop.wake();
		}
	}

	public @Nullable LoopStatus status() {
		PollLoop loop = this.loop;
		return (loop != null) ? loop.status() : null;
	}

	/**
	 * Carry over everything that can be carried now.
	 */
	public void relayAll() {
		relayFor(ChronoUnit.FOREVER.getDuration());
	}

	private void relayFor(Duration time) {
		long end = this.clock.nanosAfter(time);
		Duration rest;
		do {
			rest = poll();
		}
		while (rest.isZero() && this.clock.nanos() - end < 0);
	}

	/**
	 * Carry a batch over.
	 * @return how long to rest
	 */
	private synchronized Duration poll() {
		long now = this.clock.nanos();
		this.leftAlone.values().removeIf((end) -> end - now <= 0);
		this.failed = false;
		int most = this.most;
		this.most = Math.max(most / 2, 1);
		int found = this.outbox.relay(most, Set.copyOf(this.leftAlone.keySet()), this.refusals.resting(REFUSED),
				this::take);
		this.most = Math.min(most * 2, Batches.LARGEST);
		this.news.forEach((each) -> this.events.publish(each.job(), each.enqueued(), each.at()));
		this.news.clear();
		if (this.failed) {
			return Duration.ofMillis(Math.min(LEFT_ALONE.toMillis(), 20L << Math.min(this.faults, 10)));
		}
		if (found == most || endTrouble()) {
			// Jobs committed during the trouble have woken nobody.
			return Duration.ZERO;
		}
		return ((this.leftAlone.isEmpty() && this.refusals.isEmpty()) || this.rest.compareTo(LEFT_ALONE) < 0)
				? this.rest : LEFT_ALONE;
	}

	// --- in the outbox's transaction

	/**
	 * Take jobs to the store, all together, or queue by queue to find the queue at fault.
	 */
	private List<Boolean> take(List<NewJob> jobs) {
		Boolean[] arrived = new Boolean[jobs.size()];
		Arrays.fill(arrived, false);
		this.news.clear();
		Collection<List<Integer>> parts = this.careful ? byQueue(jobs)
				: List.of(IntStream.range(0, jobs.size()).boxed().toList());
		this.careful = false;
		long end = this.clock.nanosAfter(LEFT_ALONE);
		for (List<Integer> part : parts) {
			if (!take(jobs, part, arrived) && this.clock.nanos() - end >= 0) {
				break;
			}
		}
		List<Boolean> all = Arrays.asList(arrived);
		if (all.contains(true)) {
			this.faults = 0;
		}
		return all;
	}

	private static Collection<List<Integer>> byQueue(List<NewJob> jobs) {
		Map<String, List<Integer>> queues = new LinkedHashMap<>();
		for (int i = 0; i < jobs.size(); i++) {
			queues.computeIfAbsent(jobs.get(i).name(), (queue) -> new ArrayList<>()).add(i);
		}
		return queues.values();
	}

	private boolean take(List<NewJob> jobs, List<Integer> part, Boolean[] arrived) {
		try {
			this.time.require(() -> this.store);
			Refusals.divide(part, (some) -> carry(jobs, some, arrived), (i, fault) -> refused(jobs.get(i), fault));
			return true;
		}
		catch (RuntimeException ex) {
			failed(part.stream().filter((i) -> !arrived[i]).map((i) -> jobs.get(i).name()).distinct().toList(),
					ErrorText.of(ex));
			return false;
		}
	}

	private void carry(List<NewJob> jobs, List<Integer> part, Boolean[] arrived) {
		Instant now = this.clock.now();
		List<Enqueued> enqueued = this.target.enqueueOnce(part.stream().map(jobs::get).toList(), this.rememberFor, now);
		this.faults = 0;
		for (int i = 0; i < part.size(); i++) {
			NewJob job = jobs.get(part.get(i));
			arrived[part.get(i)] = enqueued.get(i).outcome() != Outcome.FULL;
			report(job, enqueued.get(i), now);
		}
	}

	private void refused(NewJob job, RuntimeException fault) {
		this.refusals.add(new Refusals.What(REFUSED, job.name(), job.id()), fault);
	}

	private void report(NewJob job, Enqueued enqueued, Instant now) {
		if (enqueued.outcome() == Outcome.FULL) {
			leaveAlone(job.name(), "The queue is full");
			return;
		}
		if (enqueued.outcome() == Outcome.DUPLICATE) {
			logger.debug("Job '{}' {} of the outbox is a duplicate of {}", job.name(), job.id(), enqueued.id());
		}
		this.refusals.taken(new Refusals.What(REFUSED, job.name(), job.id()));
		this.events.count(job, enqueued, now);
		this.news.add(new News(job, enqueued, now));
	}

	private void failed(List<String> queues, String error) {
		this.faults++;
		this.failed = true;
		if (queues.size() == 1) {
			leaveAlone(queues.get(0), error);
		}
		else {
			this.careful = true;
			log("of " + queues.size() + " names", error);
		}
	}

	private void leaveAlone(String queue, String why) {
		if (this.leftAlone.put(queue, this.clock.nanosAfter(LEFT_ALONE)) == null) {
			log("'" + queue + "'", why);
		}
	}

	private void log(String which, String why) {
		long now = this.clock.nanos();
		if (!this.inTrouble || now - this.loggedNanos > LOG_INTERVAL.toNanos()) {
			this.inTrouble = true;
			this.loggedNanos = now;
			logger.warn("Jobs {} wait in the outbox and are tried again: {}", which, why);
		}
	}

	private boolean endTrouble() {
		boolean ends = this.inTrouble && this.leftAlone.isEmpty();
		if (ends) {
			this.inTrouble = false;
			logger.info("No jobs are held up in the outbox any more");
		}
		return ends;
	}

	/**
	 * The event to publish once the job has left the outbox.
	 *
	 * @param job the job
	 * @param enqueued the store's reply
	 * @param at when that was
	 */
	private record News(NewJob job, Enqueued enqueued, Instant at) {

	}

}
