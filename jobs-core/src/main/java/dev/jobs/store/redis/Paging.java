package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.Seen;

/**
 * One page. Which jobs are on it is found by the structures that they are in, merged on
 * the server; they themselves are read then, in slices that keep it free for others. What
 * no structure tells is looked for in a bounded part.
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
		Set<JobState> states = this.filter.states().isEmpty() ? Set.of(JobState.values()) : this.filter.states();
		boolean ready = states.contains(JobState.READY);
		boolean scheduled = states.contains(JobState.SCHEDULED);
		if (ready) {
			this.parts.add(new Part("ready", LEAST, GREATEST));
		}
		if (ready || scheduled) {
			String due = Millis.of(this.now);
			String least = ready ? LEAST : "(" + due;
			String greatest = scheduled ? GREATEST : due;
			if (!Boolean.TRUE.equals(this.filter.retrying())) {
				this.parts.add(bounded("scheduled", least, greatest));
			}
			if (!Boolean.FALSE.equals(this.filter.retrying())) {
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
		Instant since = this.filter.since();
		Instant before = this.filter.before();
		boolean later = since != null && (least.equals(LEAST) || since.isAfter(this.now));
		boolean earlier = before != null && (greatest.equals(GREATEST) || !before.isAfter(this.now));
		return new Part(name, (later && since != null) ? Millis.of(since) : least,
				(earlier && before != null) ? "(" + Millis.of(before) : greatest);
	}

	/**
	 * Return whether the structures alone do not tell what the filter selects.
	 */
	private boolean mustLook() {
		boolean times = this.filter.since() != null || this.filter.before() != null;
		boolean untimed = has("ready") || has("running");
		boolean halfOfDone = has("done") && !this.filter.states().isEmpty()
				&& !this.filter.states().containsAll(Set.of(JobState.SUCCEEDED, JobState.CANCELLED));
		boolean mixed = has("ready") || has("running") || has("dead") || has("done");
		return this.filter.text() != null || (times && untimed) || halfOfDone
				|| (this.filter.retrying() != null && mixed);
	}

	private boolean has(String name) {
		return this.parts.stream().anyMatch((part) -> part.name().equals(name));
	}

	Page run() {
		List<Job> jobs = new ArrayList<>();
		if (!mustLook()) {
			Found found = find(this.range.searched() + this.range.offset(), this.range.size());
			read(found.keys(), (seen) -> jobs.add(seen.job()));
			return new Page(jobs, found.total());
		}
		Found found = find(this.range.searched(), JobInspector.LOOKED_THROUGH);
		Predicate<Job> search = Seen.containing(this.filter);
		long[] matching = new long[1];
		read(found.keys(), (seen) -> {
			if (seen.fits(this.filter) && search.test(seen.job()) && matching[0]++ >= this.range.offset()
					&& jobs.size() < this.range.size()) {
				jobs.add(seen.job());
			}
		});
		long searched = this.range.searched() + found.keys().size();
		return new Page(jobs, matching[0], searched >= found.total() || found.keys().isEmpty(), searched);
	}

	/**
	 * Find a slice of what the structures tell. With several partitions each may have all
	 * of it.
	 */
	private Found find(long from, int size) {
		boolean alone = this.filter.name() != null || this.partitions.count() == 1;
		if (!alone && from > JobInspector.FARTHEST) {
			return find(0, 0);
		}
		int most = Math.min(size, MOST);
		Arguments arguments = Arguments.at(this.now)
			.add(this.range.newestFirst() ? 1 : 0)
			.add(alone ? from : 0)
			.add(alone ? most : from + most)
			.add(JobInspector.FARTHEST)
			.add((this.filter.name() != null) ? this.filter.name() : "");
		this.parts.forEach((part) -> arguments.add(part.name()).add(part.least()).add(part.greatest()));
		List<Integer> asked = (this.filter.name() != null) ? List.of(this.partitions.of(this.filter.name()))
				: this.partitions.all();
		List<Link.Call> calls = asked.stream()
			.map((partition) -> this.link.send(Script.PAGE, this.partitions.keys(partition), arguments))
			.toList();
		this.link.await(calls);
		long total = 0;
		List<Key> keys = new ArrayList<>();
		for (Link.Call call : calls) {
			Reply reply = call.reply();
			total += reply.number();
			while (reply.hasMore()) {
				keys.add(Key.read(reply));
			}
		}
		if (!alone) {
			keys.sort(this.range.newestFirst() ? Key.ORDER.reversed() : Key.ORDER);
			keys = keys.stream().skip(from).limit(most).toList();
		}
		return new Found(total, keys);
	}

	/**
	 * Read jobs in their order.
	 */
	private void read(List<Key> keys, Consumer<Seen> action) {
		Slices.read(keys, this::ask, (replies) -> {
			List<Seen> seen = Rows.readAll(replies, this.now);
			seen.sort(this.range.newestFirst() ? Seen.ORDER.reversed() : Seen.ORDER);
			seen.forEach(action);
		});
	}

	private List<Link.Call> ask(List<Key> slice) {
		List<Link.Call> calls = new ArrayList<>();
		this.partitions.split(slice, Key::queue).forEach((partition, some) -> {
			Arguments arguments = Arguments.at(this.now);
			some.forEach((key) -> arguments.add(key.queue()).add(key.part()).add(key.id()).add(key.score()));
			calls.add(this.link.send(Script.ROWS, this.partitions.keys(partition), arguments));
		});
		return calls;
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

	/**
	 * A slice of what the structures tell.
	 *
	 * @param total how many jobs they tell of in all
	 * @param keys where those of the slice are
	 */
	private record Found(long total, List<Key> keys) {

	}

	/**
	 * Where a job is.
	 *
	 * @param order when it entered its state or, if it waits, is due
	 * @param queue its queue
	 * @param part the structure
	 * @param id its id
	 * @param score its score there
	 */
	private record Key(long order, String queue, String part, String id, String score) {

		static final Comparator<Key> ORDER = Comparator.comparingLong(Key::order).thenComparing(Key::id);

		static Key read(Reply reply) {
			return new Key(reply.number(), reply.text(), reply.text(), reply.text(), reply.text());
		}

	}

}
