package dev.jobs.store.redis;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads much in slices, which keep the server free for others. It looks up a slice while
 * the one before is looked at here. There are no more than these two at once, since each
 * job may be large.
 */
final class Slices {

	private static final int SIZE = 500;

	private Slices() {
	}

	static <T> void read(List<T> all, Function<List<T>, List<Link.Call>> asking, Consumer<List<Reply>> action) {
		List<Link.Call> next = ask(all, 0, asking);
		for (int from = 0; from < all.size(); from += SIZE) {
			List<Link.Call> calls = next;
			next = ask(all, from + SIZE, asking);
			action.accept(calls.stream().map(Link.Call::reply).toList());
		}
	}

	private static <T> List<Link.Call> ask(List<T> all, int from, Function<List<T>, List<Link.Call>> asking) {
		return (from < all.size()) ? asking.apply(all.subList(from, Math.min(from + SIZE, all.size()))) : List.of();
	}

}
