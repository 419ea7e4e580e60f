package dev.jobs.store.redis.wire;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import dev.jobs.JobStoreException;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Keeps one connection open and replaces it when it is lost or silent. A lost connection
 * is closed and not left to the driver, which would silently resend every command that
 * got no reply.
 */
final class Connector implements AutoCloseable {

	private final LettuceConnectionFactory factory;

	private final Duration timeout;

	/** The delay after which all calls on a connection are answered or given up. */
	private final Executor afterTimeout;

	private volatile @Nullable Connection current;

	private @Nullable Future<Connection> opening;

	/** The threads in which the driver is connecting. */
	private final Set<Thread> openers = new HashSet<>();

	private boolean closed;

	Connector(LettuceConnectionFactory factory, Duration timeout) {
		this.factory = factory;
		this.timeout = timeout;
		this.afterTimeout = CompletableFuture.delayedExecutor(timeout.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * Return the open connection, if there is one.
	 */
	@Nullable Connection current() {
		Connection current = this.current;
		return (current != null && current.isUsable(this.factory)) ? current : null;
	}

	/**
	 * Begin to open a connection in place of a silent one. The silent one stays in use
	 * until then, since other nodes of a cluster may answer.
	 */
	synchronized void replace(Connection silent) {
		if (this.current == silent && !this.closed) {
			open();
		}
	}

	/**
	 * Open a connection. All callers wait for the same attempt. An attempt that takes too
	 * long fails, so that the next may succeed, but its connection is used if it opens
	 * after all.
	 */
	synchronized Future<Connection> open() {
		if (this.closed) {
			throw closed();
		}
		Future<Connection> begun = this.opening;
		if (begun == null || begun.isDone()) {
			Connection replaced = this.current;
			begun = Connection.begin(() -> untilClosed(() -> openInPlaceOf(replaced)))
				.orTimeout(this.timeout.toMillis(), TimeUnit.MILLISECONDS);
			this.opening = begun;
		}
		return begun;
	}

	/**
	 * Connect. Closing the store interrupts this thread, because the driver never returns
	 * from an attempt if its client is shut down meanwhile.
	 */
	private Connection untilClosed(Supplier<Connection> opener) {
		synchronized (this) {
			if (this.closed) {
				throw closed();
			}
			this.openers.add(Thread.currentThread());
		}
		try {
			return opener.get();
		}
		finally {
			synchronized (this) {
				this.openers.remove(Thread.currentThread());
			}
		}
	}

	private static JobStoreException closed() {
		return JobStoreException.refused("The store is closed", null, false);
	}

	private Connection openInPlaceOf(@Nullable Connection replaced) {
		Connection opened = Connection.open(this.factory.getRequiredNativeClient());
		opened.onLost(() -> drop(opened));
		Connection kept = keep(opened, replaced);
		Connection left = (kept != opened) ? opened : replaced;
		if (left != null) {
			this.afterTimeout.execute(left::close);
		}
		return kept;
	}

	/**
	 * Keep a connection unless another one was opened meanwhile.
	 */
	private synchronized Connection keep(Connection opened, @Nullable Connection replaced) {
		Connection current = this.current;
		if (current != null && current != replaced) {
			return current;
		}
		if (this.closed) {
			opened.close();
		}
		else {
			this.current = opened;
		}
		return opened;
	}

	private void drop(Connection lost) {
		synchronized (this) {
			if (this.current == lost) {
				this.current = null;
			}
		}
		lost.close();
	}

	@Override
	public void close() {
		Connection last;
		synchronized (this) {
			this.closed = true;
			this.openers.forEach(Thread::interrupt);
			last = this.current;
			this.current = null;
		}
		if (last != null) {
			last.close();
		}
	}

}
