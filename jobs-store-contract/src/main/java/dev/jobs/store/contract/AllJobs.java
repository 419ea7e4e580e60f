package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import dev.jobs.store.view.JobInspector;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * All jobs of a list, read page by page.
 */
public final class AllJobs {

	private static final int MOST_PAGES = 5_000;

	private AllJobs() {
	}

	/**
	 * Read all jobs that a filter selects, the oldest first.
	 * @param inspector reads the store
	 * @param filter the filter
	 * @param now the time
	 * @return the jobs
	 */
	public static List<Job> of(JobInspector inspector, JobFilter filter, Instant now) {
		return of(inspector, filter, PageRequest.oldestFirst(PageRequest.LARGEST), now);
	}

	/**
	 * Read all jobs that a filter selects.
	 * @param inspector reads the store
	 * @param filter the filter
	 * @param request the order, and the size of the pages
	 * @param now the time
	 * @return the jobs
	 */
	public static List<Job> of(JobInspector inspector, JobFilter filter, PageRequest request, Instant now) {
		List<Job> all = new ArrayList<>();
		JobPage page = inspector.page(filter, request, now);
		all.addAll(page.jobs());
		for (int pages = 1; page.next() != null; pages++) {
			assertThat(pages).as("pages of " + filter).isLessThan(MOST_PAGES);
			page = inspector.page(filter, request.after(page.next()), now);
			all.addAll(page.jobs());
		}
		return all;
	}

}
