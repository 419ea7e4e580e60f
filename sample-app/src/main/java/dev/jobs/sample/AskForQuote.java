package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * The wish to know what a parcel would cost.
 *
 * @param article what is sent
 * @param country where to
 */
@JobType("ask-for-quote")
record AskForQuote(String article, String country) {

}
