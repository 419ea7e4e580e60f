package dev.jobs.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.jobs.Handler;
import dev.jobs.Job;
import dev.jobs.JobContext;
import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.JobStoreException;
import dev.jobs.RunInterceptor;
import dev.jobs.engine.HandlerRegistry.Registered;
import dev.jobs.engine.Run.Stop;
import dev.jobs.store.Claim;
import dev.jobs.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Runs one claimed job on the calling thread: decodes the payload, goes through the
 * interceptors to the handler, and tells the {@link Settler} how it ended. Nothing a
 * handler throws gets past it. A job is not started, but given back, when the worker
 * stops or cannot be sure of its lease. One that was abandoned before starts only once
 * the store knows that it does.
 */
final class JobRunner {

	private static final Logger logger = LoggerFactory.getLogger(JobRunner.class);

	static final String MDC_NAME = "job.name";

	static final String MDC_ATTEMPT = "job.attempt";

	private final Shared shared;

	private final List<RunInterceptor> interceptors;

	private final Settler settler;

	private final Heartbeat heartbeat;

	private final Watchdog watchdog;

	private final RunLogs logs;

	private final @Nullable HandlerTransactions transactions;

	private volatile boolean refusing;

	JobRunner(Shared shared, List<RunInterceptor> interceptors, Settler settler, Heartbeat heartbeat, Watchdog watchdog,
			RunLogs logs, @Nullable HandlerTransactions transactions) {
		this.shared = shared;
		this.interceptors = List.copyOf(interceptors);
		this.settler = settler;
		this.heartbeat = heartbeat;
		this.watchdog = watchdog;
		this.logs = logs;
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
	 * @return the run, which is over, or {@code null} if it was not started
	 */
	@Nullable Run run(Claim claim, Slot slot) {
		Registered registered = this.shared.registry().find(claim.job().name());
		if (registered == null) {
			this.settler.giveBack(claim);
			return null;
		}
		Claim readable = new Claim(this.shared.registry().readable(claim.job()), claim.token());
		Run run = new Run(readable, this.shared.clock(), registered.definition().options().timeout(),
				this.heartbeat::wantForProgress);
		slot.occupy(run);
		putContext(run);
		try {
			return start(run, registered) ? run : null;
		}
		catch (RuntimeException | Error ex) {
			this.settler.settle(run, new Outcome.Threw(ex));
			return run;
		}
		finally {
			slot.free();
			run.end();
			this.logs.forget(run);
			removeContext();
		}
	}

	/** From before the start until the end is decided, which is logged too. */
	private static void putContext(Run run) {
		MDC.put(JobEngine.MDC_JOB_ID, run.id());
		MDC.put(JobEngine.MDC_TOKEN, Long.toString(run.fencingToken()));
		MDC.put(MDC_NAME, run.name());
		MDC.put(MDC_ATTEMPT, Integer.toString(run.job().attempt()));
	}

	private static void removeContext() {
		MDC.remove(JobEngine.MDC_JOB_ID);
		MDC.remove(JobEngine.MDC_TOKEN);
		MDC.remove(MDC_NAME);
		MDC.remove(MDC_ATTEMPT);
	}

	private boolean start(Run run, Registered registered) {
		Claim claim = run.claim();
		if (!this.heartbeat.holds(claim.token())) {
			logger.info("Job '{}' {} is not started, since it is no longer held", run.name(), run.id());
			return false;
		}
		if (!mayStart(run)) {
			leave(run);
			return false;
		}
		run.begin();
		Instant now = this.shared.clock().now();
		this.shared.tallies().started(run.name(), now, Duration.between(run.job().dueAt(), now));
		Outcome outcome = run(run, registered);
		if (outcome != null) {
			this.settler.settle(run, outcome);
		}
		return true;
	}

	/**
	 * Do without a run that has not started.
	 */
	private void leave(Run run) {
		Stop stop = run.end();
		if (stop == null) {
			this.settler.giveBack(run.claim());
			return;
		}
		Outcome outcome = stopped(run, stop);
		if (outcome != null) {
			this.settler.settle(run, outcome);
		}
	}

	private boolean mayStart(Run run) {
		return isReady() && !run.cancelled() && (!run.job().trail().watched() || (isStartKnown(run) && isReady()));
	}

	private boolean isReady() {
		return !this.refusing && this.heartbeat.isSafe();
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
		Job job = run.job();
		try {
			this.watchdog.watch(run);
			this.shared.events().publish(() -> new JobEvent.Started(job, this.shared.clock().now()));
			HandlerTransactions transactions = registered.definition().options().transactional() ? this.transactions
					: null;
			if (transactions != null) {
				return new TransactionalRun(run, this.shared.store(), this.settler, () -> attempt(run, registered),
						(stop) -> stopped(run, stop))
					.in(transactions);
			}
			Outcome outcome = attempt(run, registered);
			Stop stop = run.end();
			return (stop != null) ? stopped(run, stop) : outcome;
		}
		finally {
			run.end();
		}
	}

	private Outcome attempt(Run run, Registered registered) {
		Object payload;
		try {
			payload = registered.reader().read(run.job().payload());
		}
		catch (Throwable ex) {
			return new Outcome.Unreadable(ex);
		}
		try {
			return new Outcome.Returned(proceed(0, payload, run, registered.definition().handler()));
		}
		catch (Throwable ex) {
			return new Outcome.Threw(ex);
		}
	}

	@SuppressWarnings({ "unchecked", "NullAway" }) // a handler knows whether its jobs
													// have a payload
	private JobResult proceed(int position, @Nullable Object payload, JobContext context, Handler<?> handler)
			throws Exception {
		JobResult result = (position < this.interceptors.size())
				? this.interceptors.get(position)
					.around(context, () -> proceed(position + 1, payload, context, handler))
				: ((Handler<@Nullable Object>) handler).handle(payload, context);
		return (result != null) ? result : JobResult.done();
	}

	/**
	 * Tell how a run ended that was told to end. Whatever it returned or threw says
	 * nothing then about whether its work was done.
	 */
	private @Nullable Outcome stopped(Run run, Stop stop) {
		return switch (stop) {
			case LEASE_LOST -> {
				logger.info("Job '{}' {} ended after its lease was lost", run.name(), run.id());
				this.shared.events().publish(() -> new JobEvent.LeaseLost(run.job(), this.shared.clock().now()));
				yield null;
			}
			case CANCELLED -> new Outcome.Cancelled();
			case TIMED_OUT -> new Outcome.TimedOut();
			case STOPPING -> new Outcome.Interrupted();
		};
	}

}
