package dev.jobs.sample;

import java.util.Map;

import dev.jobs.JobLane;
import dev.jobs.JobType;

/**
 * The prices of a partner, to be taken over.
 *
 * @param partner who sells through this shop
 * @param cents the price of each article
 */
@JobType("import-prices")
record PriceList(@JobLane String partner, Map<String, Long> cents) {

}
