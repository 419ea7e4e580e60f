package dev.jobs.store.redis;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import dev.jobs.store.ErrorText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which partitions failed, so that they do not hold up what happens in others: they
 * are left alone until they give a sign of life, for which each is asked once a second.
 * While all of them fail none is left alone, so where there is only one it never is.
 */
final class Health {

	private static final Logger logger = LoggerFactory.getLogger(Health.class);

	private static final Executor AFTER_A_SECOND = CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS);

	private static final Executor AFTER_A_WHILE = CompletableFuture.delayedExecutor(30, TimeUnit.SECONDS);

	private final Link link;

	private final Partitions partitions;

	private final Set<Integer> failing = ConcurrentHashMap.newKeySet();

	private final Set<Integer> asked = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean logging = new AtomicBoolean();

	Health(Link link, Partitions partitions) {
		this.link = link;
		this.partitions = partitions;
	}

	/**
	 * Return whether to leave a partition alone. It is then asked for a sign of life.
	 */
	boolean isLeftAlone(int partition) {
		boolean leftAlone = this.failing.contains(partition) && !isAllFailing();
		if (leftAlone) {
			ask(partition);
		}
		return leftAlone;
	}

	/**
	 * Throw at once if a partition is to be left alone.
	 */
	void requireNotLeftAlone(int partition) {
		if (isLeftAlone(partition)) {
			throw JobStoreException.refused("A part of Redis cannot be reached at the moment", null, true);
		}
	}

	boolean isAllFailing() {
		return this.failing.size() >= this.partitions.count();
	}

	void succeeded(int partition) {
		if (!this.failing.isEmpty() && this.failing.remove(partition)) {
			logger.debug("Partition {} answers again", partition);
		}
	}

	/**
	 * Take note of a fault.
	 * @throws JobStoreException the fault itself, if it will not pass
	 */
	void failed(int partition, JobStoreException fault) {
		if (!fault.isTemporary()) {
			throw fault;
		}
		if (this.failing.add(partition) && this.logging.compareAndSet(false, true)) {
			AFTER_A_SECOND.execute(() -> log(fault));
			AFTER_A_WHILE.execute(() -> this.logging.set(false));
		}
	}

	/**
	 * Say once which partitions fail, when all those of a server are known.
	 */
	private void log(JobStoreException fault) {
		Set<Integer> failing = new TreeSet<>(this.failing);
		if (!failing.isEmpty() && failing.size() < this.partitions.count()) {
			logger.warn("Partitions {} of {} fail; the others go on without them: {}", failing, this.partitions.count(),
					ErrorText.clean(String.valueOf(fault.getMessage())));
		}
	}

	/**
	 * Run a script in one partition, unless that is to be left alone.
	 */
	Reply run(int partition, Script script, Arguments arguments) {
		return send(partition, script, arguments).get();
	}

	/**
	 * Have a script run in one partition, unless that is to be left alone. A server that
	 * refuses it alone is not taken for one that fails, since it may do other things.
	 */
	Call send(int partition, Script script, Arguments arguments) {
		requireNotLeftAlone(partition);
		try {
			Link.Call call = this.link.send(script, this.partitions.keys(partition), arguments);
			return new Call() {

				@Override
				public Reply get() {
					return read(partition, call);
				}

				@Override
				public void whenThere(Consumer<Reply> action) {
					call.whenThere(action);
				}

			};
		}
		catch (JobStoreException ex) {
			throw noted(partition, ex);
		}
	}

	private Reply read(int partition, Link.Call call) {
		try {
			Reply reply = call.reply();
			succeeded(partition);
			return reply;
		}
		catch (JobStoreException ex) {
			throw noted(partition, ex);
		}
	}

	private JobStoreException noted(int partition, JobStoreException fault) {
		if (fault.isTemporary() && !Faults.isAnswer(fault)) {
			failed(partition, fault);
		}
		return fault;
	}

	private void ask(int partition) {
		if (!this.asked.add(partition)) {
			return;
		}
		try {
			CompletableFuture<?> answer = this.link.ask(this.partitions.key(partition, "token"));
			answer.thenRun(() -> succeeded(partition));
			AFTER_A_SECOND.execute(() -> {
				answer.cancel(true);
				this.asked.remove(partition);
			});
		}
		catch (RuntimeException ex) {
			AFTER_A_SECOND.execute(() -> this.asked.remove(partition));
		}
	}

	/**
	 * A call of a script that was sent.
	 */
	@FunctionalInterface
	interface Call extends Supplier<Reply> {

		/**
		 * Do something with the reply when it comes, on the thread that brings it, unless
		 * it is a fault.
		 */
		default void whenThere(Consumer<Reply> action) {
		}

	}

}
