package dev.jobs.store.redis.page;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.store.redis.format.FieldWriter;
import dev.jobs.store.redis.format.Formats;
import dev.jobs.store.redis.layout.Partitions;
import dev.jobs.store.redis.page.BatchReader.Sent;
import dev.jobs.store.redis.wire.Arguments;
import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Partition;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.redis.wire.Script;
import dev.jobs.store.support.Cursor;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.support.ReadDeadline;
import dev.jobs.store.view.JobInspector;
import org.jspecify.annotations.Nullable;

/**
 * Reads a page of a list of jobs. Each partition returns the entries of its structures in
 * order, and several partitions are merged; then the jobs themselves are read, in batches
 * that keep the server free for others. A search for anything that no structure is sorted
 * by is bounded.
 */
final class Listing {

	private static final String LINE = "line";

	private static final String TIME = "time";

	private static final String ID = "id";

	private static final String LEAST = "-inf";

	private static final String GREATEST = "+inf";

	/** How many entries are first searched for a text; often they are enough. */
	private static final int FIRST_PIECE = 500;

	/**
	 * How many entries are searched at once later; three such pieces are the whole bound.
	 */
	private static final int PIECE = (JobInspector.LOOKED_THROUGH - FIRST_PIECE) / 2 + 1;

	private final Link link;

	private final Partitions partitions;

	private final JobFilter filter;

	private final Instant now;

	private final ReadDeadline deadline;

	private final List<Part> parts = new ArrayList<>();

	private final boolean line;

	private final List<Partition> asked;

	Listing(Link link, Partitions partitions, JobFilter filter, Instant now, ReadDeadline deadline) {
		this.link = link;
		this.partitions = partitions;
		this.filter = filter;
		this.now = now;
		this.deadline = deadline;
		Set<JobState> states = filter.getStates().isEmpty() ? Set.of(JobState.values()) : filter.getStates();
		this.line = states.contains(JobState.READY);
		this.asked = (filter.getName() != null) ? List.of(partitions.of(filter.getName())) : partitions.all();
		addParts(states);
	}

