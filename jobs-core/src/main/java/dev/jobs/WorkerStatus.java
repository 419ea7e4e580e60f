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
	 */
	String id();

	/**
	 * Return how it describes itself.
	 * @return the description, or {@code null} if it has not reported one yet
	 */
	@Nullable Info info();

	/**
	 * Return its last sign of life.
	 */
	Instant lastBeat();

	/**
	 * Return until when it counts as alive.
	 */
	Instant leaseUntil();

	/**
	 * Return how many jobs it holds.
	 */
	long running();

	/**
	 * Return the setting by which an operator made it quiet.
	 * @return the setting, or {@code null} if it takes jobs
	 */
	QueueSettings.@Nullable Setting<Boolean> quiet();

	/**
	 * Describes a worker.
	 */
	interface Info {

		/**
		 * Return its host name.
		 */
		String host();

		/**
		 * Return its process id.
		 */
		long pid();

		/**
		 * Return the version of the application.
		 * @return the version, or an empty text
		 */
		String version();

		/**
		 * Return when it started.
		 */
		Instant startedAt();

		/**
		 * Return its pools.
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
		 */
		String name();

		/**
		 * Return how many jobs it runs at once.
		 */
		int concurrency();

		/**
		 * Return how many jobs it ran at the worker's last report.
		 */
		int busy();

		/**
		 * Return the queues it serves, sorted.
		 */
		List<String> queues();

	}

	/**
	 * The Java process of a worker at its last report.
	 */
	interface Jvm {

		/**
		 * Return the version of Java.
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
		 * Return how many threads there are, whether busy or not.
		 */
		int threads();

	}

}
