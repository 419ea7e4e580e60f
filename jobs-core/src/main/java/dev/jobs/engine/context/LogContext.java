package dev.jobs.engine.context;

import java.util.Map;

import dev.jobs.Job;
import org.slf4j.MDC;

/**
 * What the diagnostic context of a thread says about the job it works on.
 */
public final class LogContext {

	/** The key of the job's id. */
	public static final String JOB_ID = "job.id";

	/** The key of the run's fencing token. */
	public static final String TOKEN = "job.token";

	private static final String NAME = "job.name";

	private static final String ATTEMPT = "job.attempt";

	private LogContext() {
	}

	/**
	 * Put a run into the context, from before its start until its end is decided.
	 * @param job the job
	 * @param token the fencing token
	 */
	public static void put(Job job, long token) {
		MDC.put(JOB_ID, job.id());
		MDC.put(TOKEN, Long.toString(token));
		MDC.put(NAME, job.name());
		MDC.put(ATTEMPT, Integer.toString(job.attempt()));
	}

	/**
	 * Remove the run from the context.
	 */
	public static void remove() {
		MDC.remove(JOB_ID);
		MDC.remove(TOKEN);
		MDC.remove(NAME);
		MDC.remove(ATTEMPT);
	}

	/**
	 * Log with a job in the context, whatever was in it before.
	 * @param job the job
	 * @param logging logs
	 */
	public static void with(Job job, Runnable logging) {
		Map<String, String> outer = MDC.getCopyOfContextMap();
		MDC.put(JOB_ID, job.id());
		MDC.put(NAME, job.name());
		try {
			logging.run();
		}
		finally {
			MDC.setContextMap((outer != null) ? outer : Map.of());
		}
	}

}
