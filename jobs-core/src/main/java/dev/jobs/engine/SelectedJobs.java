package dev.jobs.engine;

import java.time.Instant;
import java.util.function.Consumer;

import dev.jobs.BulkStatus;
import dev.jobs.BulkStatus.Action;
import dev.jobs.Deaths;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.PageRequest;
import dev.jobs.engine.bulk.BulkWork;
import dev.jobs.engine.bulk.StoredBulk;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.store.JobStore;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of the store that a filter selects.
 *
 * @param filter the filter
 * @param operator who acts, or {@code null} if that is not known
 * @param stored reads and changes them
 */
record SelectedJobs(JobFilter filter, @Nullable String operator, StoredJobs stored) implements SelectionOperations {

	private static final Logger logger = LoggerFactory.getLogger(SelectedJobs.class);

	private static final int CHUNK = 500;

	@Override
	public JobPage page(PageRequest request) {
		return LatestFirst.isWanted(this.filter, request) ? new LatestFirst(this.filter, this.stored).page(request)
				: this.stored.page(this.filter, request);
	}

	@Override
	public JobCount count(int bound) {
		return this.stored.inspector().count(this.filter, bound, this.stored.now());
	}

	@Override
	public Deaths deaths() {
		return this.stored.inspector().deaths(this.filter, this.stored.now());
	}

	@Override
	public int retry(Consumer<String> changed) {
		return changeAll(work(Action.RETRY), changed);
	}

	@Override
	public int cancel(Consumer<String> changed) {
		return changeAll(work(Action.CANCEL), changed);
	}

	@Override
	public int delete(Consumer<String> changed) {
		return changeAll(work(Action.DELETE), changed);
	}

	@Override
	public BulkStatus startRetry() {
		return start(work(Action.RETRY));
	}

	@Override
	public BulkStatus startCancel() {
		return start(work(Action.CANCEL));
	}

	@Override
	public BulkStatus startDelete() {
		return start(work(Action.DELETE));
	}

	@Override
	public BulkStatus startReschedule(Instant dueAt) {
		return start(BulkWork.reschedule(this.filter, dueAt, this.stored.now()));
	}

	@Override
	public BulkStatus startMove(@Nullable String lane) {
		return start(BulkWork.move(this.filter, lane, this.stored.now()));
	}

	private BulkWork work(Action action) {
		return BulkWork.of(action, this.filter, this.stored.now());
	}

	private BulkStatus start(BulkWork work) {
		return StoredBulk.start(work, this.stored.store(), this.operator);
	}

	/**
	 * Change all selected jobs, page by page.
	 */
	private int changeAll(BulkWork work, Consumer<String> changed) {
		JobStore store = this.stored.store();
		int all = 0;
		int last;
		do {
			last = 0;
			@Nullable String cursor = null;
			do {
				JobPage page = work.read(store, cursor, CHUNK, this.stored.now());
				last += work
					.change(store, page.jobs(), this.stored.now(), changed,
							(job, fault) -> logger.warn("The store refuses to change job '{}' {}: {}", job.name(),
									job.id(), ErrorText.of(fault)))
					.done();
				cursor = page.next();
			}
			while (cursor != null);
			all += last;
		}
		while (last > 0 && work.isRepeated());
		return all;
	}

}
