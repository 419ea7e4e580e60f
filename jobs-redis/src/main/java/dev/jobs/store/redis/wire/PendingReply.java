package dev.jobs.store.redis.wire;

import java.util.function.Function;

/**
 * A call of a script that was sent, and how its reply is read.
 *
 * @param <T> what the reply is read as
 * @param call the call
 * @param reader reads the reply
 */
public record PendingReply<T>(Link.Call call, Function<Reply, T> reader) {

	/**
	 * Wait for the reply.
	 * @return what it says
	 */
	public T get() {
		return this.reader.apply(this.call.reply());
	}

}
