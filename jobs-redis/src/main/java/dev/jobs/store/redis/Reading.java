package dev.jobs.store.redis;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

import dev.jobs.store.Seen;
import dev.jobs.store.redis.Source.Entry;
import dev.jobs.store.redis.Source.Stretch;

/**
 * Reads the jobs of a slice, in slices that keep the server free for others.
 */
final class Reading implements Merging.Slice {

	private final Link link;

	private final Partitions partitions;

	private final Structures structures;

	private final byte[] wanted;

	private final Instant now;

	private final Consumer<Seen> action;

	/**
	 * Prepare to read jobs.
	 * @param wanted what the scripts are told of those wanted
	 * @param action gets these
	 */
	Reading(Link link, Partitions partitions, Structures structures, byte[] wanted, Instant now,
			Consumer<Seen> action) {
		this.link = link;
		this.partitions = partitions;
		this.structures = structures;
		this.wanted = wanted;
		this.now = now;
		this.action = action;
	}

	@Override
	public void addOrdered(List<Entry> entries) {
		Slices.read(entries, this::ask, (slice, replies) -> show(replies));
	}

	private List<Link.Call> ask(List<Entry> slice) {
		List<Link.Call> calls = new ArrayList<>();
		this.partitions.split(slice, (entry) -> entry.source().queue()).forEach((partition, some) -> {
			Arguments arguments = Arguments.at(this.now).add(this.wanted);
			some.forEach((entry) -> arguments.add(entry.source().queue())
				.add(entry.source().part())
				.add(entry.id())
				.add(entry.score()));
			calls.add(this.link.send(Script.ROWS, this.partitions.keys(partition), arguments));
		});
		return calls;
	}

	@Override
	public void add(List<Stretch> stretches) {
		List<Entry> listed = new ArrayList<>();
		List<Stretch> unlisted = Structures.readListed(stretches, (at, entry, key) -> listed.add(entry));
		addOrdered(listed);
		this.structures.look(unlisted, this.wanted, (rows) -> show(List.of(rows)));
	}

	private void show(List<Reply> replies) {
		Comparator<Seen> order = this.structures.isNewestFirst() ? Seen.ORDER.reversed() : Seen.ORDER;
		Rows.readAll(replies, this.now).stream().sorted(order).forEach(this.action);
	}

}
