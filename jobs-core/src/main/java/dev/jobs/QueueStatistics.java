package dev.jobs;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What happened to the jobs of a queue in a span of time. <pre class="code">{@code
 * Instant hourAgo = now.minus(Duration.ofHours(1));
 * List<QueueStatistics> minutes = operations.queue("send-email")
 *     .statistics(hourAgo, now, Duration.ofMinutes(1));
 * long succeeded = minutes.stream().mapToLong(QueueStatistics::succeeded).sum();
 * }</pre>
 */
public interface QueueStatistics {

	/**
	 * Return the queue.
	 */
	String queue();

	/**
	 * Return when the span began.
	 */
	Instant start();

	/**
	 * Return how many jobs were enqueued.
	 */
	long enqueued();

	/**
	 * Return how many jobs succeeded.
	 */
	long succeeded();

	/**
	 * Return how many attempts failed and were followed by another.
	 */
	long retried();

	/**
	 * Return how many jobs died.
	 */
	long dead();

	/**
	 * Return how many jobs expired, or missed their deadline before their first run.
	 */
	long expired();

	/**
	 * Return how long jobs had been due when they started.
	 */
	Times waited();

	/**
	 * Return how long runs took.
	 */
	Times ran();

	/**
	 * Add what happened in another span or to another queue.
	 * @param other the other
	 * @return the sum, with the queue and the start of this one
	 */
	QueueStatistics plus(QueueStatistics other);

	/**
	 * How long things took, counted in buckets whose bounds double: the first is for less
	 * than a millisecond, bucket <i>n</i> for less than 2<sup>n</sup> milliseconds.
	 */
	interface Times {

		/**
		 * Return how often each bucket was hit.
		 */
		List<Long> counts();

		/**
		 * Return how many times were counted.
		 */
		long total();

		/**
		 * Return a quantile of the counted times, as exactly as the buckets allow.
		 * @param share the share, from 0 to 1; 0.5 for the median
		 * @return the time, or {@code null} if nothing was counted
		 */
		@Nullable Duration quantile(double share);

	}

}
