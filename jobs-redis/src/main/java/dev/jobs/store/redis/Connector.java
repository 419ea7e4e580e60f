package dev.jobs.store.redis;

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
 * Keeps one connection open and replaces it when it is lost or silent. A lost one is
 * closed rather than left to the driver, which would send again what it got no reply to,
 * with nobody knowing.
 */
final class Connector implements AutoCloseable {

	private final LettuceConnectionFactory factory;

	private final Duration timeout;

	/** By then all that was sent on a connection has been answered or given up. */
	private final Executor afterTimeout;

	private volatile @Nullable Connection current;

	private @Nullable Future<Connection> opening;

	/** Those that wait for the driver to connect. */
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
	 * Begin to open a connection in the place of one that does not answer, which goes on
	 * being used until then: other nodes of a cluster may well answer.
	 */
	synchronized void replace(Connection silent) {
		if (this.current == silent && !this.closed) {
			open();
		}
	}

	/**
	 * Open a connection. All that need it wait for the same attempt. One that takes too
	 * long fails, so that the next may go better, but if it ends well it is made use of.
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
	 * Connect until the store is closed, which interrupts that: the driver never returns
	 * from an attempt during which its client is shut down.
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
	 * Keep a connection, unless another one was opened meanwhile.
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
