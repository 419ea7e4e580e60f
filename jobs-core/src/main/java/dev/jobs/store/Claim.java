package dev.jobs.store;

import java.time.Instant;

import dev.jobs.Job;
import org.jspecify.annotations.Nullable;

/**
 * A job that a worker holds.
 *
 * @param job the job
 * @param token the fencing token it is held under
 * @param startsBy when it must have begun, since its start was counted for a rate;
 * {@code null} for any time. Stores leave it out
 */
public record Claim(Job job, long token, @Nullable Instant startsBy) {

	/**
	 * Create a claim of a job that may begin at any time.
	 * @param job the job
	 * @param token the fencing token it is held under
	 */
	public Claim(Job job, long token) {
		this(job, token, null);
	}

}
