package dev.jobs.store;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The result of a claim.
 *
 * @param claims the jobs, in the order to run them
 * @param queues what is left in each queue asked, in no order
 */
public record ClaimReply(List<Claim> claims, List<Left> queues) {

	/**
	 * The rest of a queue after a claim.
	 *
	 * @param queue the queue
	 * @param more whether another claim now would get more from it
	 * @param nextDue when its next job becomes due, or {@code null} without one; if a
	 * rate or a hold keeps jobs from starting, when the next may
	 * @param lane the lane that gave jobs last, after which the next claim continues; as
	 * asked if none did, and empty if it was the jobs without a lane
	 */
	public record Left(String queue, boolean more, @Nullable Instant nextDue, String lane) {

		/**
		 * Say what is left in a queue without lanes.
		 * @param queue the queue
		 * @param more whether another claim now would get more of it
		 * @param nextDue when its next job becomes due, or {@code null} without one
		 */
		public Left(String queue, boolean more, @Nullable Instant nextDue) {
			this(queue, more, nextDue, "");
		}

	}

}
