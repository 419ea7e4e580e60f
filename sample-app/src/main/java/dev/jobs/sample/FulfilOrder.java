package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * The wish to fulfil an order.
 *
 * @param order the number of the order
 * @param customer the customer's mail address
 * @param article what was bought
 */
@JobType("fulfil-order")
record FulfilOrder(long order, String customer, String article) {

}
