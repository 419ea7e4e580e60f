package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.store.Change;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.support.ListedJob;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.QueueView;
import dev.jobs.store.view.WorkerView;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The invariants of a store, as far as its inspector shows them.
 */
public final class StoreInvariants {

	/** How many jobs are looked up one by one at most. */
	private static final int LOOK_UPS = 200;

	/**
	 * A time by which nothing was due, so that the only ready jobs are those in line. A
	 * job whose time has come since is not among them until a claim has looked.
	 */
	static final Instant LONG_AGO = Instant.EPOCH;

	private StoreInvariants() {
	}

	/**
	 * Check a store that nobody uses meanwhile.
	 * @param store the store
	 * @param now the time by which it is looked at
	 */
	public static void check(JobStore store, Instant now) {
		check(store, now, Map.of());
	}

	/**
	 * Check a store that nobody uses meanwhile.
	 * @param store the store
	 * @param now the current time
	 * @param payloads what jobs must carry, by id
	 */
	static void check(JobStore store, Instant now, Map<String, byte[]> payloads) {
		JobInspector inspector = store.inspector();
		List<Job> all = AllJobs.of(inspector, JobFilter.all(), now);
		assertThat(all).extracting(Job::id).doesNotHaveDuplicates();
		assertThat(inspector.count(JobFilter.all(), Math.max(all.size(), 1), now))
			.isEqualTo(JobCount.exactly(all.size()));
		for (JobState state : JobState.values()) {
			checkState(inspector, state, all, now);
		}
		all.forEach((job) -> checkJob(job, now, payloads));
		all.stream().limit(LOOK_UPS).forEach((job) -> checkThatIsFound(inspector, job, now, payloads));
		checkCounts(inspector, all, now);
		checkLanes(store, now);
	}

	/**
	 * Check that the views of lanes fit their jobs.
	 * @param store the store, which nobody uses meanwhile
	 * @param now the current time
	 */
	static void checkLanes(JobStore store, Instant now) {
		JobInspector inspector = store.inspector();
		AllJobs.of(inspector, JobFilter.all(), LONG_AGO)
			.stream()
			.collect(Collectors.groupingBy(Job::name))
			.forEach((queue, jobs) -> checkLanes(inspector, queue, jobs, now));
	}

	private static void checkLanes(JobInspector inspector, String queue, List<Job> jobs, Instant now) {
		Map<String, List<Job>> lanes = jobs.stream()
			.filter((job) -> job.lane() != null)
			.collect(Collectors.groupingBy((job) -> String.valueOf(job.lane()), TreeMap::new, Collectors.toList()));
		List<LaneView> listed = new ArrayList<>();
		lanes.forEach((lane, ofIt) -> {
			LaneView view = inspector.lane(queue, lane, now);
			checkCount(view.waiting(), count(ofIt, JobState.READY), "waiting in " + view + " of " + queue);
			checkCount(view.running(), count(ofIt, JobState.RUNNING), "running in " + view + " of " + queue);
			assertThat(view.oldestWaiting()).as("oldest waiting in " + view + " of " + queue)
				.isEqualTo(ofIt.stream()
					.filter((job) -> job.state() == JobState.READY)
					.map(Job::dueAt)
					.min(Comparator.naturalOrder())
					.orElse(null));
			assertThat(view.heldBy() == null || ofIt.stream()
				.anyMatch((job) -> job.id().equals(view.heldBy()) && (job.state() == JobState.SCHEDULED
						|| job.state() == JobState.WAITING || job.state() == JobState.DEAD)))
				.as("whether " + view + " of " + queue + " is kept by one of its jobs that waits or is dead")
				.isTrue();
			if (view.oldestWaiting() != null) {
				listed.add(view);
			}
		});
		assertThat(inspector.lanes(queue, "", JobInspector.LANES_AT_ONCE, now)).as("lanes of " + queue)
			.isEqualTo(listed.subList(0, Math.min(listed.size(), JobInspector.LANES_AT_ONCE)));
	}

	private static void checkCount(JobCount count, long jobs, String what) {
		assertThat(count.number()).as(what).isEqualTo(count.exact() ? jobs : Math.min(jobs, count.number()));
	}

	/**
	 * Check that no key outlives its owner, whatever took that away.
	 * @param store the store, empty afterwards save for new jobs
	 * @param now the current time
	 * @param jobs jobs with the keys to check
	 */
	static void checkThatPurgeFreesKeys(JobStore store, Instant now, Collection<NewJob> jobs) {
		store.change(List.of(new Change.Purge()), now);
		assertThat(store.inspector().count(JobFilter.all(), 1, now).number()).isZero();
		Map<Object, NewJob> byKey = new HashMap<>();
		jobs.forEach((job) -> byKey.put(nameOf(job), job));
		assertThat(store.enqueue(List.copyOf(byKey.values()), now)).allMatch((enqueued) -> enqueued.isNew());
	}

