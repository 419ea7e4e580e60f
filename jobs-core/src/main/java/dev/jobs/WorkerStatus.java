package dev.jobs;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A live worker as it was at one moment. <pre class="code">{@code
 * long running = operations.workers().stream().mapToLong(WorkerStatus::running).sum();
 * }</pre>
 */
public interface WorkerStatus {

	/**
	 * Return its id.
	 * @return the id
	 */
	String id();

	/**
	 * Return what it is.
	 * @return what it is, or {@code null} if it has not reported that yet
	 */
	@Nullable Info info();

	/**
	 * Return its last sign of life.
	 * @return the instant
	 */
	Instant lastBeat();

	/**
	 * Return until when it counts as alive.
	 * @return the instant
	 */
	Instant leaseUntil();

	/**
	 * Return how many jobs it holds.
	 * @return the number
	 */
	long running();

	/**
	 * What a worker is.
	 */
	interface Info {

		/**
		 * Return its host name.
		 * @return the name
		 */
		String host();

		/**
		 * Return its process id.
		 * @return the id
		 */
		long pid();

		/**
		 * Return the version of the application.
		 * @return the version, or an empty text
		 */
		String version();

		/**
		 * Return when it started.
		 * @return the instant
		 */
		Instant startedAt();

		/**
		 * Return its pools.
		 * @return the pools
		 */
		List<? extends Pool> pools();

		/**
		 * Return its Java process.
		 * @return the process, or {@code null} if that is not reported
		 */
		@Nullable Jvm jvm();

	}

	/**
	 * A pool of a worker.
	 */
	interface Pool {

		/**
		 * Return its name.
		 * @return the name
		 */
		String name();

		/**
		 * Return how many jobs it runs at once.
		 * @return the number
		 */
		int concurrency();

		/**
		 * Return how many jobs it ran at the worker's last report.
		 * @return the number
		 */
		int busy();

		/**
		 * Return the queues it serves, sorted.
		 * @return the queues
		 */
		List<String> queues();

	}

	/**
	 * The Java process of a worker at its last report.
	 */
	interface Jvm {

		/**
		 * Return the version of Java.
		 * @return the version
		 */
		String java();

		/**
		 * Return the version of Jobs.
		 * @return the version, or an empty text if it is not known
		 */
		String jobs();

		/**
		 * Return how much of the heap is in use.
		 * @return the number of bytes
		 */
		long heapUsed();

		/**
		 * Return how large the heap may become.
		 * @return the number of bytes
		 */
		long heapMax();

		/**
		 * Return how many threads there are, whatever they do.
		 * @return the number
		 */
		int threads();

	}

}
