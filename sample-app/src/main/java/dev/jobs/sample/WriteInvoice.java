package dev.jobs.sample;

import dev.jobs.JobLane;
import dev.jobs.JobType;

/**
 * The wish for an invoice. The invoices of a customer are written one after the other.
 *
 * @param customer the customer's mail address
 * @param cents how much the customer pays
 */
@JobType("write-invoice")
record WriteInvoice(@JobLane String customer, long cents) {

	WriteInvoice {
		if (customer == null) {
			throw new IllegalArgumentException("An invoice needs a 'customer'");
		}
	}

}
