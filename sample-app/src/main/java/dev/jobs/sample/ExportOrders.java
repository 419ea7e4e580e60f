package dev.jobs.sample;

import dev.jobs.JobType;
import dev.jobs.Unique;
import dev.jobs.UniqueJob;

/**
 * The wish for a file with all orders of a year. Asking twice while the first export is
 * not done gets the first one.
 *
 * @param year the year
 */
@JobType("export-orders")
@UniqueJob(Unique.Mode.UNTIL_DONE)
record ExportOrders(int year) {

}
