package dev.jobs.operations;

import java.time.Instant;
import java.util.function.Consumer;

import dev.jobs.BulkStatus;
import dev.jobs.Deaths;
import dev.jobs.JobCount;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import org.jspecify.annotations.Nullable;

/**
 * Shows the jobs that a filter selects and acts on them. Actions change jobs in bounded
 * steps, each on its own: their changes before a failure stay. An action such as
 * {@link #retry()} ends with its caller. One that is started, as by
 * {@link #startRetry()}, is a bulk action: workers carry it out, so it goes on after a
 * crash, and it can be stopped and resumed.
 * <p>
 * An action throws an {@link IllegalArgumentException} if the filter selects only states
 * in which it changes nothing, or has none of these: a name, a text, a tag, a unique key,
 * a lane, an urgency that is not normal, some of the states, {@code retrying(true)}, or a
 * time that has passed. So to retry all dead jobs, say {@code states(JobState.DEAD)}. The
 * start of a bulk action throws an {@link IllegalStateException} if 20 of them are under
 * way.
 */
public interface SelectionOperations {

	/**
	 * Return a page of the jobs. Those that are ready come first, queue by queue as they
	 * will run; all others follow by the time they entered their state or, while they
	 * wait, are due. Jobs of a tag come by id.
	 * <p>
	 * Following the cursors visits every job that stays in the selection exactly once, no
	 * matter which jobs come or leave meanwhile. No cursor expires. Searches without an
	 * index, above all for text, read a bounded number of jobs, so a page with a cursor
	 * may have fewer jobs than its limit, or no jobs.
	 * @param request how many jobs, in which order, after which cursor
	 * @return the page
	 * @throws IllegalArgumentException if the cursor does not belong to this list
	 */
	JobPage page(PageRequest request);

	/**
	 * Count the jobs up to a bound. A search without an index reads a bounded number of
	 * jobs; the count is then a lower bound.
	 * @param bound up to which number the count is exact, from 1
	 * @return the count
	 */
	JobCount count(int bound);

	/**
	 * Return the jobs that died last, grouped by cause. The states of the filter are
	 * ignored.
	 * @return the groups
	 */
	Deaths deaths();

	/**
	 * Retry the dead jobs. If the filter has states, they must include
	 * {@link dev.jobs.JobState#DEAD}.
	 * @return how many were retried
	 */
	default int retry() {
		return retry((id) -> {
		});
	}

	/**
	 * Retry the dead jobs as {@link #retry()} does.
	 * @param changed is given the id of each of them as soon as its change is stored, so
	 * also of those that were changed before a call that fails
	 * @return how many were retried
	 */
	int retry(Consumer<String> changed);

	/**
	 * Cancel the jobs that wait or run. Those that run may end a little later, or even
	 * succeed.
	 * @return how many were removed or asked to end
	 */
	default int cancel() {
		return cancel((id) -> {
		});
	}

	/**
	 * Cancel the jobs that wait or run as {@link #cancel()} does.
	 * @param changed is given the id of each of them as soon as its change is stored, so
	 * also of those that were changed before a call that fails
	 * @return how many were removed or asked to end
	 */
	int cancel(Consumer<String> changed);

	/**
	 * Delete the jobs that do not run. The filter must name their states.
	 * @return how many were deleted
	 */
	default int delete() {
		return delete((id) -> {
		});
	}

	/**
	 * Delete the jobs that do not run as {@link #delete()} does.
	 * @param changed is given the id of each of them as soon as its change is stored, so
	 * also of those that were changed before a call that fails
	 * @return how many were deleted
	 */
	int delete(Consumer<String> changed);

	/**
	 * Start to retry the dead jobs as {@link #retry()} does.
	 * @return the bulk action
	 */
	BulkStatus startRetry();

	/**
	 * Start to cancel the jobs that wait or run as {@link #cancel()} does.
	 * @return the bulk action
	 */
	BulkStatus startCancel();

	/**
	 * Start to delete the jobs that do not run as {@link #delete()} does.
	 * @return the bulk action
	 */
	BulkStatus startDelete();

	/**
	 * Start to give the jobs that wait another due time. One that runs meanwhile and
	 * fails keeps the due time of its retry.
	 * @param dueAt the due time; one that has passed makes scheduled jobs ready
	 * @return the bulk action
	 */
	BulkStatus startReschedule(Instant dueAt);

	/**
	 * Start to move the jobs that wait to another lane, as
	 * {@link SingleJobOperations#moveTo} does.
	 * @param lane the lane, or {@code null} for none
	 * @return the bulk action
	 */
	BulkStatus startMove(@Nullable String lane);

}
