package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import dev.jobs.store.redis.Source.Entry;
import dev.jobs.store.redis.Source.Listed;
import dev.jobs.store.redis.Source.Stretch;

/**
 * Looks into the structures that jobs are in, in slices that keep the server free for
 * others.
 */
final class Structures {

	/** As many entries of a partition are listed at once: nothing moves between them. */
	private static final int FEW = 250;

	private final Link link;

	private final Partitions partitions;

	private final Instant now;

	private final boolean newestFirst;

	Structures(Link link, Partitions partitions, Instant now, boolean newestFirst) {
		this.link = link;
		this.partitions = partitions;
		this.now = now;
		this.newestFirst = newestFirst;
	}

	boolean isNewestFirst() {
		return this.newestFirst;
	}

	/**
	 * Find structures that are not empty.
	 * @param asked the partitions to look in
	 * @param queue the queue, or empty for all
	 * @param wanted adds the parts that are wanted
	 */
	List<Source> find(List<Integer> asked, String queue, Consumer<Arguments> wanted) {
		Arguments arguments = arguments().add(queue).add(FEW);
		wanted.accept(arguments);
		List<Link.Call> calls = asked.stream()
			.map((partition) -> this.link.send(Script.SOURCES, this.partitions.keys(partition), arguments))
			.toList();
		this.link.await(calls);
		List<Source> sources = new ArrayList<>();
		for (int i = 0; i < calls.size(); i++) {
			Reply reply = calls.get(i).reply();
			boolean areListed = reply.flag();
			while (reply.hasMore()) {
				sources.add(source(asked.get(i), reply, areListed));
			}
		}
		return sources;
	}

	private Source source(int partition, Reply reply, boolean isListed) {
		String queue = reply.text();
		String part = reply.text();
		long low = reply.number();
		long size = reply.number();
		long skipped = reply.number();
		List<Listed> listed = new ArrayList<>();
		Reply entries = isListed ? reply.list() : new Reply(List.of());
		while (entries.hasMore()) {
			listed.add(Listed.read(entries));
		}
		Skipped.Lookup lookup = (from, to) -> this.link.run(Script.SKIPPED, this.partitions.keys(partition),
				arguments().add(queue).add(part).add(low).add(size).add(from).add(to));
		if (isListed) {
			Reply found = reply.list();
			lookup = (from, to) -> found;
		}
		return new Source(partition, queue, part, low, size, new Skipped(size, skipped, this.newestFirst, lookup),
				listed);
	}

	private Arguments arguments() {
		return Arguments.at(this.now).add(this.newestFirst ? 1 : 0);
	}

	/**
	 * Count the entries that are before pivots.
	 * @return for each pivot, how many there are in each structure
	 */
	List<long[]> ranks(List<Pivot> pivots, List<Stretch> stretches) {
		List<long[]> ranks = pivots.stream().map((pivot) -> new long[stretches.size()]).toList();
		int[] next = new int[1];
		ask(Script.RANKS, stretches, Structures::effort, () -> {
			Arguments arguments = arguments().add(pivots.size());
			pivots.forEach((pivot) -> arguments.add(pivot.order()).add(pivot.id()));
			return arguments;
		}, (stretch, reply) -> {
			ranks.forEach((each) -> each[next[0]] = reply.number());
			next[0]++;
		});
		return ranks;
	}

	/**
	 * Return how much it costs to find a pivot: in a list, that some entries are looked
	 * at.
	 */
	private static long effort(Stretch stretch) {
		return stretch.source().isSearched() ? 1 + 2 * (Long.SIZE - Long.numberOfLeadingZeros(stretch.length())) : 1;
	}

	/**
	 * List entries.
	 * @param action gets where each is and by what it has its place
	 */
	void list(List<Stretch> stretches, Placed action) {
		List<Stretch> unlisted = readListed(stretches, action);
		ask(Script.ENTRIES, pieces(unlisted, Slices.SIZE), Stretch::length, this::arguments, (piece, reply) -> {
			Reply entries = reply.list();
			for (long at = piece.from(); entries.hasMore(); at++) {
				Listed entry = Listed.read(entries);
				action.accept(at, new Entry(piece.source(), entry.id(), entry.score()), entry.key());
			}
		});
	}

	/**
	 * Show the jobs of stretches that a filter may select.
	 * @param wanted what the script is told of the filter
	 * @param action gets those of stretches
	 */
	void look(List<Stretch> stretches, byte[] wanted, Consumer<Reply> action) {
		ask(Script.LOOK, pieces(stretches, Slices.SIZE / Slices.JOB), (piece) -> 1 + Slices.JOB * piece.length(),
				() -> arguments().add(wanted), (piece, rows) -> action.accept(rows));
	}

	/**
	 * Read what is listed already.
	 * @return what is not
	 */
	static List<Stretch> readListed(List<Stretch> stretches, Placed action) {
		List<Stretch> unlisted = new ArrayList<>();
		for (Stretch stretch : stretches) {
			Source source = stretch.source();
			if (source.listed().isEmpty()) {
				unlisted.add(stretch);
				continue;
			}
			for (long at = stretch.from(); at < stretch.to(); at++) {
				Listed entry = source.listed().get((int) at);
				action.accept(at, new Entry(source, entry.id(), entry.score()), entry.key());
			}
		}
		return unlisted;
	}

	private static List<Stretch> pieces(List<Stretch> stretches, int most) {
		List<Stretch> pieces = new ArrayList<>();
		for (Stretch stretch : stretches) {
			for (long from = stretch.from(); from < stretch.to(); from += most) {
				pieces.add(new Stretch(stretch.source(), from, Math.min(from + most, stretch.to())));
			}
		}
		return pieces;
	}

	/**
	 * Ask for stretches; they are in the order of the partitions, and stay in it.
	 */
	private void ask(Script script, List<Stretch> stretches, ToLongFunction<Stretch> weight,
			Supplier<Arguments> beginning, BiConsumer<Stretch, Reply> action) {
		Slices.read(stretches, weight, (slice) -> {
			List<Link.Call> calls = new ArrayList<>();
			for (List<Stretch> some : byPartition(slice)) {
				Arguments arguments = beginning.get();
				some.forEach((stretch) -> stretch.addTo(arguments));
				byte[][] keys = this.partitions.keys(some.get(0).source().partition());
				calls.add(this.link.send(script, keys, arguments));
			}
			return calls;
		}, (slice, replies) -> {
			Iterator<Reply> reply = replies.iterator();
			for (List<Stretch> some : byPartition(slice)) {
				Reply next = reply.next();
				some.forEach((stretch) -> action.accept(stretch, next));
			}
		});
	}

	private static Collection<List<Stretch>> byPartition(List<Stretch> stretches) {
		return stretches.stream()
			.collect(
					Collectors.groupingBy((stretch) -> stretch.source().partition(), TreeMap::new, Collectors.toList()))
			.values();
	}

	/**
	 * Gets where an entry is and by what it has its place.
	 */
	interface Placed {

		void accept(long at, Entry entry, Pivot key);

	}

}
