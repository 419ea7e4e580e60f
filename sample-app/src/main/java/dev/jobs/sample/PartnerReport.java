package dev.jobs.sample;

import dev.jobs.JobType;

/**
 * The wish to tell a partner what was sold.
 *
 * @param partner who sells through this shop
 */
@JobType("report-sales")
record PartnerReport(String partner) {

}
