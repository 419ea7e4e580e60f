package dev.jobs.engine.lease;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.JobContext;
import dev.jobs.JobStoreException;
import dev.jobs.engine.context.StoreClock;
import dev.jobs.engine.context.TimeKeeper;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease.Beat;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.BeatReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Note;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.WorkerInfo;

/**
 * Keeps the worker's {@link Lease} alive with one write per beat, however many jobs it
 * has, and carries their progress and the statistics. The reply has the jobs that the
 * worker has lost and those to cancel.
 * <p>
 * A report never keeps the lease from being renewed: after a failed beat the next one
 * carries nothing, and the part that the store refuses is found and left out.
 */
public final class Heartbeat implements PollLoop.Task {

	private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(1);

	private static final Refusals.What STATISTICS = new Refusals.What("the statistics of this worker", "", "");

	private static final int TALLIES_BATCH = 200;

	private static final int LAST_TALLIES = 1000;

	/** How many calls search the last report for what the store refuses. */
	private static final int LAST_CALLS = 40;

	private final WorkerContext context;

	private final JobStore store;

	private final StoreClock clock;

	private final TimeKeeper time;

	private final Lease lease;

	private final Supplier<WorkerInfo> info;

	private final HeldJobs jobs;

	private final StatisticsReporter statistics;

	private final PollLoop loop;

	private final Map<String, Note> unsent = new HashMap<>();

	/** Whether the last beat with a report failed. */
	private boolean doubtful;

	private Runnable onRenewed = () -> {
	};

	private Consumer<BeatReply> onReply = (reply) -> {
	};

	private final AtomicBoolean requested = new AtomicBoolean(true);

	private volatile boolean progressPending;

	private volatile boolean startPending;

	private boolean byHand;

	private final Object beats = new Object();

	private long begun;

	private long confirmed;

	private long lastNanos;

	public Heartbeat(WorkerContext context, Lease lease, Supplier<WorkerInfo> info, HeldJobs jobs) {
		this.context = context;
		this.store = context.store();
		this.clock = context.clock();
		this.time = new TimeKeeper(this.clock);
		this.lease = lease;
		this.info = info;
		this.jobs = jobs;
		this.statistics = new StatisticsReporter(context.tallies());
		this.loop = new PollLoop("beat", this, context.clock());
	}

	/**
	 * Return the loop that beats.
	 * @return the loop, which is not started here
	 */
	public PollLoop loop() {
		return this.loop;
	}

	/**
	 * Set the callback for when the lease becomes sure again, or after a requested beat.
	 * @param onRenewed what to do
	 */
	public void onRenewed(Runnable onRenewed) {
		this.onRenewed = onRenewed;
	}

	/**
	 * Set the callback for each reply. A lease that is not sure becomes sure only after
	 * this call, so nothing is claimed with older settings.
	 * @param onReply what to do; a reply may come twice
	 */
	public void onReply(Consumer<BeatReply> onReply) {
		this.onReply = onReply;
	}

	/**
	 * Request a beat, to be sent at once.
	 */
	public void requestBeat() {
		this.requested.set(true);
		this.loop.wake();
	}

	/**
	 * Request a beat, to be sent soon, since a job has progress to report.
	 */
	public void requestBeatSoon() {
		if (!this.progressPending) {
			this.progressPending = true;
			this.loop.wake();
		}
	}

	/**
	 * Return whether the worker certainly has the jobs that it was not told to have lost.
	 */
	public boolean isSure() {
		return this.byHand || this.lease.isSafe();
	}

	/**
	 * Work without a loop: a thread whose start waits for a beat sends it itself.
	 */
	public void beatByHand() {
		this.byHand = true;
	}

