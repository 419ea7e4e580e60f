package dev.jobs.store.redis.wire;

import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

import dev.jobs.store.support.StoreFault;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The links of a store: one for beats, which must never wait behind the replies of other
 * verbs, one for reading jobs, which has long replies, one for enqueues if they wait for
 * replicas, and one for everything else.
 *
 * @param commands the link for everything else
 * @param beats the link for beats
 * @param views the link for reading
 * @param enqueues the link for enqueues, which is {@code commands} unless they wait for
 * replicas
 * @param replicas how many replicas an enqueue waits for
 * @param replicaTimeout how long it waits for them
 */
public record Links(Link commands, Link beats, Link views, Link enqueues, int replicas,
		Duration replicaTimeout) implements AutoCloseable {

	public static Links open(LettuceConnectionFactory factory, Duration timeout,
			BiFunction<Link, Partition, List<StoreFault>> keyCheck, int replicas, Duration replicaTimeout) {
		Link commands = new Link(factory, timeout, keyCheck);
		Link enqueues = (replicas > 0) ? new Link(factory, timeout, keyCheck) : commands;
		return new Links(commands, new Link(factory, timeout, keyCheck), new Link(factory, timeout, keyCheck), enqueues,
				replicas, replicaTimeout);
	}

	/**
	 * Return whether enqueues wait for replicas.
	 */
	public boolean isReplicated() {
		return this.replicas > 0;
	}

	@Override
	public void close() {
		this.commands.close();
		this.beats.close();
		this.views.close();
		this.enqueues.close();
	}

}
