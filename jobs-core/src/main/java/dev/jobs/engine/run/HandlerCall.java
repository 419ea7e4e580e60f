package dev.jobs.engine.run;

import java.util.List;

import dev.jobs.Handler;
import dev.jobs.JobResult;
import dev.jobs.RunInterceptor;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.LogContext;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.result.Keeping;
import dev.jobs.engine.run.Run.Stop;
import dev.jobs.engine.settings.HandlerRegistry.Registered;
import dev.jobs.engine.settle.Outcome;
import dev.jobs.serialization.PayloadException;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the handler of a job, through the interceptors, and returns how that ended. It
 * lets no exception of a handler through.
 */
final class HandlerCall {

	private static final Logger logger = LoggerFactory.getLogger(HandlerCall.class);

	private final WorkerContext context;

	private final List<RunInterceptor> interceptors;

	HandlerCall(WorkerContext context, List<RunInterceptor> interceptors) {
		this.context = context;
		this.interceptors = List.copyOf(interceptors);
	}

	/**
	 * Decode the payload and call the handler.
	 * @return how it ended, or {@code null} if there is nothing to be written
	 */
	@Nullable Outcome call(Run run, Registered registered) {
		Outcome outcome = flushed(run, run.decided(attempt(run, registered)));
		return ended(run, run.parkedOr(written(run, registered, outcome)));
	}

	/**
	 * Write what the handler returned, if it is kept. A value that cannot be written
	 * could not be in any attempt.
	 */
	private static Outcome written(Run run, Registered registered, Outcome outcome) {
		if (!(outcome instanceof Outcome.Returned returned) || returned.result().getKind() != JobResult.Kind.DONE
				|| Keeping.of(run.claim().job(), registered.options()) == null) {
			return outcome;
		}
		try {
			return new Outcome.Returned(returned.result(), run.write(returned.result().getValue()));
		}
		catch (PayloadException ex) {
			return new Outcome.Returned(JobResult.discard()
				.message("its work is done, but its result cannot be kept: " + ErrorText.of(ex)));
		}
	}

	/**
	 * Save where the cursors of a run are that did not succeed.
	 */
	private static Outcome flushed(Run run, Outcome outcome) {
		if (outcome instanceof Outcome.Returned returned && returned.result().getKind() == JobResult.Kind.DONE
				&& !run.cancelled()) {
			return outcome;
		}
		try {
			run.flush();
			return outcome;
		}
		catch (Unwinding ex) {
			return new Outcome.Returned(ex.result());
		}
		catch (RuntimeException ex) {
			logger.info("Job '{}' {} runs again from an older position, since the latest could not be saved: {}",
					run.name(), run.id(), ErrorText.of(ex));
			return outcome;
		}
	}

	private Outcome attempt(Run run, Registered registered) {
		Object payload;
		try {
			payload = registered.reader().read(run.claim().job().payload());
			if (payload == null && registered.definition().payloadNeeded()) {
				throw new PayloadException("The job has no payload, but its handler takes one", null);
			}
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
		finally {
			LogContext.add(run.logContext());
		}
	}

	/**
	 * Call the handler through the interceptors. If the end of the run is logged, the
	 * line has the entries that the interceptors put into the log context, such as the
	 * trace, although they have removed them by then.
	 */
	@SuppressWarnings("unchecked") // the reader of a handler reads what it takes
	private JobResult proceed(int position, @Nullable Object payload, Run run, Handler<?> handler) throws Exception {
		try {
			JobResult result = (position < this.interceptors.size())
					? around(this.interceptors.get(position), run, () -> proceed(position + 1, payload, run, handler))
					: handle((Handler<@Nullable Object>) handler, payload, run);
			if (result == null) {
				result = JobResult.done();
			}
			if (result.getKind() != JobResult.Kind.DONE || run.cancelled()) {
				run.keepLogContext();
			}
			return result;
		}
		catch (Throwable ex) {
			run.keepLogContext();
			throw ex;
		}
	}

	/**
	 * Call the handler itself. One that swallows what ends it must not seem to be done.
	 */
	@SuppressWarnings("NullAway") // a handler knows whether its jobs have a payload
	private static JobResult handle(Handler<@Nullable Object> handler, @Nullable Object payload, Run run)
			throws Exception {
		try {
			JobResult result = handler.handle(payload, run);
			Unwinding swallowed = run.takeUnwinding();
			if (swallowed != null) {
				throw new IllegalStateException("The handler caught the error by which a sleep or a step ends a run, "
						+ "and went on; catch Exception instead of Throwable", swallowed);
			}
			return result;
		}
		catch (Unwinding ex) {
			return ex.result();
		}
	}

	/**
	 * Call an interceptor. If it returns {@code null}, as a mock does, it may not have
	 * called the handler.
	 */
	private static JobResult around(RunInterceptor interceptor, Run run, RunInterceptor.Next next) throws Exception {
		@Nullable JobResult result = interceptor.around(run, next);
		if (result == null) {
			throw new IllegalStateException("The RunInterceptor " + interceptor.getClass().getName()
					+ " returned null; it must return what 'proceed' has returned, or a result of its own");
		}
		return result;
	}

	/**
	 * End a run, so that nothing interrupts the thread any more.
	 * @param run the run
	 * @param outcome how it ended if it was not asked to stop
	 * @return how it ended, or {@code null} if there is nothing to be written
	 */
	@Nullable Outcome ended(Run run, Outcome outcome) {
		Stop stop = run.end();
		return (stop != null) ? stopped(run, stop) : outcome;
	}

	/**
	 * Return how a run ended that was asked to stop. Its result or exception does not
	 * show then whether its work was done.
	 * @return how it ended, or {@code null} if there is nothing to be written
	 */
	@Nullable Outcome stopped(Run run, Stop stop) {
		return switch (stop) {
			case LEASE_LOST -> {
				logger.info("Job '{}' {} ended after its lease was lost", run.name(), run.id());
				this.context.events()
					.publish(() -> new Events.LeaseLost(run.claim().job(), this.context.clock().now()));
				yield null;
			}
			case CANCELLED -> new Outcome.Cancelled(true);
			case TIMED_OUT -> new Outcome.TimedOut(run.sinceStop());
			case STOPPING -> new Outcome.Interrupted();
			case KILLED -> new Outcome.Abandoned();
		};
	}

}