	/**
	 * Record in the store that a run starts, and wait until it is recorded. The note is
	 * an empty progress: to a worker that takes over, a job without progress has not
	 * started. Starts at the same moment share a beat.
	 * @return whether it may start; not if it was asked to stop or the lease is no longer
	 * safe
	 * @throws InterruptedException if the run was asked to stop
	 */
	public boolean noteStart(JobContext run) throws InterruptedException {
		run.checkIn(null);
		long due = requestStartBeat();
		if (this.byHand) {
			poll();
		}
		synchronized (this.beats) {
			while (this.confirmed < due) {
				if (run.cancelled() || !this.lease.isSafe()) {
					return false;
				}
				this.beats.wait(this.context.settings().beat().toMillis());
			}
		}
		return !run.cancelled();
	}

	/**
	 * Request a beat that carries all current progress.
	 */
	private long requestStartBeat() {
		synchronized (this.beats) {
			this.startPending = true;
			this.loop.wake();
			return this.begun + 1;
		}
	}

	@Override
	public Duration poll() {
		Duration interval = this.context.settings().beat();
		long passed = this.clock.nanos() - this.lastNanos;
		long rest = (this.progressPending ? PROGRESS_INTERVAL : interval).toNanos() - passed;
		if (!this.requested.get() && !this.startPending && rest > 0) {
			return Duration.ofNanos(rest);
		}
		beat();
		return interval;
	}

	/**
	 * Deregister the worker. If the store refuses its last statistics, they are sent in
	 * parts, and parts that it refuses alone are dropped.
	 */
	public void deregister() {
		this.lease.release();
		Report last = this.statistics.next(LAST_TALLIES);
		try {
			deregister(last);
		}
		catch (RuntimeException ex) {
			if (last.tallies().isEmpty() || Refusals.isTemporary(ex)) {
				throw ex;
			}
			deregister(Report.NONE);
			AtomicInteger calls = new AtomicInteger();
			Refusals.divide(last.tallies(), (part) -> {
				// A stop waits for this, so it must be quick even if all are refused.
				if (calls.incrementAndGet() <= LAST_CALLS) {
					deregister(new Report(last.number() + calls.get(), part));
				}
			}, (tally, fault) -> this.context.refusals().add(STATISTICS, fault));
		}
	}

	private void deregister(Report last) {
		this.store.beat(new WorkerBeat(this.context.worker(), this.context.settings().lease(), null, List.of(), last,
				true, this.clock.now()));
	}

	private void beat() {
		long number = begin();
		this.jobs.drainPendingProgress((note) -> {
			if (!this.context.refusals().isResting(what(note))) {
				this.unsent.put(note.jobId(), note);
			}
		});
		Map<Long, Integer> held = this.lease.held();
		Set<Long> lost = new HashSet<>(held.keySet());
		boolean lookAgain = this.requested.getAndSet(false) || !this.lease.isSafe();
		learnTime();
		Beat before = this.lease.confirmed();
		Beat beat = this.lease.begin();
		BeatReply reply = send();
		if (before != null && this.lease.isSafe(before)) {
			beat = beat.sureSince(before);
		}
		else {
			// A claim sent before the lease lapsed may have been answered only now;
			// others may have its jobs already.
			lost.addAll(this.lease.held().keySet());
			guarded(() -> follow(reply));
		}
		this.lastNanos = beat.nanos();
		this.clock.learn(reply.serverTime(), beat.nanos());
		if (this.lease.wasClockSetSince(beat)) {
			// The lease just written ends by the old clock, so beat again.
			requestBeat();
			lookAgain = true;
		}
		// After so long a wait the clock may have been set wrong and right again
		// unnoticed.
		if (!this.lease.isSafe(beat)
				|| this.lease.wasClockSetForwardSince((before != null && this.clock.isOfMachine()) ? before : beat)) {
			this.lease.unsteady();
		}
		// The lease is sure again only once the jobs lost without it are known.
		lost.removeAll(reply.openTokens());
		if (!lost.isEmpty()) {
			this.lease.forget(lost);
			this.jobs.lost(lost);
		}
		if (!reply.cancelled().isEmpty()) {
			this.jobs.cancel(reply.cancelled());
		}
		this.lease.confirm(beat);
		if (lookAgain) {
			this.onRenewed.run();
		}
		this.lease.findStrays(reply.held(), held);
		carryRest();
		confirmed(number);
		follow(reply);
	}