	private void addParts(Set<JobState> states) {
		boolean scheduled = states.contains(JobState.SCHEDULED);
		if (!Boolean.TRUE.equals(this.filter.getRetrying())) {
			addDelayed("scheduled", scheduled);
		}
		if (!Boolean.FALSE.equals(this.filter.getRetrying())) {
			addDelayed("retry", scheduled);
		}
		addDelayed("waiting", states.contains(JobState.WAITING));
		if (this.line) {
			this.parts.add(bounded("laned", LEAST, GREATEST));
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
	 * Add a structure whose due jobs are ready, if these or the others are wanted.
	 */
	private void addDelayed(String name, boolean others) {
		if (this.line || others) {
			String due = FieldWriter.millis(this.now);
			this.parts.add(bounded(name, this.line ? LEAST : "(" + due, others ? GREATEST : due));
		}
	}

	/**
	 * Return a structure whose scores are the times that the filter bounds.
	 */
	private Part bounded(String name, String least, String greatest) {
		Instant since = this.filter.getSince();
		Instant before = this.filter.getBefore();
		boolean later = since != null && (least.equals(LEAST) || since.isAfter(this.now));
		boolean earlier = before != null && (greatest.equals(GREATEST) || !before.isAfter(this.now));
		return new Part(name, (later && since != null) ? FieldWriter.millis(since) : least,
				(earlier && before != null) ? "(" + FieldWriter.millis(before) : greatest);
	}

	/**
	 * Return whether the jobs must be read to apply the filter.
	 */
	private boolean mustSearch() {
		boolean times = this.filter.getSince() != null || this.filter.getBefore() != null;
		boolean untimed = this.line || has("running");
		boolean halfOfDone = has("done") && !this.filter.getStates().isEmpty()
				&& !this.filter.getStates().containsAll(Set.of(JobState.SUCCEEDED, JobState.CANCELLED));
		boolean mixed = this.line || has("waiting") || has("running") || has("dead") || has("done");
		return this.filter.getText() != null || this.filter.getLane() != null || this.filter.getUrgency() != null
				|| (times && untimed) || halfOfDone || (this.filter.getRetrying() != null && mixed);
	}

	private boolean has(String name) {
		return this.parts.stream().anyMatch((part) -> part.name().equals(name));
	}

	JobPage page(PageRequest request) {
		List<String> begin = Cursor.read(this.filter, request);
		List<Job> page = new ArrayList<>();
		Position end = read(request.isNewestFirst(), begin, request.limit(), page);
		return JobPage.of(page, (end != null) ? Cursor.write(end.texts(), this.filter, request) : null);
	}

	/**
	 * Count by the sizes of structures or, if jobs must be read, within a bounded part.
	 */
	JobCount count(int bound) {
		boolean onlyTag = this.filter.getStates().isEmpty() && !mustSearch();
		if (mustSearch() || (this.filter.getTag() != null && !onlyTag)) {
			List<Job> found = new ArrayList<>();
			boolean more = read(true, List.of(), Math.min(bound, PIECE), found) != null;
			return more ? JobCount.atLeast(found.size()) : JobCount.exactly(found.size());
		}
		Arguments arguments = Arguments.at(this.now).add(text(this.filter.getName()));
		if (this.filter.getTag() != null) {
			arguments.add("tags").add("[" + this.filter.getTag() + ",").add("(" + this.filter.getTag() + "-");
		}
		else {
			if (this.line) {
				arguments.add("ready").add("").add("");
			}
			this.parts.forEach((part) -> part.addTo(arguments));
		}
		return ListedJob.count(
				ask(Script.COUNT, arguments).stream().mapToLong((reply) -> reply.hasMore() ? reply.number() : 0).sum(),
				bound);
	}

	/**
	 * Read jobs that the filter selects.
	 * @param begin the position after which to begin, empty for the front
	 * @param page gets the jobs
	 * @return the position of the last job searched, or {@code null} if there are no more
	 */
	private @Nullable Position read(boolean newestFirst, List<String> begin, int limit, List<Job> page) {
		boolean searches = mustSearch() || this.filter.getTag() != null;
		Predicate<Job> search = ListedJob.containing(this.filter);
		byte[] test = searches ? Rows.filter(this.filter) : Formats.NOTHING;
		List<String> from = begin;
		Position last = null;
		int searched = 0;
		BatchReader reader = new BatchReader(
				(this.filter.getText() != null) ? JobInspector.BYTES_LOOKED_THROUGH : Long.MAX_VALUE, this.deadline);
		while (true) {
			int wanted = (this.filter.getText() != null) ? (searched == 0) ? FIRST_PIECE : PIECE
					: searches ? Math.max(limit + 1, searched) : limit + 1 - page.size();
			int room = Math.min(Math.min(wanted, PIECE), JobInspector.LOOKED_THROUGH + 1 - searched);
			List<Entry> entries = (this.filter.getTag() != null) ? tagged(newestFirst, from, room)
					: entries(newestFirst, from, room);
			Map<String, Job> found = new HashMap<>();
			Set<Entry> left = rows(reader, entries, test, (seen) -> {
				if (seen.fits(this.filter) && search.test(seen.job())) {
					found.put(seen.job().id(), ListedJob.listed(seen.job()));
				}
			});
			for (Entry entry : entries) {
				if (page.size() == limit || searched == JobInspector.LOOKED_THROUGH || left.contains(entry)) {
					return last;
				}
				Job job = entry.leadsNowhere() ? null : found.get(entry.id());
				if (job != null) {
					page.add(job);
				}
				searched++;
				last = entry.position();
			}
			if (last == null || entries.size() < room) {
				return null;
			}
			from = last.texts();
		}
	}

	/**
	 * List the next entries of all partitions.
	 */
	private List<Entry> entries(boolean newestFirst, List<String> from, int many) {
		Arguments arguments = Arguments.at(this.now)
			.add(newestFirst ? 1 : 0)
			.add(text(this.filter.getName()))
			.add(many)
			.add(this.line ? 1 : 0);
		addPosition(arguments, from);
		this.parts.forEach((part) -> part.addTo(arguments));
		List<Entry> entries = new ArrayList<>();
		for (Reply reply : ask(Script.PAGE, arguments)) {
			entries.addAll(readEntries(reply));
		}
		if (this.asked.size() > 1) {
			entries.sort(newestFirst ? Entry.ORDER.reversed() : Entry.ORDER);
		}
		return entries.subList(0, Math.min(many, entries.size()));
	}

	private static void addPosition(Arguments arguments, List<String> from) {
		if (from.isEmpty()) {
			arguments.add("").add("").add("").add("").add("");
			return;
		}
		if (from.size() != 5 || !(from.get(0).equals(LINE) ? from.get(4).matches("\\d{1,15}")
				: from.get(0).equals(TIME) && isScore(from.get(1)))) {
			throw Cursor.refused(null);
		}
		from.forEach(arguments::add);
	}

	private static boolean isScore(String text) {
		return text.matches("[-+]?inf|[-+.e\\d]{1,30}");
	}

	private static List<Entry> readEntries(Reply reply) {
		List<Entry> entries = new ArrayList<>();
		Entry before = null;
		while (reply.hasMore()) {
			String queue = reply.text();
			String part = reply.text();
			String id = reply.text();
			String score = reply.text();
			String at = reply.text();
			boolean inLine = part.isEmpty() || part.equals("ready");
			Position position = inLine ? new Position(LINE, queue, id, "", at) : new Position(TIME, at, id, "", "");
			Entry entry = new Entry(queue, part, id, score, position);
			if (before != null && inLine && before.position().kind().equals(LINE) && before.queue().equals(queue)) {
				entries.set(entries.size() - 1, before.beforeNext(id));
			}
			entries.add(entry);
			before = entry;
		}
		return entries;
	}

	/**
	 * List the next jobs that have the tag.
	 */
	private List<Entry> tagged(boolean newestFirst, List<String> from, int many) {
		if (!from.isEmpty() && (from.size() != 5 || !from.get(0).equals(ID))) {
			throw Cursor.refused(null);
		}
		Arguments arguments = Arguments.at(this.now)
			.add(text(this.filter.getTag()))
			.add(text(this.filter.getName()))
			.add(newestFirst ? 1 : 0)
			.add(from.isEmpty() ? "" : from.get(2))
			.add(many);
		List<Entry> entries = new ArrayList<>();
		List<Reply> replies = ask(Script.TAGGED, arguments);
		for (int i = 0; i < replies.size(); i++) {
			Reply ids = replies.get(i);
			String partition = Integer.toString(this.asked.get(i).number());
			while (ids.hasMore()) {
				String id = ids.text();
				entries.add(new Entry(partition, ID, id, "", new Position(ID, "", id, "", "")));
			}
		}
		Comparator<Entry> order = Comparator.comparing(Entry::id);
		entries.sort(newestFirst ? order.reversed() : order);
		return entries.subList(0, Math.min(many, entries.size()));
	}

	private List<Reply> ask(Script script, Arguments arguments) {
		List<Link.Call> calls = this.asked.stream()
			.map((partition) -> this.link.send(script, partition, arguments))
			.toList();
		this.link.await(calls);
		return calls.stream().map(Link.Call::reply).toList();
	}

	/**
	 * Read the jobs of entries that still exist and that the filter may select.
	 * @return the entries that were not looked at, because the bound of bytes was reached
	 */
	private Set<Entry> rows(BatchReader reader, List<Entry> entries, byte[] wanted, Consumer<ListedJob> action) {
		return reader.read(entries.stream().filter((entry) -> !entry.leadsNowhere()).toList(),
				(batch) -> (this.filter.getTag() != null) ? askForIds(batch, wanted) : askForRows(batch, wanted),
				(rows) -> {
					while (rows.hasMore()) {
						action.accept(Rows.read(rows, this.now));
					}
				});
	}

	private Arguments arguments(byte[] wanted) {
		return Arguments.at(this.now).add(wanted).add((this.filter.getText() != null) ? 1 : 0);
	}

	private List<Sent<Entry>> askForRows(List<Entry> batch, byte[] wanted) {
		List<Sent<Entry>> calls = new ArrayList<>();
		this.partitions.group(batch, Entry::queue).forEach((number, some) -> {
			Arguments arguments = arguments(wanted);
			some.forEach((entry) -> arguments.add(entry.queue()).add(entry.part()).add(entry.id()).add(entry.score()));
			calls.add(new Sent<>(some, this.link.send(Script.ROWS, this.partitions.all().get(number), arguments)));
		});
		return calls;
	}

	private List<Sent<Entry>> askForIds(List<Entry> batch, byte[] wanted) {
		List<Sent<Entry>> calls = new ArrayList<>();
		batch.stream().collect(Collectors.groupingBy(Entry::queue)).forEach((number, some) -> {
			Arguments arguments = arguments(wanted);
			some.forEach((entry) -> arguments.add(entry.id()));
			calls.add(new Sent<>(some,
					this.link.send(Script.JOB, this.partitions.all().get(Integer.parseInt(number)), arguments)));
		});
		return calls;
	}

	private static String text(@Nullable String text) {
		return (text != null) ? text : "";
	}

	/**
	 * A structure and the wanted range of its scores.
	 *
	 * @param name its name
	 * @param least the least score
	 * @param greatest the greatest score
	 */
	private record Part(String name, String least, String greatest) {

		void addTo(Arguments arguments) {
			arguments.add(this.name).add(this.least).add(this.greatest);
		}

	}

	/**
	 * A position in the list, as the script knows it.
	 *
	 * @param kind in line, or after a time or an id
	 * @param where the queue, or the time
	 * @param id the id of the job
	 * @param next the id of the next in line, if it is known
	 * @param before how many are before it in line
	 */
	private record Position(String kind, String where, String id, String next, String before) {

		List<String> texts() {
			return List.of(this.kind, this.where, this.id, this.next, this.before);
		}

	}

	/**
	 * An entry of a structure.
	 *
	 * @param queue its queue; of jobs with a tag, the partition
	 * @param part the structure, empty if it leads to no job
	 * @param id the id of the job
	 * @param score its score
	 * @param position its position
	 */
	private record Entry(String queue, String part, String id, String score, Position position) {

		/**
		 * The order of lists, the oldest first. Entries in the line of a queue keep their
		 * order.
		 */
		static final Comparator<Entry> ORDER = Entry::compare;

		private static int compare(Entry one, Entry other) {
			boolean inLine = one.position.kind.equals(LINE);
			if (inLine != other.position.kind.equals(LINE)) {
				return inLine ? -1 : 1;
			}
			if (inLine) {
				return one.queue.compareTo(other.queue);
			}
			int time = Double.compare(number(one.position.where), number(other.position.where));
			return (time != 0) ? time : one.id.compareTo(other.id);
		}

		private static double number(String score) {
			return Double.parseDouble(score.replace("inf", "Infinity"));
		}

		boolean leadsNowhere() {
			return this.part.isEmpty();
		}

		Entry beforeNext(String next) {
			return new Entry(this.queue, this.part, this.id, this.score,
					new Position(this.position.kind, this.position.where, this.id, next, this.position.before));
		}

	}

}
