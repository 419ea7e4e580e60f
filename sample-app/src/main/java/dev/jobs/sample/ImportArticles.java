package dev.jobs.sample;

import dev.jobs.JobType;
import dev.jobs.UniqueJob;

/**
 * The wish to import the articles of a supplier.
 *
 * @param supplier the supplier
 * @param articles how many there are
 */
@JobType("import-articles")
@UniqueJob
record ImportArticles(String supplier, int articles) {

}
