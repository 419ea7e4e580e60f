package dev.jobs.store.redis;

import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Reads much in slices, which keep the server free for others. It looks up a slice while
 * the one before is looked at here. There are no more than these two at once, since each
 * job may be large.
 */
final class Slices {

	/** As much as a slice may weigh. */
	static final int SIZE = 500;

	/** What it weighs to read a job. */
	static final int JOB = 2;

	private Slices() {
	}

	/**
	 * Read many jobs.
	 */
	static <T> void read(List<T> all, Function<List<T>, List<Link.Call>> asking,
			BiConsumer<List<T>, List<Reply>> action) {
		read(all, (one) -> JOB, asking, action);
	}

	/**
	 * Read much.
	 * @param all what is to be read
	 * @param weight tells how many entries as much is read for
	 * @param asking asks for a slice
	 * @param action looks at the replies
	 */
	static <T> void read(List<T> all, ToLongFunction<T> weight, Function<List<T>, List<Link.Call>> asking,
			BiConsumer<List<T>, List<Reply>> action) {
		List<T> next = slice(all, 0, weight);
		List<Link.Call> asked = ask(next, asking);
		for (int from = next.size(); !next.isEmpty(); from += next.size()) {
			List<T> slice = next;
			List<Link.Call> calls = asked;
			next = slice(all, from, weight);
			asked = ask(next, asking);
			action.accept(slice, calls.stream().map(Link.Call::reply).toList());
		}
	}

	private static <T> List<T> slice(List<T> all, int from, ToLongFunction<T> weight) {
		int to = from;
		for (long sum = 0; to < all.size() && sum < SIZE; to++) {
			sum += weight.applyAsLong(all.get(to));
		}
		return all.subList(from, to);
	}

	private static <T> List<Link.Call> ask(List<T> slice, Function<List<T>, List<Link.Call>> asking) {
		return slice.isEmpty() ? List.of() : asking.apply(slice);
	}

}
