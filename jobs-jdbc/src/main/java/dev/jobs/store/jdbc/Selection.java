package dev.jobs.store.jdbc;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import dev.jobs.JobFilter;
import dev.jobs.JobState;
import org.jspecify.annotations.Nullable;

/**
 * What a filter selects, its text aside, and in which order.
 *
 * @param filter the filter
 * @param newestFirst whether the latest come first
 * @param now the present
 */
record Selection(JobFilter filter, boolean newestFirst, long now) {

	/**
	 * Return the parts of the selection, each of which is in the order of an index within
	 * one queue.
	 */
	List<Part> parts() {
		Set<JobState> states = this.filter.getStates().isEmpty() ? EnumSet.allOf(JobState.class)
				: this.filter.getStates();
		boolean ready = states.contains(JobState.READY);
		boolean scheduled = states.contains(JobState.SCHEDULED);
		List<Part> parts = new ArrayList<>();
		if (ready) {
			parts.add(part("j.state = 1", "place"));
		}
		if (ready && scheduled) {
			parts.add(part("j.state = 0", "due_at, id"));
		}
		else if (ready || scheduled) {
			parts.add(part("j.state = 0 and j.due_at " + (ready ? "<= ?" : "> ?"), "due_at, id", this.now));
		}
		if (states.contains(JobState.RUNNING)) {
			parts.add(part("j.state = 2", "token"));
		}
		if (states.contains(JobState.DEAD)) {
			parts.add(part("j.state = 3", "since, id"));
		}
		boolean succeeded = states.contains(JobState.SUCCEEDED);
		if (succeeded || states.contains(JobState.CANCELLED)) {
			boolean all = succeeded && states.contains(JobState.CANCELLED);
			String which = succeeded ? " and j.state = 4" : " and j.state = 5";
			parts.add(part("j.state > 3" + (all ? "" : which), "since, id"));
		}
		return parts;
	}

	private Part part(String condition, String order, Object... arguments) {
		List<@Nullable Object> all = new ArrayList<>(List.of(arguments));
		StringBuilder text = new StringBuilder(condition);
		if (this.filter.getRetrying() != null) {
			text.append(this.filter.getRetrying() ? " and j.attempt > 1" : " and j.attempt = 1");
		}
		String time = condition.startsWith("j.state = 0") ? "j.due_at" : "j.since";
		if (this.filter.getSince() != null) {
			text.append(" and ").append(time).append(" >= ?");
			all.add(Millis.of(this.filter.getSince()));
		}
		if (this.filter.getBefore() != null) {
			text.append(" and ").append(time).append(" < ?");
			all.add(Millis.of(this.filter.getBefore()));
		}
		return new Part(text.toString(), all, order.split(",")[0], directed(order));
	}

	/**
	 * Return whether times narrow jobs that no index has in the order of time.
	 */
	boolean isTimeOfReadyJobs() {
		return (this.filter.getSince() != null || this.filter.getBefore() != null)
				&& parts().stream().anyMatch(Part::isByPlace);
	}

	/**
	 * Return the whole selection as one condition.
	 */
	Part whole() {
		List<@Nullable Object> arguments = new ArrayList<>();
		List<String> texts = new ArrayList<>();
		for (Part part : parts()) {
			texts.add("(" + part.condition() + ")");
			arguments.addAll(part.arguments());
		}
		String condition = "(" + String.join(" or ", texts) + ")";
		if (this.filter.getName() != null) {
			condition += " and j.queue = ?";
			arguments.add(this.filter.getName());
		}
		return new Part(condition, arguments, "since", directed("since, id"));
	}

	private String directed(String order) {
		String direction = this.newestFirst ? " desc" : "";
		return "j." + order.replace(", ", direction + ", j.") + direction;
	}

	/**
	 * A part of a selection.
	 *
	 * @param condition what it selects
	 * @param arguments the arguments of that
	 * @param column the first column that orders it
	 * @param order the columns that order it
	 */
	record Part(String condition, List<@Nullable Object> arguments, String column, String order) {

		/**
		 * Return whether jobs come in the order in which their queue gives them out.
		 */
		boolean isByPlace() {
			return this.column.equals("place");
		}

	}

}
