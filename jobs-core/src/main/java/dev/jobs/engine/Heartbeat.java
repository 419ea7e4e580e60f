package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.jobs.Job.Progress;
import dev.jobs.engine.Run.Stop;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.JobStore;
import dev.jobs.store.TakeOver;
import dev.jobs.store.Tally;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.WorkerBeat.Note;
import dev.jobs.store.WorkerBeat.Report;
import dev.jobs.store.WorkerInfo;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the worker's lease alive with one write a beat, whatever the number of its jobs,
 * and carries what they tell. From the reply it learns which jobs the worker has lost and
 * which a person wants to end. By the time since the last confirmed beat, in time that no
 * clock change affects, the worker doubts itself: without {@linkplain #isSafe() a safe
 * lease} nothing is claimed or started.
 */
final class Heartbeat implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Heartbeat.class);

	private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(1);

	private static final int LOST_CLAIMS_BATCH = 100;

	private static final int TALLIES_BATCH = 200;

	private static final int LAST_TALLIES = 1000;

	private static final int MOST_GIVEN_UP = 1000;

	private final Shared shared;

	private final JobStore store;

	private final EngineSettings settings;

	private final StoreClock clock;

	private final Supplier<WorkerInfo> info;

	private final Supplier<List<WorkerPool>> pools;

	private final Settler settler;

	private final Set<Long> known = ConcurrentHashMap.newKeySet();

	private final Map<Long, Long> unknownSince = new HashMap<>();

	/** Tokens whose claim took too long; a reply that still comes is too late. */
	private final Set<Long> givenUp = new LinkedHashSet<>();

	private final Map<String, Note> unsent = new HashMap<>();

	private Report report = Report.NONE;

	private long lastReport;

	private Runnable onRenewed = () -> {
	};

	private Runnable onWanted = () -> {
	};

	private final AtomicBoolean wanted = new AtomicBoolean(true);

	private volatile boolean progressWanted;

	private volatile boolean startWanted;

	private boolean byHand;

	private final Object beats = new Object();

	private long begun;

	private long heard;

	private volatile @Nullable Confirmed confirmed;

	private volatile long steadySinceNanos;

	private long lastNanos;

	Heartbeat(Shared shared, Supplier<WorkerInfo> info, Supplier<List<WorkerPool>> pools, Settler settler) {
		this.shared = shared;
		this.store = shared.store();
		this.settings = shared.settings();
		this.clock = shared.clock();
		this.info = info;
		this.pools = pools;
		this.settler = settler;
		this.steadySinceNanos = this.clock.nanos() - this.settings.lease().toNanos();
	}

	/**
	 * Say what to do once the lease is sure again after it was not, or after a beat that
	 * was wanted.
	 * @param onRenewed what to do
	 */
	void onRenewed(Runnable onRenewed) {
		this.onRenewed = onRenewed;
	}

	/**
	 * Return whether the lease surely holds for a while, so that a job may be started.
	 * @return whether it does
	 */
	boolean isSafe() {
		return isSafe(this.confirmed);
	}

	private boolean isSafe(@Nullable Confirmed confirmed) {
		long lease = this.settings.lease().toNanos();
		return confirmed != null && this.clock.nanos() - confirmed.nanos() < lease - lease / 5;
	}

	/**
	 * Return whether beats have gone well for so long that another worker's silence is
	 * its own and not the store's, and whether neither the machine's clock nor the
	 * store's was set meanwhile, so that nobody's lease seems over for that.
	 * @return whether that is so
	 */
	boolean isSteady() {
		Confirmed confirmed = this.confirmed;
		return isSafe() && confirmed != null && !wasClockSetSince(confirmed)
				&& this.clock.nanos() - this.steadySinceNanos >= this.settings.lease().toNanos();
	}

	private boolean wasClockSetSince(Confirmed confirmed) {
		Duration shown = Duration.between(confirmed.at(), this.clock.now());
		Duration passed = Duration.ofNanos(this.clock.nanos() - confirmed.nanos());
		return shown.minus(passed).abs().compareTo(this.settings.lease().dividedBy(5)) > 0;
	}

	/**
	 * Take note of a token that this worker got.
	 * @param token the token
	 */
	void opened(long token) {
		this.known.add(token);
	}

	/**
	 * Take note of a token that a claim brought.
	 * @param token the token
	 * @param askedNanos when the claim was sent, by the counter
	 * @return whether its jobs may be run; not if the lease was not sure all the time
	 * since, as after the process was frozen, for others may have taken them over, nor if
	 * the reply took so long that they were given back
	 */
	boolean opened(long token, long askedNanos) {
		// Known first: either the beat that ends a doubt finds it here, or the doubt is
		// found below.
		this.known.add(token);
		Confirmed confirmed = this.confirmed;
		boolean sure = isSafe(confirmed) && confirmed != null && askedNanos - confirmed.sureSinceNanos() >= 0;
		synchronized (this.givenUp) {
			if (sure && !this.givenUp.contains(token)) {
				return true;
			}
		}
		this.known.remove(token);
		return false;
	}

	void onWanted(Runnable onWanted) {
		this.onWanted = onWanted;
	}

	/**
	 * Have the next beat be sent at once.
	 */
	void want() {
		this.wanted.set(true);
		this.onWanted.run();
	}

	/**
	 * Have the next beat be sent soon, since a job has something to tell.
	 */
	void wantForProgress() {
		if (!this.progressWanted) {
			this.progressWanted = true;
			this.onWanted.run();
		}
	}

	/**
	 * Do without a loop: a beat that a start waits for is sent by the thread that waits.
	 */
	void beatByHand() {
		this.byHand = true;
	}

	/**
	 * Have the store take note that a run starts and wait until it has. The starts of one
	 * moment share a beat.
	 * @param run the run
	 * @return whether it may start; not if it was told to end or the lease is not safe
	 * any more
	 * @throws InterruptedException if the run was told to end
	 */
	boolean noteStart(Run run) throws InterruptedException {
		run.checkIn(null);
		long due = askForBeat();
		if (this.byHand) {
			poll();
		}
		synchronized (this.beats) {
			while (this.heard < due) {
				if (run.cancelled() || !isSafe()) {
					return false;
				}
				this.beats.wait(this.settings.beat().toMillis());
			}
		}
		return !run.cancelled();
	}

	/**
	 * Have a beat be sent at once that tells all that is untold now.
	 * @return its number
	 */
	private long askForBeat() {
		synchronized (this.beats) {
			this.startWanted = true;
			this.onWanted.run();
			return this.begun + 1;
		}
	}

	/**
	 * Return whether, as far as is known, this worker still holds the jobs of a token.
	 * @param token the token
	 * @return whether it does
	 */
	boolean holds(long token) {
		return this.known.contains(token);
	}

	@Override
	public Duration poll() {
		long now = this.clock.nanos();
		long rest = (this.progressWanted ? PROGRESS_INTERVAL : this.settings.beat()).toNanos() - (now - this.lastNanos);
		if (!this.wanted.get() && !this.startWanted && rest > 0) {
			return Duration.ofNanos(rest);
		}
		beat();
		return this.settings.beat();
	}

	/**
	 * Take leave of the store.
	 */
	void leave() {
		this.confirmed = null;
		this.store.beat(new WorkerBeat(this.shared.worker(), this.settings.lease(), null, List.of(),
				nextReport(LAST_TALLIES), true, this.clock.now()));
	}

	private void beat() {
		long number = begin();
		collectNotes();
		Set<Long> knownBefore = new HashSet<>(this.known);
		boolean news = this.wanted.getAndSet(false) || !isSafe();
		learnTime();
		Confirmed before = this.confirmed;
		long sentNanos = this.clock.nanos();
		Instant sentAt = this.clock.now();
		BeatReply reply = send();
		long sureSince = sentNanos;
		if (before != null && isSafe(before)) {
			sureSince = before.sureSinceNanos();
		}
		else {
			// What others took over was perhaps claimed before and heard of only now.
			knownBefore.addAll(this.known);
		}
		Confirmed sent = new Confirmed(sentNanos, sentAt, sureSince);
		this.lastNanos = sent.nanos();
		this.unsent.clear();
		this.report = Report.NONE;
		this.clock.learn(reply.serverTime(), sent.nanos());
		if (wasClockSetSince(sent)) {
			// The lease ends by a time that does not count any more.
			want();
			news = true;
		}
		if (wasClockSetSince((before != null && this.clock.isOfMachine()) ? before : sent)) {
			this.steadySinceNanos = this.clock.nanos();
		}
		// The lease is sure again only once it is known what was lost without it.
		forgetLost(knownBefore, reply.openTokens());
		stopCancelled(reply.cancelled());
		this.confirmed = sent;
		heard(number);
		if (news) {
			this.onRenewed.run();
		}
		findLostClaims(reply.openTokens());
	}

	/**
	 * Learn the store's time before the first beat, whose lease others will read.
	 */
	private void learnTime() {
		guarded(() -> {
			this.clock.askOnce(this.store);
			return this.clock;
		});
	}

	private long begin() {
		synchronized (this.beats) {
			this.progressWanted = false;
			this.startWanted = false;
			return ++this.begun;
		}
	}

	private void heard(long number) {
		synchronized (this.beats) {
			this.heard = number;
			this.beats.notifyAll();
		}
	}

	private BeatReply send() {
		return guarded(
				() -> this.store.beat(new WorkerBeat(this.shared.worker(), this.settings.lease(), this.info.get(),
						List.copyOf(this.unsent.values()), nextReport(TALLIES_BATCH), false, this.clock.now())));
	}

	private <T> T guarded(Supplier<T> call) {
		try {
			return call.get();
		}
		catch (RuntimeException ex) {
			this.steadySinceNanos = this.clock.nanos();
			this.wanted.set(true);
			throw ex;
		}
	}

	/**
	 * Return what is to be reported: what a beat that failed has tried to, or else what
	 * was counted since.
	 */
	private Report nextReport(int most) {
		if (this.report.tallies().isEmpty()) {
			List<Tally> tallies = this.shared.tallies().take(most);
			this.report = tallies.isEmpty() ? Report.NONE : new Report(++this.lastReport, tallies);
		}
		return this.report;
	}

	private void collectNotes() {
		for (WorkerPool pool : this.pools.get()) {
			pool.eachRun((run) -> {
				Progress progress = run.takeUntold();
				if (progress != null) {
					this.unsent.put(run.id(), new Note(run.id(), run.name(), run.fencingToken(), progress));
				}
			});
		}
	}

	private void forgetLost(Set<Long> knownBefore, Set<Long> open) {
		knownBefore.removeAll(open);
		if (knownBefore.isEmpty()) {
			return;
		}
		this.known.removeAll(knownBefore);
		for (WorkerPool pool : this.pools.get()) {
			pool.dropWaiting(knownBefore);
			pool.eachRun((run) -> {
				if (knownBefore.contains(run.fencingToken())) {
					logger.warn("Job '{}' {} is no longer held by this worker; its run is told to end", run.name(),
							run.id());
					run.stop(Stop.LEASE_LOST);
				}
			});
		}
	}

	private void stopCancelled(Set<String> cancelled) {
		if (cancelled.isEmpty()) {
			return;
		}
		for (WorkerPool pool : this.pools.get()) {
			pool.cancelWaiting(cancelled);
			pool.eachRun((run) -> {
				if (cancelled.contains(run.id())) {
					run.stop(Stop.CANCELLED);
				}
			});
		}
	}

	/**
	 * Give back jobs that were claimed for this worker by a call whose reply never came.
	 * A token counts as lost once it has been unknown for longer than any call takes.
	 */
	private void findLostClaims(Set<Long> open) {
		long now = this.clock.nanos();
		this.unknownSince.keySet().retainAll(open);
		Set<Long> lost = new HashSet<>();
		synchronized (this.givenUp) {
			for (Long token : open) {
				if (this.known.contains(token)) {
					this.unknownSince.remove(token);
				}
				else if (now - this.unknownSince.computeIfAbsent(token, (key) -> now) > this.settings.lease().toNanos()
						/ 2) {
					lost.add(token);
				}
			}
			giveUp(lost);
		}
		if (!lost.isEmpty()) {
			ClaimReply reply = this.store.takeOver(new TakeOver(this.shared.worker(), this.shared.registry().queues(),
					lost, LOST_CLAIMS_BATCH, this.clock.now()));
			List<Claim> claims = new ArrayList<>(reply.claims());
			if (!claims.isEmpty()) {
				logger.warn("Giving back {} job(s) whose claim was lost on the way", claims.size());
			}
			claims.forEach((claim) -> {
				opened(claim.token());
				this.settler.giveBack(claim);
			});
		}
	}

	private void giveUp(Set<Long> lost) {
		this.givenUp.addAll(lost);
		Iterator<Long> oldest = this.givenUp.iterator();
		while (this.givenUp.size() > MOST_GIVEN_UP) {
			oldest.next();
			oldest.remove();
		}
	}

	/**
	 * A beat that the store has heard.
	 *
	 * @param nanos when it was sent, by the counter
	 * @param at when it was sent, by the clock
	 * @param sureSinceNanos when the first one was sent since which the lease was sure
	 */
	private record Confirmed(long nanos, Instant at, long sureSinceNanos) {

	}

}
