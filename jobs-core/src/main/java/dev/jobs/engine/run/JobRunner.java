package dev.jobs.engine.run;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

import dev.jobs.JobStoreException;
import dev.jobs.RunInterceptor;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.LogContext;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.lease.Heartbeat;
import dev.jobs.engine.lease.Lease;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.engine.run.RunningJobs.Slot;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.engine.settle.Settler;
import dev.jobs.store.Claim;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one claimed job on the calling thread with a {@link HandlerCall}, and has the
 * {@link Settler} decide what becomes of it. A job is given back instead when the worker
 * stops or cannot be sure of its lease. A job that was abandoned before starts only once
 * the store has recorded its start.
 */
public final class JobRunner {

	private static final Logger logger = LoggerFactory.getLogger(JobRunner.class);

	private final WorkerContext context;

	private final HandlerCall call;

	private final Settler settler;

	private final Lease lease;

	private final Heartbeat heartbeat;

	private final Watchdog watchdog;

	private final RunningJobs running;

	private final StepTransactions transactions;

	private volatile boolean refusing;

	/** One for all runs. */
	private final BooleanSupplier stopping = () -> this.refusing;

	public JobRunner(WorkerContext context, List<RunInterceptor> interceptors, Settler settler, Lease lease,
			Heartbeat heartbeat, Watchdog watchdog, RunningJobs running, StepTransactions transactions) {
		this.context = context;
		this.call = new HandlerCall(context, interceptors);
		this.settler = settler;
		this.lease = lease;
		this.heartbeat = heartbeat;
		this.watchdog = watchdog;
		this.running = running;
		this.transactions = transactions;
	}

	/**
	 * Start no job from now on.
	 */
	void refuse() {
		this.refusing = true;
	}

	/**
	 * Run a job, or give it back.
	 * @return the ended run, or {@code null} if it was not started
	 */
	public @Nullable Run run(Claim claim, Slot slot) {
		Registered registered = this.context.registry().find(claim.job().name());
		if (registered == null) {
			this.settler.giveBack(claim);
			return null;
		}
		Run run = new Run(claim, this.context, registered.options().getTimeout(), this.heartbeat, this.transactions,
				this.stopping);
		slot.occupy(run);
		Map<String, String> outer = LogContext.put(claim.job(), claim.token());
		try {
			return start(run, registered) ? run : null;
		}
		catch (Throwable ex) {
			settle(run, new Outcome.Threw(ex));
			return run;
		}
		finally {
			slot.free();
			run.end();
			this.running.forget(run);
			LogContext.restore(outer);
		}
	}

	private boolean start(Run run, Registered registered) {
		Claim claim = run.claim();
		if (!this.lease.holds(claim.token())) {
			logger.info("Job '{}' {} is not started, since it is no longer held", run.name(), run.id());
			return false;
		}
		if (!mayStart(run)) {
			leave(run);
			return false;
		}
		Instant now = this.context.clock().now();
		if (claim.job().isExpired(now)) {
			settle(run, new Outcome.Expired());
			return false;
		}
		run.begin();
		this.context.tallies().started(run.name(), now, Duration.between(run.dueAt(), now));
		Outcome outcome = run(run, registered);
		if (outcome != null) {
			settle(run, outcome);
		}
		return true;
	}

	private void settle(Run run, Outcome outcome) {
		this.settler.settle(run.claim(), outcome, run.took(), run.logged(), run.hasSaved());
	}

	/**
	 * Drop a run that has not started.
	 */
	private void leave(Run run) {
		Stop stop = run.end();
		if (stop == null) {
			this.settler.giveBack(run.claim());
			return;
		}
		Outcome outcome = this.call.stopped(run, stop);
		if (outcome != null) {
			settle(run, outcome);
		}
	}

	private boolean mayStart(Run run) {
		return isReady() && !run.cancelled()
				&& (!run.claim().job().trail().watched() || (isStartKnown(run) && isReady())) && isInTime(run.claim());
	}

	/**
	 * A start that was counted for a rate must not come later, or it would be in a window
	 * with others.
	 */
	private boolean isInTime(Claim claim) {
		return claim.startsBy() == null || this.context.clock().isSurelyBefore(claim.startsBy());
	}

	private boolean isReady() {
		return !this.refusing && this.lease.isSafe();
	}

	private boolean isStartKnown(Run run) {
		try {
			return this.heartbeat.noteStart(run);
		}
		catch (InterruptedException | JobStoreException ex) {
			logger.debug("The start of job {} was not noted", run.id(), ErrorText.loggable(ex));
			return false;
		}
	}

	private @Nullable Outcome run(Run run, Registered registered) {
		try {
			this.watchdog.watch(run);
			this.context.events().publish(() -> new Events.Started(run.claim().job(), this.context.clock().now()));
			HandlerTransactions transactions = registered.options().isTransactional() ? this.transactions.transactions()
					: null;
			return (transactions != null)
					? new TransactionalRun(run, registered, this.call, this.context.store(), this.settler)
						.in(transactions)
					: this.call.call(run, registered);
		}
		finally {
			run.end();
		}
	}

}
