package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.Seen;

/**
 * One page. Which jobs are on it is found by the structures that they are in; they
 * themselves are read then, in slices that keep the server free for others. What no
 * structure tells is looked for in a bounded part.
 */
final class Paging {

	private static final int MOST = 100_000;

	private static final String LEAST = "-inf";

	private static final String GREATEST = "+inf";

	private final Link link;

	private final Partitions partitions;

	private final JobFilter filter;

	private final Range range;

	private final Instant now;

	private final List<Part> parts = new ArrayList<>();

	Paging(Link link, Partitions partitions, JobFilter filter, Range range, Instant now) {
		this.link = link;
		this.partitions = partitions;
		this.filter = filter;
		this.range = range;
		this.now = now;
		addParts();
	}

	private void addParts() {
		Set<JobState> states = this.filter.getStates().isEmpty() ? Set.of(JobState.values()) : this.filter.getStates();
		boolean ready = states.contains(JobState.READY);
		boolean scheduled = states.contains(JobState.SCHEDULED);
		if (ready) {
			this.parts.add(new Part("ready", LEAST, GREATEST));
		}
		if (ready || scheduled) {
			String due = Millis.of(this.now);
			String least = ready ? LEAST : "(" + due;
			String greatest = scheduled ? GREATEST : due;
			if (!Boolean.TRUE.equals(this.filter.getRetrying())) {
				this.parts.add(bounded("scheduled", least, greatest));
			}
			if (!Boolean.FALSE.equals(this.filter.getRetrying())) {
				this.parts.add(bounded("retry", least, greatest));
			}
		}
		if (states.contains(JobState.RUNNING)) {
			this.parts.add(new Part("running", LEAST, GREATEST));
		}
		if (states.contains(JobState.DEAD)) {
			this.parts.add(bounded("dead", LEAST, GREATEST));
		}
		if (states.contains(JobState.SUCCEEDED) || states.contains(JobState.CANCELLED)) {
			this.parts.add(bounded("done", LEAST, GREATEST));
		}
	}

	/**
	 * Return a structure whose scores are the times that the filter's bounds are for.
	 */
	private Part bounded(String name, String least, String greatest) {
		Instant since = this.filter.getSince();
		Instant before = this.filter.getBefore();
		boolean later = since != null && (least.equals(LEAST) || since.isAfter(this.now));
		boolean earlier = before != null && (greatest.equals(GREATEST) || !before.isAfter(this.now));
		return new Part(name, (later && since != null) ? Millis.of(since) : least,
				(earlier && before != null) ? "(" + Millis.of(before) : greatest);
	}

	/**
	 * Return whether the structures alone do not tell what the filter selects.
	 */
	private boolean mustLook() {
		boolean times = this.filter.getSince() != null || this.filter.getBefore() != null;
		boolean untimed = has("ready") || has("running");
		boolean halfOfDone = has("done") && !this.filter.getStates().isEmpty()
				&& !this.filter.getStates().containsAll(Set.of(JobState.SUCCEEDED, JobState.CANCELLED));
		boolean mixed = has("ready") || has("running") || has("dead") || has("done");
		return this.filter.getText() != null || (times && untimed) || halfOfDone
				|| (this.filter.getRetrying() != null && mixed);
	}

	private boolean has(String name) {
		return this.parts.stream().anyMatch((part) -> part.name().equals(name));
	}

	Page run() {
		Structures structures = new Structures(this.link, this.partitions, this.now, this.range.newestFirst());
		String name = (this.filter.getName() != null) ? this.filter.getName() : "";
		List<Integer> asked = name.isEmpty() ? this.partitions.all() : List.of(this.partitions.of(name));
		Merging merging = new Merging(structures, structures.find(asked, name, (arguments) -> this.parts
			.forEach((part) -> arguments.add(part.name()).add(part.least()).add(part.greatest()))));
		long total = merging.total();
		if (mustLook()) {
			long from = Math.min(this.range.searched(), total);
			long to = Math.min(from + JobInspector.LOOKED_THROUGH, total);
			Matches matches = new Matches(this.link, this.partitions, this.filter, this.range, this.now);
			merging.slice(from, to, reading(structures, Rows.wanted(this.filter), matches::add));
			return matches.page(to == total, Math.max(to, this.range.searched()));
		}
		long from = Math.min(this.range.offset(), Math.max(total - this.range.searched(), 0)) + this.range.searched();
		List<Job> jobs = new ArrayList<>();
		merging.slice(from, Math.min(from + Math.min(this.range.size(), MOST), total),
				reading(structures, Formats.NOTHING, (seen) -> jobs.add(seen.job())));
		return new Page(jobs, total);
	}

	private Reading reading(Structures structures, byte[] wanted, Consumer<Seen> action) {
		return new Reading(this.link, this.partitions, structures, wanted, this.now, action);
	}

	/**
	 * A structure and the part of it that is wanted.
	 *
	 * @param name its name
	 * @param least the least score
	 * @param greatest the greatest score
	 */
	private record Part(String name, String least, String greatest) {

	}

}
