package dev.jobs.engine.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

import dev.jobs.engine.settle.Outcome;
import dev.jobs.engine.settle.Settler;
import dev.jobs.store.Claim;
import org.jspecify.annotations.Nullable;

/**
 * The claimed jobs of one pool that wait for a free thread, in the order of their claim.
 */
public final class Line implements SuspectGate.Place {

	private static final Duration SUSPECT_PUT_OFF = Duration.ofSeconds(1);

	/** Stands in the line like a job and ends the thread that takes it. */
	private static final Object END = new Object();

	private final Settler settler;

	private final SuspectGate suspects;

	private final LocalLimits localLimits;

	/** Claims, and one end marker for each thread that is to end. */
	private final LinkedBlockingQueue<Object> queue = new LinkedBlockingQueue<>();

	private final AtomicInteger ends = new AtomicInteger();

	private volatile boolean closed;

	public Line(Settler settler, SuspectGate suspects, LocalLimits localLimits) {
		this.settler = settler;
		this.suspects = suspects;
		this.localLimits = localLimits;
	}

	public int size() {
		return this.queue.size() - this.ends.get();
	}

	/**
	 * Return how many threads are still to end.
	 */
	int ends() {
		return this.ends.get();
	}

	// --- in

	/**
	 * Take claimed jobs in.
	 */
	public void offer(List<Claim> claims) {
		for (Claim claim : claims) {
			this.localLimits.acquire(claim.job().name());
			if (!claim.job().trail().suspect()) {
				accept(claim);
				continue;
			}
			switch (this.suspects.enter(claim, this)) {
				case NOW -> accept(claim);
				case NOT_HERE -> {
					this.localLimits.release(claim.job().name());
					this.settler.putOff(claim, SUSPECT_PUT_OFF);
				}
				case LATER -> {
				}
			}
		}
	}

	@Override
	public void accept(Claim claim) {
		synchronized (this.queue) {
			if (!this.closed) {
				this.queue.add(claim);
				return;
			}
		}
		release(claim);
		this.settler.giveBack(claim);
	}

	// --- to a thread

	/**
	 * Wait for a job.
	 * @return the next job, or {@code null} if the thread is to end
	 */
	public @Nullable Claim take() throws InterruptedException {
		return (this.queue.take() instanceof Claim claim) ? claim : null;
	}

	/**
	 * Take a job without waiting.
	 * @return the next job, or {@code null} if there is none
	 */
	public @Nullable Claim poll() {
		return (this.queue.poll() instanceof Claim claim) ? claim : null;
	}

	/**
	 * Free the place of a job that is no longer held here.
	 */
	public void release(Claim claim) {
		this.localLimits.release(claim.job().name());
		if (claim.job().trail().suspect()) {
			this.suspects.leave();
		}
	}

	// --- out

	/**
	 * Give jobs back.
	 * @param which selects them
	 */
	public void giveBack(Predicate<Claim> which) {
		takeOut(which).forEach(this.settler::giveBack);
	}

	/**
	 * Give back all jobs but the first ones.
	 * @param kept how many stay
	 */
	public void giveBackBehind(int kept) {
		Set<Object> surplus = Collections.newSetFromMap(new IdentityHashMap<>());
		this.queue.stream().filter(Claim.class::isInstance).skip(kept).forEach(surplus::add);
		giveBack(surplus::contains);
	}

	/**
	 * Cancel jobs.
	 */
	public void cancel(Set<String> ids) {
		takeOut((claim) -> ids.contains(claim.job().id()))
			.forEach((claim) -> this.settler.settle(claim, new Outcome.Cancelled(false)));
	}

	/**
	 * Forget jobs that this worker has lost.
	 * @param tokens the tokens it lost
	 */
	void drop(Set<Long> tokens) {
		takeOut((claim) -> tokens.contains(claim.token()));
	}

	/**
	 * Take out jobs that wait as suspects or in line. Threads take jobs meanwhile, so a
	 * job counts only if this call removed it: {@code removeIf} may also pass its
	 * predicate a job that a thread takes at the same moment.
	 */
	private List<Claim> takeOut(Predicate<Claim> which) {
		List<Claim> out = new ArrayList<>(this.suspects.withdraw(this, which));
		out.forEach((claim) -> this.localLimits.release(claim.job().name()));
		for (Object waiting : this.queue) {
			if (waiting instanceof Claim claim && which.test(claim) && this.queue.remove(claim)) {
				release(claim);
				out.add(claim);
			}
		}
		return out;
	}

	/**
	 * Accept no more jobs.
	 */
	public void close() {
		synchronized (this.queue) {
			this.closed = true;
		}
		for (Claim claim = this.suspects.withdraw(); claim != null; claim = this.suspects.withdraw()) {
			this.localLimits.release(claim.job().name());
			this.settler.giveBack(claim);
		}
	}

	/**
	 * End threads once they have taken the jobs that are in the line now.
	 * @param threads how many
	 */
	void end(int threads) {
		this.ends.addAndGet(threads);
		this.queue.addAll(Collections.nCopies(threads, END));
	}

	/**
	 * Count a thread that has ended.
	 */
	void ended() {
		this.ends.decrementAndGet();
	}

	/**
	 * Keep a thread that was to end but has not.
	 * @return {@code false} if there is none
	 */
	boolean takeEndBack() {
		boolean taken = this.queue.remove(END);
		if (taken) {
			ended();
		}
		return taken;
	}

}
