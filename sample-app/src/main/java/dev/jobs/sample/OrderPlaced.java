package dev.jobs.sample;

/**
 * An order as the shop takes it.
 *
 * @param customer the customer's mail address
 * @param article what was bought
 */
record OrderPlaced(String customer, String article) {

	OrderPlaced {
		if (customer == null || article == null) {
			throw new IllegalArgumentException("An order needs a 'customer' and an 'article'");
		}
	}

}
