package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * The wish for an invoice.
 *
 * @param customer the customer's mail address
 * @param cents how much the customer pays
 */
@JobType("write-invoice")
record WriteInvoice(String customer, long cents) {

	WriteInvoice {
		if (customer == null) {
			throw new IllegalArgumentException("An invoice needs a 'customer'");
		}
	}

}
