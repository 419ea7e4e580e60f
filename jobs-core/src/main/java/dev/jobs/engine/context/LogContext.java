package dev.jobs.engine.context;

import java.util.Map;

import dev.jobs.Job;
import org.slf4j.MDC;

/**
 * The entries in a thread's diagnostic context about its job.
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
	 * Put a run into the context before it starts; it stays until its end is decided.
	 * @param job the job
	 * @param token the fencing token
	 * @return what was in the context before
	 */
	public static Map<String, String> put(Job job, long token) {
		Map<String, String> outer = current();
		MDC.put(JOB_ID, job.id());
		MDC.put(TOKEN, Long.toString(token));
		MDC.put(NAME, job.name());
		MDC.put(ATTEMPT, Integer.toString(job.attempt()));
		return outer;
	}

	/**
	 * Return what is in the context now.
	 */
	public static Map<String, String> current() {
		Map<String, String> entries = MDC.getCopyOfContextMap();
		return (entries != null) ? entries : Map.of();
	}

	/**
	 * Add entries, without changing those that are in the context.
	 */
	public static void add(Map<String, String> entries) {
		entries.forEach((key, value) -> {
			if (MDC.get(key) == null) {
				MDC.put(key, value);
			}
		});
	}

	/**
	 * Restore exactly what was in the context before.
	 * @param entries what was in it
	 */
	public static void restore(Map<String, String> entries) {
		if (entries.isEmpty()) {
			MDC.clear();
		}
		else {
			MDC.setContextMap(entries);
		}
	}

	/**
	 * Return whether the thread works on a job, according to the context.
	 */
	public static boolean hasJob() {
		return MDC.get(JOB_ID) != null;
	}

	/**
	 * Log with a job in the context, whatever was in it before.
	 */
	public static void with(Job job, Runnable logging) {
		Map<String, String> outer = current();
		MDC.put(JOB_ID, job.id());
		MDC.put(NAME, job.name());
		MDC.put(ATTEMPT, Integer.toString(job.attempt()));
		try {
			logging.run();
		}
		finally {
			restore(outer);
		}
	}

}
