package dev.jobs.sample;

import dev.jobs.JobLane;
import dev.jobs.JobType;

/**
 * The wish for money back. A customer's refunds are paid one after the other.
 *
 * @param customer the customer's mail address
 * @param cents how much
 */
@JobType("refund")
record Refund(@JobLane String customer, long cents) {

	Refund {
		if (customer == null || cents < 0) {
			throw new IllegalArgumentException("A refund needs a 'customer' and not less than 0 'cents'");
		}
	}

}
