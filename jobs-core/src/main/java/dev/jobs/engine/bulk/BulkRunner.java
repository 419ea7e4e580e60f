package dev.jobs.engine.bulk;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

import dev.jobs.BulkStatus.State;
import dev.jobs.JobPage;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.Changed;
import dev.jobs.store.JobStore;
import dev.jobs.store.support.Refusals;
import dev.jobs.store.view.OperatorSetting;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries bulk actions out, those under way in turns, one step at a time. One worker does
 * all of them; if it stores no step for a lease, another one continues. Two workers at
 * the same step do no harm, since only one of them can store that it was taken.
 * <p>
 * A step has as many jobs as a call of the store handles within {@value #MOST_MILLIS} ms,
 * and is followed by a rest as long as the step, so others wait for the store little
 * longer than usual. What the shortest call takes is the way to the store and back, and
 * does not count.
 */
public final class BulkRunner implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(BulkRunner.class);

	private static final int LEAST = 25;

	private static final int MOST = 500;

	/** How long a call of the store should take at most. */
	private static final int MOST_MILLIS = 4;

	/** How long the rest after a step is, measured by the step. */
	private static final int REST = 1;

	private static final Duration LONGEST_REST = Duration.ofHours(1);

	private final WorkerContext context;

	private final Lease lease;

	/** Whether the store may have other actions than those that are known. */
	private volatile boolean outdated;

	/** The actions under way, those that were taken up last at the end. */
	private List<BulkAction> running = List.of();

	private int size = LEAST;

	/** How long the longer call for the jobs of a step took; -1 once that is heeded. */
	private long stepNanos = -1;

	public BulkRunner(WorkerContext context, Lease lease) {
		this.context = context;
		this.lease = lease;
	}

	/**
	 * Learn of changed settings of operators.
	 * @param settings all of them
	 * @return whether there is a bulk action to carry out
	 */
	public boolean learn(List<OperatorSetting> settings) {
		boolean some = settings.stream().anyMatch((setting) -> setting.kind().equals(BulkAction.KIND));
		this.outdated |= some;
		return some;
	}

	@Override
	public Duration poll() {
		if (!this.lease.isSafe()) {
			return this.context.settings().beat();
		}
		long begin = this.context.clock().nanos();
		if (this.outdated) {
			look();
		}
		if (this.running.isEmpty()) {
			return LONGEST_REST;
		}
		Instant now = this.context.clock().now();
		Instant others = othersUntil(now);
		if (others != null) {
			this.outdated = true;
			Duration third = this.context.settings().lease().dividedBy(3);
			Duration rest = Duration.between(now, others).plusMillis(1);
			return (rest.compareTo(third) < 0) ? rest : third;
		}
		try {
			step(now);
		}
		catch (RuntimeException ex) {
			this.outdated = true;
			throw ex;
		}
		return Duration.ofNanos(REST * Math.max(this.context.clock().nanos() - begin, 0));
	}

	/**
	 * Return whether there is nothing that this worker may carry out.
	 */
	public boolean isIdle() {
		return (!this.outdated && this.running.isEmpty()) || othersUntil(this.context.clock().now()) != null
				|| !this.lease.isSafe();
	}

	private void look() {
		this.outdated = false;
		try {
			this.running = BulkAction.all(this.context.store().inspector())
				.filter((action) -> action.state() == State.RUNNING)
				.toList();
		}
		catch (RuntimeException ex) {
			this.outdated = true;
			throw ex;
		}
	}

	/**
	 * Return until when other workers may carry actions out.
	 * @return the instant, or {@code null} if no other worker does
	 */
	private @Nullable Instant othersUntil(Instant now) {
		return this.running.stream()
			.filter((action) -> action.worker() != null && !isMine(action))
			.map((action) -> action.changedAt().plus(this.context.settings().lease()))
			.filter(now::isBefore)
			.max(Comparator.naturalOrder())
			.orElse(null);
	}

	private boolean isMine(BulkAction action) {
		return this.context.worker().equals(action.worker());
	}

	/**
	 * Take a step of the action whose turn it is.
	 */
	private void step(Instant now) {
		BulkAction action = this.running.get(0);
		UnaryOperator<BulkAction> step = isMine(action) ? carryOut(action, now)
				: (it) -> it.at(this.context.worker(), now);
		BulkAction next = step.apply(action);
		if (!replace(action, next, now)) {
			// Another worker continues it, or somebody stopped it: then the step counts.
			this.outdated = true;
			BulkAction stopped = BulkAction.all(this.context.store().inspector())
				.filter((one) -> one.isStopOf(action))
				.findFirst()
				.orElse(null);
			if (stopped != null && isMine(action)) {
				replace(stopped, step.apply(stopped), now);
			}
			return;
		}
		this.running = new ArrayList<>(this.running.subList(1, this.running.size()));
		if (next.state() == State.RUNNING) {
			this.running.add(next);
		}
		else {
			logger.info("{} is {}: {} changed, {} skipped, {} refused{}", next,
					next.state().name().toLowerCase(Locale.ROOT), next.done(), next.skipped(), next.failed(),
					(next.error() != null) ? "; " + next.error() : "");
		}
	}

	private boolean replace(BulkAction action, BulkAction next, Instant now) {
		long begin = this.context.clock().nanos();
		Changed changed = this.context.store().change(List.of(next.instead(action, false)), now).get(0);
		if (this.stepNanos >= 0) {
			adapt(this.stepNanos - (this.context.clock().nanos() - begin));
			this.stepNanos = -1;
		}
		return changed == Changed.DONE;
	}

	/**
	 * Carry out a step.
	 * @return what becomes of the action
	 */
	private UnaryOperator<BulkAction> carryOut(BulkAction action, Instant now) {
		JobStore store = this.context.store();
		BulkWork work = action.work();
		long begin = this.context.clock().nanos();
		JobPage page;
		try {
			page = work.read(store, action.cursor(), this.size, now);
		}
		catch (IllegalArgumentException ex) {
			return (it) -> it.in(State.STOPPED, Refusals.reasonOf(ex), now);
		}
		long read = this.context.clock().nanos();
		List<String> refused = new ArrayList<>();
		BulkWork.Counts counts = work.change(store, page.jobs(), now, (id) -> {
		}, (job, fault) -> {
			refused.add(Refusals.reasonOf(fault));
			logger.warn("The store refuses to change job '{}' {}: {}", job.name(), job.id(), ErrorText.of(fault));
		});
		this.stepNanos = Math.max(read - begin, this.context.clock().nanos() - read);
		return (it) -> it.after(counts, refused, page.next(), work.isRepeated(), now);
	}

	private void adapt(long nanos) {
		long most = Duration.ofMillis(MOST_MILLIS).toNanos();
		if (nanos > most) {
			this.size = Math.max(this.size / 2, LEAST);
		}
		else if (nanos < most / 2) {
			this.size = Math.min(this.size + this.size / 4 + 1, MOST);
		}
	}

}
