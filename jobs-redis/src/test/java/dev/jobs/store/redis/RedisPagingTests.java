package dev.jobs.store.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.Change;
import dev.jobs.store.JobInspector;
import dev.jobs.store.JobInspector.Page;
import dev.jobs.store.JobInspector.Range;
import dev.jobs.store.NewJob;
import dev.jobs.store.WorkerBeat;
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
		return new NewJob(id, queue, payload.getBytes(StandardCharsets.UTF_8), Map.of(), due.isAfter(NOW) ? NOW : due,
				due, null, 0);
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

	private Page page(JobFilter filter, Range range) {
		return this.store.inspector().page(filter, range, NOW);
	}

	private List<String> ids(JobFilter filter, Range range) {
		return page(filter, range).jobs().stream().map(Job::id).toList();
	}

	/**
	 * Return the ids of all pages.
	 */
	private List<String> pages(JobFilter filter, boolean newestFirst, int size) {
		List<String> ids = new ArrayList<>();
		long total = page(filter, new Range(0, 0, newestFirst)).total();
		for (long from = 0; from < total; from += size) {
			ids.addAll(ids(filter, new Range(from, size, newestFirst)));
		}
		assertThat(ids).hasSize((int) total).doesNotHaveDuplicates();
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
		jobs.addAll(enqueue(3000, (i) -> NOW.minusMillis(5000 - i)));
		jobs.sort(ORDER);
		List<String> ids = jobs.stream().map(NewJob::id).toList();
		assertThat(pages(JobFilter.all(), false, 997)).isEqualTo(ids);
		assertThat(pages(JobFilter.all(), true, 1000)).isEqualTo(reversed(ids));
		for (int i = 0; i < 10; i++) {
			int from = this.random.nextInt(ids.size() - 20);
			assertThat(ids(JobFilter.all(), new Range(from, 20, false))).isEqualTo(ids.subList(from, from + 20));
			assertThat(ids(JobFilter.all(), new Range(from, 20, true)))
				.isEqualTo(reversed(ids).subList(from, from + 20));
		}
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
		JobFilter ready = JobFilter.all().states(JobState.READY);
		for (JobFilter filter : List.of(ready, JobFilter.all())) {
			List<String> ids = pages(filter, false, 700);
			assertThat(ids).hasSize(jobs.size() - deleted.size());
			assertThat(pages(filter, false, 333)).containsExactlyInAnyOrderElementsOf(ids);
			assertThat(pages(filter, true, 401)).containsExactlyInAnyOrderElementsOf(ids);
		}
		assertThat(pages(ready.name("a"), false, 100)).hasSameElementsAs(pages(ready.name("a"), true, 300));
	}

	@Test
	void searchGoesOnToTheEndOfAllQueues() {
		int count = 2 * JobInspector.LOOKED_THROUGH + 5000;
		List<NewJob> jobs = new ArrayList<>(enqueue(count / 2, (i) -> NOW.minusMillis(count - i)));
		jobs.addAll(enqueue(count / 2, (i) -> NOW.plusSeconds(1 + i % 2)));
		jobs.sort(ORDER);
		List<String> needles = jobs.stream().filter(RedisPagingTests::isNeedle).map(NewJob::id).toList();
		JobFilter filter = JobFilter.all().text("needle");
		Page page = page(filter, new Range(0, 1000, false));
		List<String> found = new ArrayList<>();
		for (int searched = JobInspector.LOOKED_THROUGH; !page.complete(); searched += JobInspector.LOOKED_THROUGH) {
			assertThat(page.searched()).isEqualTo(searched);
			page.jobs().forEach((job) -> found.add(job.id()));
			page = page(filter, new Range(0, 1000, false).goingOnAt(page));
		}
		page.jobs().forEach((job) -> found.add(job.id()));
		assertThat(page.searched()).isEqualTo(jobs.size());
		assertThat(found).isEqualTo(needles).hasSizeGreaterThan(1);
		int from = jobs.size() - 10;
		assertThat(ids(JobFilter.all(), new Range(from, 20, false)))
			.isEqualTo(jobs.subList(from, jobs.size()).stream().map(NewJob::id).toList());
	}

}