	private BeatReply follow(BeatReply reply) {
		this.onReply.accept(reply);
		return reply;
	}

	/**
	 * Learn the store's time before the first beat, since others will read its lease.
	 */
	private void learnTime() {
		guarded(() -> {
			this.time.askOnce(this.store);
			return this.clock;
		});
	}

	private long begin() {
		synchronized (this.beats) {
			this.progressPending = false;
			this.startPending = false;
			return ++this.begun;
		}
	}

	private void confirmed(long number) {
		synchronized (this.beats) {
			this.confirmed = number;
			this.beats.notifyAll();
		}
	}

	private BeatReply send() {
		List<Note> notes = this.doubtful ? List.of() : List.copyOf(this.unsent.values());
		Report report = this.doubtful ? Report.NONE : nextReport();
		try {
			BeatReply reply = guarded(() -> send(notes, report));
			taken(notes);
			taken(report, reply);
			return reply;
		}
		catch (RuntimeException ex) {
			if (notes.isEmpty() && report.tallies().isEmpty()) {
				throw ex;
			}
			this.doubtful = true;
			if (Refusals.isTemporary(ex)) {
				throw ex;
			}
			return guarded(() -> send(List.of(), Report.NONE));
		}
	}

	private BeatReply send(List<Note> notes, Report report) {
		return this.store.beat(new WorkerBeat(this.context.worker(), this.context.settings().lease(), this.info.get(),
				notes, report, false, this.clock.now()));
	}

	private void taken(List<Note> notes) {
		for (Note note : notes) {
			this.unsent.remove(note.jobId());
			this.context.refusals().taken(what(note));
		}
	}

	private void taken(Report report, BeatReply reply) {
		if (!report.tallies().isEmpty() && reply.reported()) {
			this.statistics.stored();
			this.context.refusals().taken(STATISTICS);
		}
	}

	private static Refusals.What what(Note note) {
		return new Refusals.What("the report of job", note.queue(), note.jobId());
	}

	private Report nextReport() {
		return this.context.refusals().isResting(STATISTICS) ? Report.NONE : this.statistics.next(TALLIES_BATCH);
	}

	/**
	 * Send the report of a failed beat again, now that the lease is renewed, and find the
	 * part that the store refuses. If that fails, the next beat tries it all again.
	 */
	private void carryRest() {
		if (!this.doubtful) {
			return;
		}
		this.doubtful = false;
		Refusals.divide(List.copyOf(this.unsent.values()), (part) -> {
			send(part, Report.NONE);
			taken(part);
		}, (note, fault) -> {
			this.context.refusals().add(what(note), fault);
			this.unsent.remove(note.jobId());
		});
		carryStatistics();
	}

	/**
	 * Send the statistics in smaller and smaller parts. A part refused alone is dropped,
	 * and the others wait a moment in case all are refused.
	 */
	private void carryStatistics() {
		Report report = nextReport();
		while (!report.tallies().isEmpty()) {
			try {
				BeatReply reply = sendAlone(report);
				if (!reply.reported()) {
					return;
				}
				taken(report, reply);
			}
			catch (RuntimeException ex) {
				if (Refusals.isTemporary(ex)) {
					throw ex;
				}
				if (!this.statistics.halve()) {
					this.statistics.stored();
					this.context.refusals().add(STATISTICS, ex);
				}
			}
			report = nextReport();
		}
	}

	/**
	 * Send statistics that the store may refuse with any fault. If it takes a beat
	 * without them, it is in reach, and the fault was not temporary.
	 */
	private BeatReply sendAlone(Report report) {
		try {
			return send(List.of(), report);
		}
		catch (JobStoreException ex) {
			send(List.of(), Report.NONE);
			throw new JobStoreException(String.valueOf(ex.getMessage()), ex, false);
		}
	}

	private <T> T guarded(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			this.lease.unsteady();
			this.requested.set(true);
			throw ex;
		}
	}

}
