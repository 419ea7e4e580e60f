package dev.jobs.store.redis.page;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

import dev.jobs.store.redis.wire.Link;
import dev.jobs.store.redis.wire.Reply;
import dev.jobs.store.support.ReadDeadline;

/**
 * Reads many jobs in batches, which keep the server free for others. The server reads a
 * bounded number of bytes at once, and each reply counts the jobs it looked at. The next
 * batch is requested while the one before is processed here. Only these two exist at
 * once, since each job may be large.
 */
final class BatchReader {

	private static final int SIZE = 250;

	private final long most;

	private final ReadDeadline deadline;

	private long bytes;

	/**
	 * Create a reader.
	 * @param most the bytes after which no further batch is requested
	 * @param deadline when reading is given up
	 */
	BatchReader(long most, ReadDeadline deadline) {
		this.most = most;
		this.deadline = deadline;
	}

	/**
	 * Read many jobs.
	 * @param all the entries of the jobs
	 * @param request sends the calls for a batch
	 * @param action processes the remaining rows of a reply
	 * @return the entries of the jobs that were not looked at
	 */
	<T> Set<T> read(List<T> all, Function<List<T>, List<Sent<T>>> request, Consumer<Reply> action) {
		Deque<T> left = new ArrayDeque<>(all);
		Deque<List<Sent<T>>> requested = new ArrayDeque<>();
		while (true) {
			this.deadline.check();
			while (requested.size() < 2 && !left.isEmpty() && this.bytes < this.most) {
				requested.add(request.apply(next(left)));
			}
			if (requested.isEmpty()) {
				return Set.copyOf(left);
			}
			for (Sent<T> sent : requested.remove()) {
				Reply reply = sent.call().reply();
				int looked = Math.toIntExact(reply.number());
				this.bytes += reply.number();
				for (int i = sent.entries().size() - 1; i >= looked; i--) {
					left.addFirst(sent.entries().get(i));
				}
				action.accept(reply);
			}
		}
	}

	private static <T> List<T> next(Deque<T> left) {
		List<T> batch = new ArrayList<>();
		while (batch.size() < SIZE && !left.isEmpty()) {
			batch.add(left.remove());
		}
		return batch;
	}

	/**
	 * A call that was sent.
	 *
	 * @param entries the entries of its jobs
	 * @param call the call
	 */
	record Sent<T>(List<T> entries, Link.Call call) {

	}

}
