package dev.jobs.store.jdbc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.Collectors;

import dev.jobs.JobFilter;
import org.jspecify.annotations.Nullable;

/**
 * Walks through the jobs of a selection in the order of a list, from a position on. What
 * is walked through is read in small slices, as far as it is asked for: first the ready
 * jobs, queue by queue, then a merge of all that is in the order of time; newest first it
 * is the other way round.
 */
final class OrderedScan {

	private static final int LARGEST = 1_000;

	private static final int SMALLEST = 8;

	/** Above all ids. */
	private static final String LAST = "\uFFFF";

	private final Statements statements;

	private final Selection selection;

	private final Deque<Stretch> stretches = new ArrayDeque<>();

	/**
	 * Prepare to walk; nothing is read yet.
	 * @param after the position behind which it begins, or {@code null} for the front
	 * @param many about how many jobs will be asked for
	 */
	OrderedScan(Statements statements, Selection selection, @Nullable ListPosition after, int many) {
		this.statements = statements;
		this.selection = selection;
		int slice = Math.min(many, LARGEST);
		String from = (after != null) ? after.kind() : "";
		if (selection.filter().getTag() != null) {
			this.stretches.add(new ById(after, slice, selection.filter().getTag()));
			return;
		}
		Stretch line = new Line(from.equals(ListPosition.LINE) ? after : null, slice);
		Stretch timed = new Timed(from.equals(ListPosition.TIME) ? after : null, slice);
		this.stretches.add(selection.newestFirst() ? timed : line);
		this.stretches.add(selection.newestFirst() ? line : timed);
		if (from.equals(selection.newestFirst() ? ListPosition.LINE : ListPosition.TIME)) {
			this.stretches.remove();
		}
	}

	/**
	 * Return the next jobs, fewer than wanted only at the end.
	 */
	List<Candidate> next(int wanted) {
		List<Candidate> found = new ArrayList<>();
		while (found.size() < wanted && !this.stretches.isEmpty()) {
			Candidate next = this.stretches.element().next();
			if (next != null) {
				found.add(next);
			}
			else {
				this.stretches.remove();
			}
		}
		return found;
	}

	private List<String> names() {
		JobFilter filter = this.selection.filter();
		return (filter.getName() != null) ? List.of(filter.getName())
				: this.statements.dialect().names(this.statements);
	}

	/**
	 * A part of the way.
	 */
	private interface Stretch {

		@Nullable Candidate next();

	}

	/**
	 * Jobs that one statement reads in their order.
	 */
	private abstract static class Slices implements Stretch {

		private final Deque<Candidate> slice = new ArrayDeque<>();

		private final int many;

		private @Nullable ListPosition after;

		private boolean ended;

		Slices(@Nullable ListPosition after, int many) {
			this.after = after;
			this.many = many;
		}

		@Override
		public @Nullable Candidate next() {
			if (this.slice.isEmpty() && !this.ended) {
				this.slice.addAll(read(this.after, this.many));
				this.ended = this.slice.size() < this.many;
			}
			Candidate next = this.slice.poll();
			if (next != null) {
				this.after = spot(next);
			}
			return next;
		}

		abstract List<Candidate> read(@Nullable ListPosition after, int many);

		abstract ListPosition spot(Candidate job);

	}

	/**
	 * The ready jobs, queue by queue.
	 */
	private final class Line extends Slices {

		Line(@Nullable ListPosition after, int many) {
			super(after, many);
		}

		@Override
		List<Candidate> read(@Nullable ListPosition after, int many) {
			OrderedScan walk = OrderedScan.this;
			Selection.Part line = walk.selection.line();
			return (line != null) ? walk.statements.dialect().line(walk.statements, walk.selection, line, after, many)
					: List.of();
		}

		@Override
		ListPosition spot(Candidate job) {
			return ListPosition.of(job, false);
		}

	}

	/**
	 * Jobs in the order of their ids: those that have a tag where an index knows few,
	 * otherwise all.
	 */
	private final class ById extends Slices {

		private final String tag;

		ById(@Nullable ListPosition after, int many, String tag) {
			super(after, many);
			this.tag = tag;
		}

		@Override
		List<Candidate> read(@Nullable ListPosition after, int many) {
			OrderedScan walk = OrderedScan.this;
			String from = (after != null) ? after.id() : null;
			List<Candidate> tagged = walk.statements.dialect()
				.tagged(walk.statements, this.tag, from, walk.selection.newestFirst());
			if (tagged != null) {
				return tagged;
			}
			boolean newestFirst = walk.selection.newestFirst();
			String behind = (from == null) ? "" : " where j.id " + (newestFirst ? "< ?" : "> ?");
			String sql = "select " + Candidate.COLUMNS + " from {job} j" + behind + " order by j.id"
					+ (newestFirst ? " desc" : "") + " limit ?";
			return (from == null) ? walk.statements.query(sql, Candidate::read, many)
					: walk.statements.query(sql, Candidate::read, from, many);
		}

