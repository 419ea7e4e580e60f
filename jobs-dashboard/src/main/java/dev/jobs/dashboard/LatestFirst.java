package dev.jobs.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;

/**
 * Lists jobs by when something happened to them, the latest first, and behind them those
 * that are not due yet, the soonest first. The order of a store alone begins with what is
 * due furthest in the future. The two parts differ by state and not by time, as indexes
 * serve states.
 *
 * @param operations reads the parts
 * @param filter selects the jobs of both
 */
record LatestFirst(JobOperations operations, JobFilter filter) {

	private static final Pattern CURSOR = Pattern.compile("(past|future)\\.([0-9a-f]{8})\\.(.*)");

	/**
	 * Return a page of a list in the order that the request names.
	 */
	static JobPage page(JobOperations operations, JobFilter filter, PageRequest request) {
		return (request.isNewestFirst() && isMixed(filter)) ? new LatestFirst(operations, filter).page(request)
				: operations.jobs(filter).page(request);
	}

	/**
	 * Return whether the filter selects jobs that are not due yet beside others. Jobs of
	 * a tag are not ordered by time, and who names a time knows whether it has come.
	 */
	private static boolean isMixed(JobFilter filter) {
		Set<JobState> states = filter.getStates();
		return (states.isEmpty() || (states.contains(JobState.SCHEDULED) && states.size() > 1))
				&& filter.getTag() == null && filter.getSince() == null && filter.getBefore() == null;
	}

	private JobPage page(PageRequest request) {
		String after = request.after();
		if (after == null) {
			return past(request);
		}
		Matcher cursor = CURSOR.matcher(after);
		if (!cursor.matches() || !cursor.group(2).equals(digest())) {
			throw new IllegalArgumentException("The cursor is none of this list: it belongs to another filter or "
					+ "order, or was cut; begin without one");
		}
		String position = cursor.group(3);
		return cursor.group(1).equals("past") ? past(request.after(position))
				: future(request.limit(), position.isEmpty() ? null : position);
	}

	private JobPage past(PageRequest request) {
		Set<JobState> states = this.filter.getStates().isEmpty() ? EnumSet.allOf(JobState.class)
				: EnumSet.copyOf(this.filter.getStates());
		states.remove(JobState.SCHEDULED);
		JobPage past = this.operations.jobs(this.filter.with((only) -> only.states(states))).page(request);
		if (past.next() != null) {
			return JobPage.of(past.jobs(), cursor("past", past.next()));
		}
		int room = request.limit() - past.jobs().size();
		if (room == 0) {
			return JobPage.of(past.jobs(), future(1, null).jobs().isEmpty() ? null : cursor("future", ""));
		}
		JobPage future = future(room, null);
		List<Job> jobs = new ArrayList<>(past.jobs());
		jobs.addAll(future.jobs());
		return JobPage.of(jobs, future.next());
	}

	private JobPage future(int limit, @Nullable String after) {
		JobPage future = this.operations.jobs(this.filter.with((only) -> only.states(JobState.SCHEDULED)))
			.page(PageRequest.oldestFirst(limit).after(after));
		return JobPage.of(future.jobs(), (future.next() != null) ? cursor("future", future.next()) : null);
	}

	private String cursor(String part, String position) {
		return part + "." + digest() + "." + position;
	}

	/**
	 * Return what tells lists apart, as the cursor at which the future begins has no
	 * position that would.
	 */
	private String digest() {
		CRC32 sum = new CRC32();
		sum.update(Arrays
			.asList(new TreeSet<>(this.filter.getStates()), this.filter.getName(), this.filter.getRetrying(),
					this.filter.getText(), this.filter.getUniqueKey())
			.toString()
			.getBytes(StandardCharsets.UTF_8));
		return String.format("%08x", sum.getValue());
	}

}
