package dev.jobs;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A page of a list of jobs.
 *
 * @param jobs the jobs; fewer than the limit, or even none, if this is the last page or
 * if a bounded number of jobs was looked through for the rest
 * @param next the cursor of the page that follows, or {@code null} if this is the last
 */
public record JobPage(List<Job> jobs, @Nullable String next) {

	public JobPage {
		jobs = List.copyOf(jobs);
	}

}
