package dev.jobs.engine;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.store.support.Cursor;
import org.jspecify.annotations.Nullable;

/**
 * Lists jobs by when something happened to them, the latest first, and after them the
 * jobs that are not due yet, the soonest first. A store's own order begins with the jobs
 * due furthest in the future. The two parts are split by state, not by time, because
 * indexes serve states.
 *
 * @param filter selects the jobs of both
 * @param stored reads the parts
 */
record LatestFirst(JobFilter filter, StoredJobs stored) {

	private static final String PAST = "past";

	private static final String FUTURE = "future";

	/**
	 * Return whether a request is for such a list, which mixes jobs that are not due yet
	 * with others. Jobs of a tag are not ordered by time, and a filter with a time is
	 * explicit about it.
	 */
	static boolean isWanted(JobFilter filter, PageRequest request) {
		Set<JobState> states = filter.getStates();
		return request.isNewestFirst() && filter.getTag() == null && filter.getSince() == null
				&& filter.getBefore() == null
				&& (states.isEmpty() || (states.contains(JobState.SCHEDULED) && states.size() > 1));
	}

	JobPage page(PageRequest request) {
		List<String> position = Cursor.read(this.filter, request);
		String after = (position.size() > 1) ? position.get(1) : null;
		return (position.isEmpty() || position.get(0).equals(PAST)) ? past(request, after)
				: future(request, request.limit(), after);
	}

	private JobPage past(PageRequest request, @Nullable String after) {
		Set<JobState> states = this.filter.getStates().isEmpty() ? EnumSet.allOf(JobState.class)
				: EnumSet.copyOf(this.filter.getStates());
		states.remove(JobState.SCHEDULED);
		JobPage past = this.stored.page(in(states), request.after(after));
		if (past.next() != null) {
			return JobPage.of(past.jobs(), cursor(request, PAST, past.next()));
		}
		int room = request.limit() - past.jobs().size();
		if (room == 0) {
			boolean ends = future(request, 1, null).jobs().isEmpty();
			return JobPage.of(past.jobs(), ends ? null : cursor(request, FUTURE));
		}
		JobPage future = future(request, room, null);
		List<Job> jobs = new ArrayList<>(past.jobs());
		jobs.addAll(future.jobs());
		return JobPage.of(jobs, future.next());
	}

	private JobPage future(PageRequest request, int limit, @Nullable String after) {
		JobPage future = this.stored.page(in(Set.of(JobState.SCHEDULED)), PageRequest.oldestFirst(limit).after(after));
		return JobPage.of(future.jobs(), (future.next() != null) ? cursor(request, FUTURE, future.next()) : null);
	}

	private JobFilter in(Set<JobState> states) {
		return this.filter.with((only) -> only.states(states));
	}

	private String cursor(PageRequest request, String... position) {
		return Cursor.write(List.of(position), this.filter, request);
	}

}
