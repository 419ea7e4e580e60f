package dev.jobs.store.redis.page;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Reply;

/**
 * Reads many jobs in batches, which keep the server free for others. The next batch is
 * requested while the one before is processed here. There are no more than these two at
 * once, since each job may be large.
 */
final class BatchReader {

	private static final int SIZE = 250;

	private BatchReader() {
	}

	/**
	 * Read many jobs.
	 * @param all what leads to the jobs
	 * @param request sends the calls for a batch
	 * @param action processes the replies
	 */
	static <T> void read(List<T> all, Function<List<T>, List<Link.Call>> request, Consumer<List<Reply>> action) {
		List<Link.Call> requested = send(all, 0, request);
		for (int from = 0; from < all.size(); from += SIZE) {
			List<Link.Call> calls = requested;
			requested = send(all, from + SIZE, request);
			action.accept(calls.stream().map(Link.Call::reply).toList());
		}
	}

	private static <T> List<Link.Call> send(List<T> all, int from, Function<List<T>, List<Link.Call>> request) {
		return (from < all.size()) ? request.apply(all.subList(from, Math.min(from + SIZE, all.size()))) : List.of();
	}

}
