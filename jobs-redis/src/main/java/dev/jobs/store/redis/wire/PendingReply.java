package dev.jobs.store.redis.wire;

import java.util.function.Function;

/**
 * A script call that was sent, and how to read its reply.
 *
 * @param <T> the type of the reply
 * @param call the call
 * @param reader reads the reply
 */
public record PendingReply<T>(Link.Call call, Function<Reply, T> reader) {

	/**
	 * Wait for the reply.
	 * @return the reply
	 */
	public T get() {
		return this.reader.apply(this.call.reply());
	}

}