	private static Object nameOf(NewJob job) {
		NewJob.UniqueKey key = job.uniqueKey();
		if (key == null) {
			return job.id();
		}
		boolean global = key.scope() == dev.jobs.Unique.Scope.NAMESPACE;
		return List.of(global, global ? "" : job.name(), key.digest());
	}

	private static void checkState(JobInspector inspector, JobState state, List<Job> all, Instant now) {
		List<String> expected = all.stream().filter((job) -> job.state() == state).map(Job::id).sorted().toList();
		List<Job> found = AllJobs.of(inspector, JobFilter.of((only) -> only.states(state)), now);
		// Sorted, since it takes minutes to compare thousands in any order.
		assertThat(found.stream().map(Job::id).sorted().toList()).as("jobs in state " + state).isEqualTo(expected);
	}

	private static void checkJob(Job job, Instant now, Map<String, byte[]> payloads) {
		assertThat(job.run() != null).as("run of " + job).isEqualTo(job.state() == JobState.RUNNING);
		if (job.state().isWaiting()) {
			assertThat(job.state() != JobState.READY).as("state of " + job).isEqualTo(job.dueAt().isAfter(now));
			assertThat(job.state() != JobState.WAITING || job.trail().waitsFor() != null)
				.as("what " + job + " waits for")
				.isTrue();
		}
		if (payloads.containsKey(job.id())) {
			byte[] payload = payloads.get(job.id());
			assertThat(job.payloadSize()).as("size of the payload of " + job).isEqualTo(payload.length);
			assertThat(job.payloadPreview()).as("begin of the payload of " + job)
				.isEqualTo(Arrays.copyOf(payload, Math.min(payload.length, Job.LONGEST_PREVIEW)));
		}
	}

	private static void checkThatIsFound(JobInspector inspector, Job job, Instant now, Map<String, byte[]> payloads) {
		Job looked = inspector.job(job.id(), now).orElseThrow(() -> new AssertionError(job + " is not found by id"));
		assertThat(looked.payload()).as("payload of " + job)
			.isEqualTo(payloads.getOrDefault(job.id(), looked.payload()));
		// Byte by byte with the path of each, a large payload would take many seconds.
		assertThat(ListedJob.listed(looked)).usingRecursiveComparison()
			.withEqualsForType(Arrays::equals, byte[].class)
			.isEqualTo(job);
	}

	private static void checkCounts(JobInspector inspector, List<Job> all, Instant now) {
		List<QueueView> queues = inspector.queues(now);
		assertThat(queues).extracting(QueueView::name).doesNotHaveDuplicates().isSorted();
		Map<String, List<Job>> byQueue = all.stream().collect(Collectors.groupingBy(Job::name));
		assertThat(queues).extracting(QueueView::name).containsAll(byQueue.keySet());
		for (QueueView queue : queues) {
			List<Job> jobs = byQueue.getOrDefault(queue.name(), List.of());
			assertThat(queue.ready()).as("ready in " + queue).isEqualTo(count(jobs, JobState.READY));
			assertThat(queue.scheduled()).as("scheduled in " + queue).isEqualTo(count(jobs, JobState.SCHEDULED));
			assertThat(queue.parked()).as("parked in " + queue).isEqualTo(count(jobs, JobState.WAITING));
			assertThat(queue.running()).as("running in " + queue).isEqualTo(count(jobs, JobState.RUNNING));
			assertThat(queue.dead()).as("dead in " + queue).isEqualTo(count(jobs, JobState.DEAD));
			assertThat(queue.history()).as("history in " + queue)
				.isEqualTo(count(jobs, JobState.SUCCEEDED) + count(jobs, JobState.CANCELLED));
			assertThat(queue.oldestReady() != null).as("oldest ready in " + queue).isEqualTo(queue.ready() > 0);
		}
		for (WorkerView worker : inspector.workers(now)) {
			long held = all.stream()
				.filter((job) -> job.run() != null && job.run().worker().equals(worker.id()))
				.count();
			assertThat(worker.running()).as("held by " + worker).isEqualTo(held);
		}
	}

	private static long count(List<Job> jobs, JobState state) {
		return jobs.stream().filter((job) -> job.state() == state).count();
	}

}