		@Override
		ListPosition spot(Candidate job) {
			return ListPosition.of(job, true);
		}

	}

	/**
	 * All other jobs, of several queues and states, merged by time and id. Each source is
	 * read in slices that grow with what is taken from it.
	 */
	private final class Timed implements Stretch {

		private final @Nullable ListPosition after;

		private final int many;

		private final PriorityQueue<Source> sources;

		private final List<Source> read = new ArrayList<>();

		private boolean opened;

		Timed(@Nullable ListPosition after, int many) {
			this.after = after;
			this.many = many;
			Comparator<Source> order = Comparator.<Source>comparingLong((source) -> source.head().time())
				.thenComparing((source) -> source.head().id());
			this.sources = new PriorityQueue<>(OrderedScan.this.selection.newestFirst() ? order.reversed() : order);
		}

		@Override
		public @Nullable Candidate next() {
			if (!this.opened) {
				open();
			}
			Source first = this.sources.poll();
			if (first == null) {
				return null;
			}
			Candidate next = first.slice.remove();
			if (first.slice.isEmpty() && !first.ended) {
				readFurther();
			}
			if (!first.slice.isEmpty()) {
				this.sources.add(first);
			}
			return next;
		}

		private void open() {
			this.opened = true;
			List<Selection.Part> parts = OrderedScan.this.selection.timed();
			List<String> names = parts.isEmpty() ? List.of() : names();
			int each = Math.min(Math.max(2 * this.many / Math.max(1, parts.size() * names.size()), SMALLEST),
					this.many);
			parts.forEach((part) -> names.forEach((name) -> this.read.add(new Source(part, name, this.after, each))));
			read(this.read);
			this.read.stream().filter((source) -> !source.slice.isEmpty()).forEach(this.sources::add);
			this.read.removeIf((source) -> source.ended);
		}

		/**
		 * Read on where a source ran dry, and at once where others soon will.
		 */
		private void readFurther() {
			List<Source> low = this.read.stream().filter(Source::isLow).toList();
			low.forEach((source) -> source.many = Math.min(source.many * 4, LARGEST));
			read(low);
			this.read.removeIf((source) -> source.ended);
		}

		private void read(Collection<Source> wanted) {
			Statements statements = OrderedScan.this.statements;
			wanted.stream().collect(Collectors.groupingBy((source) -> source.part)).forEach((part, some) -> {
				Map<String, Source> byQueue = some.stream()
					.collect(Collectors.toMap((source) -> source.queue, (source) -> source));
				List<Start> starts = some.stream().map(Source::start).toList();
				statements.dialect()
					.timed(statements, part, OrderedScan.this.selection.newestFirst(), starts)
					.forEach((job) -> sourceOf(job, byQueue).add(job));
				some.forEach(Source::close);
			});
		}

		/**
		 * Return the source that has led to a job. MariaDB and MySQL take names for equal
		 * that differ in blanks at their end.
		 */
		private Source sourceOf(Candidate job, Map<String, Source> byQueue) {
			Source exact = byQueue.get(job.queue());
			return (exact != null) ? exact
					: byQueue.values()
						.stream()
						.filter((source) -> source.queue.stripTrailing().equals(job.queue().stripTrailing()))
						.findFirst()
						.orElseThrow(() -> new IllegalStateException(
								"No queue was asked for that has the job " + job.id() + " of '" + job.queue() + "'"));
		}

		/**
		 * A state of a queue.
		 */
		private final class Source {

			private final Selection.Part part;

			private final String queue;

			private final Deque<Candidate> slice = new ArrayDeque<>();

			private @Nullable ListPosition after;

			private int many;

			private int added;

			private boolean ended;

			Source(Selection.Part part, String queue, @Nullable ListPosition after, int many) {
				this.part = part;
				this.queue = queue;
				this.after = after;
				this.many = many;
			}

			Candidate head() {
				return this.slice.element();
			}

			boolean isLow() {
				return this.slice.size() <= this.many / 4;
			}

			Start start() {
				this.added = 0;
				boolean newestFirst = OrderedScan.this.selection.newestFirst();
				return (this.after != null) ? new Start(this.queue, this.after.number(), this.after.id(), this.many)
						: new Start(this.queue, newestFirst ? Long.MAX_VALUE : Long.MIN_VALUE, newestFirst ? LAST : "",
								this.many);
			}

			void add(Candidate job) {
				this.slice.add(job);
				this.after = ListPosition.of(job, false);
				this.added++;
			}

			void close() {
				this.ended = this.added < this.many;
			}

		}

	}

	/**
	 * Where to read a part of a queue.
	 *
	 * @param queue the queue
	 * @param time the time behind which to begin
	 * @param id the id behind which to begin at that time
	 * @param many how many to read at most
	 */
	record Start(String queue, long time, String id, int many) {

	}

}
