package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * A mail about an order. The annotation gives the job its name, so that it can be
 * enqueued anywhere without naming it.
 *
 * @param to the customer
 * @param order the number of the order
 * @param text the text of the mail
 */
@JobType("send-email")
record OrderMail(String to, long order, String text) {

}
