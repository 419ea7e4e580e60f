package dev.jobs.store.redis.layout;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.zip.CRC32;

import dev.jobs.store.redis.wire.Partition;

/**
 * The partitions of a namespace, and the partition of each queue.
 *
 * @param all the partitions, in the order of their numbers
 */
public record Partitions(List<Partition> all) {

	public int count() {
		return this.all.size();
	}

	/**
	 * Return the partition of a queue. Ids made by the engine begin with it.
	 */
	public Partition of(String queue) {
		return this.all.get(numberOf(queue, count()));
	}

	static int numberOf(String queue, int count) {
		if (count == 1) {
			return 0;
		}
		CRC32 hash = new CRC32();
		hash.update(queue.getBytes(StandardCharsets.UTF_8));
		return (int) (hash.getValue() & 0xFF) % count;
	}

	/**
	 * Return the probable partition of a job. It is certain only for an id made by the
	 * engine. The end of anything else is kept there, too.
	 */
	public Partition likelyOf(String id) {
		int first = id.isEmpty() ? -1 : Character.digit(id.charAt(0), 16);
		int second = (id.length() < 2) ? -1 : Character.digit(id.charAt(1), 16);
		return (first < 0 || second < 0) ? of(id) : this.all.get((first * 16 + second) % count());
	}

	/**
	 * Return all partitions, beginning with one of them.
	 */
	public List<Partition> startingAt(Partition first) {
		List<Partition> partitions = new ArrayList<>(this.all.subList(first.number(), count()));
		partitions.addAll(this.all.subList(0, first.number()));
		return partitions;
	}

	/**
	 * Group items by the partition number of their queue.
	 */
	public <T> Map<Integer, List<T>> group(Collection<T> things, Function<T, String> queue) {
		Map<Integer, List<T>> groups = new LinkedHashMap<>();
		for (T thing : things) {
			groups.computeIfAbsent(of(queue.apply(thing)).number(), (number) -> new ArrayList<>()).add(thing);
		}
		return groups;
	}

}
