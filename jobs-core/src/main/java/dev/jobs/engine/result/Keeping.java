package dev.jobs.engine.result;

import java.time.Duration;

import dev.jobs.HandlerOptions;
import dev.jobs.Job;
import org.jspecify.annotations.Nullable;

/**
 * For how long the end of a job is kept: as its handler says, or as long as the caller
 * who waits for it needs, which travels in a header.
 */
public final class Keeping {

	/** The name of the header. */
	public static final String HEADER = "jobs.awaited";

	private static final Duration LONGEST = Duration.ofDays(365);

	private Keeping() {
	}

	/**
	 * Return the header of a job that somebody waits for.
	 */
	public static String header(Duration wait) {
		return Long.toString(((wait.compareTo(LONGEST) < 0) ? wait : LONGEST).toMillis());
	}

	/**
	 * Return for how long.
	 * @return the time, or {@code null} if it is not kept
	 */
	public static @Nullable Duration of(Job job, HandlerOptions options) {
		Duration kept = options.getKeepResult();
		String text = job.headers().get(HEADER);
		Duration awaited = (text != null && text.matches("\\d{1,12}")) ? Duration.ofMillis(Long.parseLong(text)) : null;
		return (awaited != null && (kept == null || kept.compareTo(awaited) < 0)) ? awaited : kept;
	}

}
