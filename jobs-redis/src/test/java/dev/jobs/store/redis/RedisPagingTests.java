package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.store.Change;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.NewJob;
import dev.jobs.store.Transition;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.contract.AllJobs;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RedisJobStore}, for pages far from the front.
 */
class RedisPagingTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private static final List<String> QUEUES = List.of("a", "b", "c", "d");

	private static final Comparator<NewJob> ORDER = Comparator.comparing(NewJob::dueAt).thenComparing(NewJob::id);

	private final String namespace = TestRedis.newNamespace();

	private final RedisJobStore store = new RedisJobStore(TestRedis.factory(), this.namespace);

	private final Random random = new Random(42);

	@BeforeEach
	void beat() {
		this.store.beat(new WorkerBeat("w", Duration.ofSeconds(15), null, List.of(), false, NOW));
	}

	@AfterEach
	void closeStore() {
		this.store.change(List.of(new Change.Purge()), NOW);
		this.store.close();
	}

	private NewJob job(String id, String queue, Instant due) {
		String payload = (this.random.nextInt(4000) == 0) ? "a needle" : "hay";
		return NewJob.of(id, queue, payload.getBytes(StandardCharsets.UTF_8), due.isAfter(NOW) ? NOW : due)
			.withDueAt(due);
	}

	private static boolean isNeedle(NewJob job) {
		return job.payload().length > 3;
	}

	/**
	 * Enqueue jobs of all queues with ids in no order.
	 */
	private List<NewJob> enqueue(int count, IntFunction<Instant> due) {
		List<NewJob> jobs = IntStream.range(0, count)
			.mapToObj((i) -> job("%08x-%d".formatted(this.random.nextInt(), i),
					QUEUES.get((i % 3 == 0) ? 0 : i % QUEUES.size()), due.apply(i)))
			.toList();
		for (int from = 0; from < count; from += 1000) {
			this.store.enqueue(jobs.subList(from, Math.min(from + 1000, count)), NOW);
		}
		return jobs;
	}

	/**
	 * Return the ids of all pages.
	 */
	private List<String> pages(JobFilter filter, boolean newestFirst, int size) {
		PageRequest request = newestFirst ? PageRequest.newestFirst(size) : PageRequest.oldestFirst(size);
		List<String> ids = AllJobs.of(this.store.inspector(), filter, request, NOW).stream().map(Job::id).toList();
		assertThat(ids).doesNotHaveDuplicates();
		return ids;
	}

	private static List<String> reversed(List<String> ids) {
		List<String> reversed = new ArrayList<>(ids);
		Collections.reverse(reversed);
		return reversed;
	}

	@Test
	void jobsOfSeveralStructuresAreInTheirOrderWhereverAPageBegins() {
		List<NewJob> jobs = new ArrayList<>(enqueue(9000, (i) -> NOW.plusMillis((i < 6000) ? i / 10 + 1 : 300)));
		jobs.sort(ORDER);
		List<String> ids = jobs.stream().map(NewJob::id).toList();
		assertThat(pages(JobFilter.all(), false, 997)).isEqualTo(ids);
		assertThat(pages(JobFilter.all(), true, 1000)).isEqualTo(reversed(ids));
	}

	@Test
	void positionAmongJobsOfOneInstantIsFoundThoughItsJobHasGone() {
		List<NewJob> jobs = new ArrayList<>(enqueue(200, (i) -> NOW.plusMillis(1)));
		jobs.sort(ORDER);
		List<String> ids = jobs.stream().map(NewJob::id).toList();
		for (boolean newestFirst : List.of(false, true)) {
			PageRequest request = newestFirst ? PageRequest.newestFirst(60) : PageRequest.oldestFirst(60);
			JobPage page = this.store.inspector().page(JobFilter.all(), request, NOW);
			List<String> seen = new ArrayList<>(page.jobs().stream().map(Job::id).toList());
			this.store.change(List.of(new Change.Delete(seen.remove(59))), NOW);
			seen.addAll(AllJobs.of(this.store.inspector(), JobFilter.all(), request.after(page.next()), NOW)
				.stream()
				.map(Job::id)
				.toList());
			assertThat(seen).isEqualTo(
					newestFirst ? reversed(pages(JobFilter.all(), false, 1000)) : pages(JobFilter.all(), false, 1000));
		}
		assertThat(ids).hasSize(200);
	}

	@Test
	void readyListIsReadOnWhereItWasThoughItsFrontLeavesAndComesBack() {
		List<String> ids = enqueue(300, (i) -> NOW.minusMillis(1000 - i)).stream()
			.filter((job) -> job.name().equals("a"))
			.map(NewJob::id)
			.toList();
		JobFilter ready = JobFilter.of((only) -> only.states(JobState.READY).name("a"));
		PageRequest request = PageRequest.oldestFirst(10);
		JobPage page = this.store.inspector().page(ready, request, NOW);
		assertThat(page.jobs()).extracting(Job::id).isEqualTo(ids.subList(0, 10));
		List<Claim> claims = this.store.claim(new ClaimRequest("w", List.of(ClaimRequest.Quota.of("a", 15)), 15, NOW))
			.claims();
		Claim last = claims.get(9);
		this.store.settle(List.of(Transition.scheduled(last, NOW, last.job().trail())), NOW);
		page = this.store.inspector().page(ready, request.after(page.next()), NOW);
		assertThat(page.jobs()).extracting(Job::id).isEqualTo(ids.subList(15, 25));
	}

	@Test
	void pagesPartTheWholeThoughReadyJobsAreInNoOrderAndSomeAreSkipped() {
		List<NewJob> jobs = enqueue(8000,
				(i) -> NOW.minusMillis((i % 7 == 0 || i > 5000) ? this.random.nextInt(20_000) : 20_000 - i));
		List<Change> deleted = jobs.stream()
			.filter((job) -> this.random.nextInt(5) == 0)
			.map((job) -> (Change) new Change.Delete(job.id()))
			.toList();
		this.store.change(deleted, NOW);
		NewJob twice = jobs.stream().filter((job) -> !deleted.contains(new Change.Delete(job.id()))).findAny().get();
		this.store.change(List.of(new Change.Reschedule(twice.id(), NOW.plusSeconds(1))), NOW);
		this.store.change(List.of(new Change.Reschedule(twice.id(), NOW)), NOW);
		JobFilter ready = JobFilter.of((only) -> only.states(JobState.READY));
		for (JobFilter filter : List.of(ready, JobFilter.all())) {
			List<String> ids = pages(filter, false, 700);
			assertThat(ids).hasSize(jobs.size() - deleted.size());
			assertThat(pages(filter, false, 333)).isEqualTo(ids);
			assertThat(pages(filter, true, 401)).isEqualTo(reversed(ids));
		}
		assertThat(pages(ready.with((only) -> only.name("a")), false, 100))
			.hasSameElementsAs(pages(ready.with((only) -> only.name("a")), true, 300));
	}

	@Test
	void searchContinuesToTheEndOfAllQueues() {
		int count = 2 * JobInspector.LOOKED_THROUGH + 5000;
		List<NewJob> jobs = new ArrayList<>(enqueue(count / 2, (i) -> NOW.minusMillis(count - i)));
		jobs.addAll(enqueue(count / 2, (i) -> NOW.plusSeconds(1 + i % 2)));
		jobs.sort(ORDER);
		List<String> needles = jobs.stream().filter(RedisPagingTests::isNeedle).map(NewJob::id).toList();
		JobFilter filter = JobFilter.of((only) -> only.states(JobState.SCHEDULED).text("needle"));
		List<String> ready = pages(JobFilter.of((only) -> only.states(JobState.READY).text("needle")), false, 1000);
		List<String> scheduled = pages(filter, false, 1000);
		assertThat(scheduled).isEqualTo(needles.subList(ready.size(), needles.size()));
		assertThat(ready).containsExactlyInAnyOrderElementsOf(needles.subList(0, ready.size()));
		assertThat(pages(JobFilter.of((only) -> only.text("needle")), true, 2)).hasSameSizeAs(needles);
	}

}
