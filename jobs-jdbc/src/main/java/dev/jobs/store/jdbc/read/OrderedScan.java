package dev.jobs.store.jdbc.read;

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
import dev.jobs.store.jdbc.sql.Statements;
import org.jspecify.annotations.Nullable;

/**
 * Reads the jobs of a selection in the order of a list, from a position on, in small
 * batches and only as far as asked: first the ready jobs, queue by queue, then all others
 * merged by time; newest first is the reverse.
 */
final class OrderedScan {

	private static final int LARGEST = 1_000;

	private static final int SMALLEST = 8;

	/** Greater than any id. */
	private static final String LAST_ID = "\uFFFF";

	private final Statements statements;

	private final JobReader reader;

	private final Selection selection;

	private final Deque<Section> sections = new ArrayDeque<>();

	/**
	 * Prepare a scan, which reads nothing before it is asked for jobs.
	 * @param after the position after which it begins, or {@code null} for the front
	 * @param many about how many jobs will be asked for
	 */
	OrderedScan(Statements statements, JobReader reader, Selection selection, @Nullable ListPosition after, int many) {
		this.statements = statements;
		this.reader = reader;
		this.selection = selection;
		int batch = Math.min(many, LARGEST);
		String from = (after != null) ? after.kind() : "";
		if (selection.filter().getTag() != null) {
			this.sections.add(new ById(after, batch, selection.filter().getTag()));
			return;
		}
		Section ready = new Ready(from.equals(ListPosition.READY) ? after : null, batch);
		Section timed = new Timed(from.equals(ListPosition.TIME) ? after : null, batch);
		this.sections.add(selection.newestFirst() ? timed : ready);
		this.sections.add(selection.newestFirst() ? ready : timed);
		if (from.equals(selection.newestFirst() ? ListPosition.READY : ListPosition.TIME)) {
			this.sections.remove();
		}
	}

	/**
	 * Return the next jobs, fewer than wanted only at the end.
	 */
	List<Candidate> next(int wanted) {
		List<Candidate> found = new ArrayList<>();
		while (found.size() < wanted && !this.sections.isEmpty()) {
			Candidate next = this.sections.element().next();
			if (next != null) {
				found.add(next);
			}
			else {
				this.sections.remove();
			}
		}
		return found;
	}

	private List<String> names() {
		JobFilter filter = this.selection.filter();
		return (filter.getName() != null) ? List.of(filter.getName()) : this.reader.names(this.statements);
	}

	/**
	 * A part of the list.
	 */
	private interface Section {

		@Nullable Candidate next();

	}

	/**
	 * Jobs that one statement reads in their order, a batch at a time.
	 */
	private abstract static class Batches implements Section {

		private final Deque<Candidate> batch = new ArrayDeque<>();

		private final int many;

		private @Nullable ListPosition after;

		private boolean ended;

		Batches(@Nullable ListPosition after, int many) {
			this.after = after;
			this.many = many;
		}

		@Override
		public @Nullable Candidate next() {
			if (this.batch.isEmpty() && !this.ended) {
				this.batch.addAll(read(this.after, this.many));
				this.ended = this.batch.size() < this.many;
			}
			Candidate next = this.batch.poll();
			if (next != null) {
				this.after = position(next);
			}
			return next;
		}

		abstract List<Candidate> read(@Nullable ListPosition after, int many);

		abstract ListPosition position(Candidate job);

	}

	/**
	 * The ready jobs, queue by queue.
	 */
	private final class Ready extends Batches {

		Ready(@Nullable ListPosition after, int many) {
			super(after, many);
		}

		@Override
		List<Candidate> read(@Nullable ListPosition after, int many) {
			OrderedScan scan = OrderedScan.this;
			Selection.Part ready = scan.selection.ready();
			return (ready != null) ? scan.reader.ready(scan.statements, scan.selection, ready, after, many) : List.of();
		}

		@Override
		ListPosition position(Candidate job) {
			return ListPosition.of(job, false);
		}

	}

	/**
	 * Jobs in the order of their ids.
	 */
	private final class ById extends Batches {

		private final String tag;

		ById(@Nullable ListPosition after, int many, String tag) {
			super(after, many);
			this.tag = tag;
		}

		@Override
		List<Candidate> read(@Nullable ListPosition after, int many) {
			OrderedScan scan = OrderedScan.this;
			return scan.reader.byId(scan.statements, this.tag, (after != null) ? after.id() : null,
					scan.selection.newestFirst(), many);
		}

		@Override
		ListPosition position(Candidate job) {
			return ListPosition.of(job, true);
		}

	}

	/**
	 * All other jobs, of several queues and states, merged by time and id. Each source is
	 * read in batches that grow with what is taken from it.
	 */
	private final class Timed implements Section {

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
			Candidate next = first.batch.remove();
			if (first.batch.isEmpty() && !first.ended) {
				readFurther();
			}
			if (!first.batch.isEmpty()) {
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
			this.read.stream().filter((source) -> !source.batch.isEmpty()).forEach(this.sources::add);
			this.read.removeIf((source) -> source.ended);
		}

		/**
		 * Read the next batch of sources that are empty or soon will be.
		 */
		private void readFurther() {
			List<Source> low = this.read.stream().filter(Source::isLow).toList();
			low.forEach((source) -> source.many = Math.min(source.many * 4, LARGEST));
			read(low);
			this.read.removeIf((source) -> source.ended);
		}

		private void read(Collection<Source> wanted) {
			OrderedScan scan = OrderedScan.this;
			wanted.stream().collect(Collectors.groupingBy((source) -> source.part)).forEach((part, some) -> {
				Map<String, Source> byQueue = some.stream()
					.collect(Collectors.toMap((source) -> source.queue, (source) -> source));
				List<JobReader.Start> starts = some.stream().map(Source::start).toList();
				scan.reader.timed(scan.statements, part, scan.selection.newestFirst(), starts)
					.forEach((job) -> sourceOf(job, byQueue).add(job));
				some.forEach(Source::close);
			});
		}

		/**
		 * Return the source of a job. To MariaDB, names that differ only in blanks at
		 * their end are equal.
		 */
		private Source sourceOf(Candidate job, Map<String, Source> byQueue) {
			Source exact = byQueue.get(job.queue());
			return (exact != null) ? exact
					: byQueue.values()
						.stream()
						.filter((source) -> source.queue.stripTrailing().equals(job.queue().stripTrailing()))
						.findFirst()
						.orElseThrow(() -> new IllegalStateException(
								"No queue that was asked for has the job " + job.id() + " of '" + job.queue() + "'"));
		}

		/**
		 * The jobs of one queue in one state.
		 */
		private final class Source {

			private final Selection.Part part;

			private final String queue;

			private final Deque<Candidate> batch = new ArrayDeque<>();

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
				return this.batch.element();
			}

			boolean isLow() {
				return this.batch.size() <= this.many / 4;
			}

			JobReader.Start start() {
				this.added = 0;
				boolean newestFirst = OrderedScan.this.selection.newestFirst();
				return (this.after != null)
						? new JobReader.Start(this.queue, this.after.number(), this.after.id(), this.many)
						: new JobReader.Start(this.queue, newestFirst ? Long.MAX_VALUE : Long.MIN_VALUE,
								newestFirst ? LAST_ID : "", this.many);
			}

			void add(Candidate job) {
				this.batch.add(job);
				this.after = ListPosition.of(job, false);
				this.added++;
			}

			void close() {
				this.ended = this.added < this.many;
			}

		}

	}

}
