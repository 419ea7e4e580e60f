package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * The wish to show how many of an article are left.
 *
 * @param article the article
 * @param left how many
 */
@JobType("show-stock")
record ShowStock(String article, int left) {

}
