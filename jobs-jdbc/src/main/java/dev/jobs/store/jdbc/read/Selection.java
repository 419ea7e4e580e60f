package dev.jobs.store.jdbc.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Urgency;
import dev.jobs.store.jdbc.row.EpochMillis;
import dev.jobs.store.jdbc.row.StateColumn;
import dev.jobs.store.support.ListedJob;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a filter selects, without its text and its tag, and their order.
 *
 * @param filter the filter
 * @param newestFirst whether the newest come first
 * @param now the time
 */
public record Selection(JobFilter filter, boolean newestFirst, long now) {

	/**
	 * Return the ready jobs in line, which an index orders by queue and place, or
	 * {@code null} if they are not wanted.
	 */
	@Nullable Part ready() {
		String again = Boolean.TRUE.equals(this.filter.getRetrying()) ? " and j.attempt > 1" : "";
		boolean normal = this.filter.getUrgency() == null || this.filter.getUrgency() == Urgency.NORMAL;
		return (states().contains(JobState.READY) && this.filter.getLane() == null && normal)
				? new Part("j.state = {ready}" + again, "place", List.of()) : null;
	}

	/**
	 * Return the parts of the other jobs, each of which an index orders by time within a
	 * queue.
	 */
	List<Part> timed() {
		Set<JobState> states = states();
		boolean ready = states.contains(JobState.READY);
		String again = Boolean.TRUE.equals(this.filter.getRetrying()) ? " and j.attempt > 1" : "";
		List<Part> parts = new ArrayList<>();
		for (JobState waits : List.of(JobState.WAITING, JobState.SCHEDULED)) {
			String which = (waits == JobState.WAITING) ? "j.state = {waiting}" : "j.state = {scheduled}";
			boolean wanted = states.contains(waits);
			if (ready && wanted) {
				parts.add(part(which + again, "due_at"));
			}
			else if (ready || wanted) {
				parts.add(part(which + again + " and j.due_at " + (ready ? "<= ?" : "> ?"), "due_at", this.now));
			}
		}
		if (ready) {
			parts.add(part("j.state = {laned}" + again, "since"));
		}
		if (states.contains(JobState.RUNNING)) {
			parts.add(part("j.state = {running}", "since"));
		}
		if (states.contains(JobState.DEAD)) {
			parts.add(part("j.state = {dead}", "since"));
		}
		if (states.contains(JobState.SUCCEEDED)) {
			// The index of the history holds cancelled jobs, too; fits() drops them.
			parts.add(part("j.state > {dead}", "since"));
		}
		else if (states.contains(JobState.CANCELLED)) {
			parts.add(part("j.state = {cancelled}", "since"));
		}
		return parts;
	}

	/**
	 * Return all parts.
	 */
	public List<Part> parts() {
		List<Part> parts = new ArrayList<>(timed());
		Part ready = ready();
		if (ready != null) {
			parts.add(ready);
		}
		return parts;
	}

	private Set<JobState> states() {
		return this.filter.getStates().isEmpty() ? EnumSet.allOf(JobState.class) : this.filter.getStates();
	}

	private Part part(String condition, String column, Object... arguments) {
		List<Object> all = new ArrayList<>(List.of(arguments));
		StringBuilder text = new StringBuilder(condition);
		if (this.filter.getSince() != null) {
			text.append(" and j.").append(column).append(" >= ?");
			all.add(EpochMillis.of(this.filter.getSince()));
		}
		if (this.filter.getBefore() != null) {
			text.append(" and j.").append(column).append(" < ?");
			all.add(EpochMillis.of(this.filter.getBefore()));
		}
		if (this.filter.getLane() != null) {
			text.append(" and j.lane = ?");
			all.add(this.filter.getLane());
		}
		if (this.filter.getUrgency() != null) {
			text.append(" and j.urgency = ?");
			all.add(this.filter.getUrgency().ordinal());
		}
		return new Part(text.toString(), column, all);
	}

	/**
	 * Return whether the filter selects every job of the parts.
	 */
	boolean isIndexed() {
		Set<JobState> states = states();
		boolean waits = states.stream().allMatch(JobState::isWaiting);
		boolean timed = this.filter.getSince() != null || this.filter.getBefore() != null;
		boolean halfOfEnded = states.contains(JobState.SUCCEEDED) && !states.contains(JobState.CANCELLED);
		return this.filter.getText() == null && this.filter.getTag() == null && !halfOfEnded
				&& !(timed && states.contains(JobState.READY))
				&& (this.filter.getRetrying() == null || (this.filter.getRetrying() && waits));
	}

	/**
	 * Return whether the filter selects a job, as far as its candidate shows that.
	 */
	boolean fits(Candidate job) {
		return ListedJob.fits(this.filter, StateColumn.seen(job.state(), job.dueAt(), this.now), job.queue(),
				job.attempt(), Instant.ofEpochMilli(job.time()));
	}

	/**
	 * A part of a selection.
	 *
	 * @param condition what it selects
	 * @param column the column that orders it, within a queue
	 * @param arguments the arguments of the condition
	 */
	public record Part(String condition, String column, List<Object> arguments) {

		/**
		 * Return the order within a queue.
		 */
		public String order(boolean newestFirst) {
			String direction = newestFirst ? " desc" : "";
			return "j." + this.column + direction + (this.column.equals("place") ? "" : ", j.id" + direction);
		}

	}

}
