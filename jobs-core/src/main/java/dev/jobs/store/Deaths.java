package dev.jobs.store;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.jobs.Job;
import dev.jobs.Trail;

/**
 * Dead jobs by what they died of.
 *
 * @param causes the causes, the most frequent first
 * @param searched how many of the jobs that died last were looked at
 * @param complete whether these were all
 */
public record Deaths(List<Cause> causes, long searched, boolean complete) {

	private static final int LONGEST = 200;

	/**
	 * Group dead jobs.
	 * @param jobs the jobs, those that died last first
	 * @param complete whether these are all
	 * @return the groups
	 */
	public static Deaths of(List<Job> jobs, boolean complete) {
		Map<String, List<Job>> groups = new LinkedHashMap<>();
		jobs.forEach((job) -> groups.computeIfAbsent(causeOf(job), (cause) -> new ArrayList<>()).add(job));
		List<Cause> causes = new ArrayList<>();
		groups.forEach((error, dead) -> causes.add(new Cause(error, dead.size(), dead.get(0))));
		causes.sort(Comparator.comparingLong(Cause::count).reversed());
		return new Deaths(List.copyOf(causes), jobs.size(), complete);
	}

	/**
	 * Return what a job died of: the first line of its last error, which begins with the
	 * class of the exception, or the reason given.
	 * @param job a dead job
	 * @return the cause, by which it is grouped
	 */
	public static String causeOf(Job job) {
		Trail.End end = job.trail().end();
		String line = (end != null) ? end.message().lines().findFirst().orElse("").strip() : "";
		return (line.length() > LONGEST) ? line.substring(0, LONGEST) : line;
	}

	/**
	 * Jobs that died of the same.
	 *
	 * @param error what they died of
	 * @param count how many there are
	 * @param latest the one that died last
	 */
	public record Cause(String error, long count, Job latest) {

	}

}
