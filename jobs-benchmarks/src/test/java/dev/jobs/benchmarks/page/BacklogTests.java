package dev.jobs.benchmarks.page;

import java.util.List;

import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.Trail;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.StoreJobs;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.QueueView;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Backlog}.
 */
class BacklogTests {

	private final InMemoryJobStore store = new InMemoryJobStore();

	private final Backlog backlog = new Backlog(this.store, new Load(10_000, 100, 1));

	@AfterEach
	void close() {
		this.backlog.close();
	}

	@Test
	void jobsAreInAllStates() {
		assertThat(count(JobFilter.all())).isEqualTo(10_000);
		assertThat(count(JobFilter.of((only) -> only.states(JobState.RUNNING)))).isEqualTo(10);
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isEqualTo(200);
		assertThat(count(JobFilter.of((only) -> only.states(JobState.SUCCEEDED)))).isEqualTo(90);
		assertThat(count(JobFilter.of((only) -> only.states(JobState.SCHEDULED, JobState.READY).retrying(true))))
			.isEqualTo(90);
		assertThat(count(JobFilter.of((only) -> only.states(JobState.SCHEDULED)))).isEqualTo(90 + 3204);
	}

	@Test
	void fifthOfJobsIsInOneOfHundredQueues() {
		List<QueueView> queues = inspector().queues(StoreJobs.now());
		assertThat(queues).hasSize(100);
		assertThat(count(JobFilter.of((only) -> only.name(this.backlog.largestQueue())))).isEqualTo(2000);
		assertThat(queues).allSatisfy((queue) -> assertThat(queue.served()).isTrue());
	}

	@Test
	void deadJobsHaveTwoStacksOfSomeKilobytes() {
		Trail trail = inspector().job(this.backlog.deadId(), StoreJobs.now()).orElseThrow().trail();
		assertThat(trail.attempts()).hasSize(2)
			.allSatisfy((attempt) -> assertThat(attempt.stackTrace()).hasSizeBetween(2000, 4000));
		assertThat(inspector().deaths(JobFilter.of((only) -> only.states(JobState.DEAD)), StoreJobs.now()).causes())
			.isNotEmpty();
	}

	@Test
	void whatIsLookedForIsFoundOnce() {
		assertThat(listed(JobFilter.of((only) -> only.states(JobState.DEAD).text(this.backlog.deadText()))))
			.isEqualTo(1);
		assertThat(listed(JobFilter.of((only) -> only.states(JobState.READY).text(this.backlog.readyText()))))
			.isEqualTo(1);
		assertThat(count(JobFilter.of((only) -> only.uniqueKey(this.backlog.key())))).isEqualTo(1);
		assertThat(listed(JobFilter.of((only) -> only.tag(Backlog.TAG)))).isBetween(9, 10);
		assertThat(count(JobFilter.of((
				only) -> only.states(JobState.SCHEDULED).since(this.backlog.hourFrom()).before(this.backlog.hourTo()))))
			.isPositive();
	}

	/**
	 * Follow the pages to the end: each looks for text in a part of the jobs.
	 */
	private int listed(JobFilter filter) {
		int found = 0;
		PageRequest request = PageRequest.oldestFirst(100);
		while (request != null) {
			JobPage page = inspector().page(filter, request, StoreJobs.now());
			found += page.jobs().size();
			request = (page.next() != null) ? request.after(page.next()) : null;
		}
		return found;
	}

	private long count(JobFilter filter) {
		return inspector().count(filter, 100_000, StoreJobs.now()).number();
	}

	private JobInspector inspector() {
		return this.store.inspector();
	}

}
