package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Rate;
import dev.jobs.store.Change;
import dev.jobs.store.Changed;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.ClaimRequest.Quota;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import dev.jobs.store.Settled;
import dev.jobs.store.Tick;
import dev.jobs.store.TickReply;
import dev.jobs.store.Transition;
import dev.jobs.store.view.LaneSettingsView;
import dev.jobs.store.view.QueueView;
import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks of each claim, by what the inspector shows, that it gave no job that had to wait
 * and left none that could start: no limit, pause, hold or rate of a queue or a lane is
 * passed, a lane keeps its order, and no lane that may give jobs is stuck.
 */
final class ClaimRules extends ForwardingStore {

	private static final Comparator<Job> ORDER = Comparator.comparing(Job::dueAt).thenComparing(Job::id);

	/** The lanes whose place jobs keep for certain, by the id of the job. */
	private final Map<String, String> kept = new HashMap<>();

	/** The jobs that did so once, and may still. */
	private final Set<String> everKept = new HashSet<>();

	/** What rates have counted, by queue and lane. */
	private final Map<List<String>, Starts> starts = new HashMap<>();

	/** The rates of the lanes of each queue, and when they changed. */
	private final Map<String, LaneRate> laneRates = new HashMap<>();

	/** The longest window of a lane, in milliseconds. */
	private long longest;

	ClaimRules(JobStore target) {
		super(target);
	}

	@Override
	public List<Enqueued> enqueue(List<NewJob> jobs, Instant now) {
		List<Enqueued> reply = super.enqueue(jobs, now);
		reply.forEach((enqueued) -> this.kept.remove(enqueued.id()));
		return reply;
	}

	@Override
	public List<TickReply> fireTicks(List<Tick> ticks, Instant now) {
		List<TickReply> reply = super.fireTicks(ticks, now);
		reply.stream()
			.map(TickReply::enqueued)
			.filter(Objects::nonNull)
			.forEach((enqueued) -> this.kept.remove(enqueued.id()));
		return reply;
	}

	@Override
	public List<Changed> change(List<Change> changes, Instant now) {
		for (Change change : changes) {
			if (change instanceof Change.Purge) {
				this.kept.clear();
				this.starts.clear();
				this.laneRates.clear();
			}
			else if (change instanceof Change.Cancel || change instanceof Change.Delete
					|| change instanceof Change.SetStanding) {
				this.kept.remove(((Change.OfJob) change).id());
			}
		}
		return super.change(changes, now);
	}

	@Override
	public Pruned prune(PruneRequest request) {
		this.kept.clear();
		return super.prune(request);
	}

	@Override
	public List<Settled> settle(List<Transition> transitions, Instant now) {
		List<Settled> reply = super.settle(transitions, now);
		for (int i = 0; i < reply.size(); i++) {
			Transition transition = transitions.get(i);
			if (reply.get(i) == Settled.APPLIED) {
				this.kept.remove(transition.id());
				String lane = transition.keepsLane() ? inspector().job(transition.id(), now).map(Job::lane).orElse(null)
						: null;
				if (lane != null) {
					this.kept.put(transition.id(), lane);
					this.everKept.add(transition.id());
				}
			}
		}
		return reply;
	}

	@Override
	public ClaimReply claim(ClaimRequest request) {
		ClaimReply reply = super.claim(request);
		List<Job> jobs = AllJobs.of(inspector(), JobFilter.all(), StoreInvariants.LONG_AGO);
		List<Job> given = reply.claims().stream().map(Claim::job).toList();
		boolean wanted = given.size() < request.limit() && inspector().workers(request.now())
			.stream()
			.anyMatch((worker) -> worker.id().equals(request.worker()));
		for (Quota quota : request.quotas()) {
			Predicate<Job> ofQueue = (job) -> job.name().equals(quota.queue());
			List<Job> ofIt = given.stream().filter(ofQueue).toList();
			inspector().queue(quota.queue(), request.now())
				.ifPresent((queue) -> check(queue, quota, jobs.stream().filter(ofQueue).toList(), ofIt,
						wanted && ofIt.size() < quota.most(), request.now()));
		}
		return reply;
	}

	private void check(QueueView queue, Quota quota, List<Job> jobs, List<Job> given, boolean wanted, Instant now) {
		int limit = (queue.limit() >= 0) ? queue.limit() : quota.maxRunning();
		int most = queue.paused() ? -1 : limit;
		boolean open = check(queue.name(), "", most, (quota.rates() != null) ? quota.rates().ofQueue() : null, quota,
				queue.running(), given, now);
		Rate ofLanes = (quota.rates() != null) ? quota.rates().ofLane() : null;
		boolean lanesAreRatedAsBefore = areRatedAsBefore(queue.name(), ofLanes, quota, now);
		Map<String, List<Job>> inLine = byLane(jobs, JobState.READY);
		Map<String, List<Job>> running = byLane(jobs, JobState.RUNNING);
		Map<String, List<Job>> givenOf = given.stream().collect(Collectors.groupingBy(ClaimRules::lane));
		Map<String, LaneSettingsView> settings = inspector().laneSettings(queue.name());
		for (String lane : Stream.of(inLine, givenOf).flatMap((lanes) -> lanes.keySet().stream()).distinct().toList()) {
			boolean laneOpen = true;
			if (!lane.isEmpty()) {
				boolean isKept = inspector().lane(queue.name(), lane, now).heldBy() != null;
				int mostInLane = settings.getOrDefault(lane, LaneSettingsView.NONE).most(quota.maxInLane());
				List<Job> ofLane = givenOf.getOrDefault(lane, List.of());
				assertThat(isKept || jobs.stream().noneMatch((job) -> isSetAside(job, lane)))
					.as("whether the lane '" + lane + "' of " + queue + " is kept by a job that waits or is dead")
					.isTrue();
				laneOpen = check(queue.name(), lane, mostInLane, ofLanes, quota,
						running.getOrDefault(lane, List.of()).size() + (isKept ? 1 : 0), ofLane, now)
						&& !(isKept && mostInLane > 0) && lanesAreRatedAsBefore;
				checkOrder(lane, ofLane, inLine.getOrDefault(lane, List.of()));
			}
			if (wanted && open && laneOpen) {
				assertThat(inLine.getOrDefault(lane, List.of()))
					.as("jobs of the lane '" + lane + "' of " + queue + " that may start but were not given for "
							+ quota)
					.isEmpty();
			}
		}
	}

	/**
	 * Return whether a job keeps the place of a lane though it is not in line.
	 */
	private boolean isSetAside(Job job, String lane) {
		return lane.equals(this.kept.get(job.id())) && lane.equals(job.lane()) && (job.state() == JobState.SCHEDULED
				|| job.state() == JobState.WAITING || job.state() == JobState.DEAD);
	}

	/**
	 * Return whether lanes have had their rate for so long that none waits for a permit
	 * by another.
	 */
	private boolean areRatedAsBefore(String queue, @Nullable Rate rate, Quota quota, Instant now) {
		if (rate != null && quota.rates() != null) {
			this.longest = Math.max(this.longest, rate.getWindow().plus(quota.rates().patience()).toMillis());
		}
		LaneRate known = this.laneRates.get(queue);
		if (known == null || !Objects.equals(known.rate(), rate)) {
			this.laneRates.put(queue, new LaneRate(rate, now));
			return false;
		}
		return now.isAfter(known.since().plusMillis(this.longest));
	}

	/**
	 * Check a queue or a lane of it.
	 * @param most how many of its jobs may run; 0 for any number, -1 if none may start
	 * @return whether it may give more jobs for certain
	 */
	private boolean check(String queue, String lane, int most, @Nullable Rate rate, Quota quota, long running,
			List<Job> given, Instant now) {
		String what = "the lane '" + lane + "' of " + queue + " for " + quota;
		boolean held = inspector().gate(queue, lane, now).heldUntil() != null;
		Starts counted = this.starts.computeIfAbsent(List.of(queue, lane), (key) -> new Starts());
		if (!given.isEmpty()) {
			assertThat(most).as("most that may run of " + what).isNotNegative();
			assertThat(running).as("how many run of " + what).isLessThanOrEqualTo((most > 0) ? most : Long.MAX_VALUE);
			assertThat(held).as("whether it is held back, " + what).isFalse();
			if (rate != null && quota.rates() != null) {
				counted.add(rate, now.toEpochMilli(), quota.rates().patience().toMillis(), given.size());
				assertThat(counted.passes(rate, now.toEpochMilli())).as("whether starts pass the rate of " + what)
					.isFalse();
			}
		}
		return most >= 0 && (most == 0 || running < most) && !held
				&& (rate == null || counted.leavesRoom(rate, now.toEpochMilli()));
	}

	/**
	 * Check that the jobs that keep the place of a lane come first, and the others in
	 * their order.
	 */
	private void checkOrder(String lane, List<Job> given, List<Job> inLine) {
		List<Job> others = given.stream().filter((job) -> !this.everKept.contains(job.id())).toList();
		if (!others.isEmpty()) {
			assertThat(inLine).as("jobs in line of the lane '" + lane + "' that gave " + given)
				.noneMatch((job) -> lane.equals(this.kept.get(job.id())));
		}
		for (Job left : inLine) {
			assertThat(others.stream().filter((job) -> job.urgency() == left.urgency()))
				.as("jobs given before " + left + " of their lane")
				.allMatch((job) -> ORDER.compare(job, left) < 0 || this.everKept.contains(left.id()));
		}
	}

	private static Map<String, List<Job>> byLane(List<Job> jobs, JobState state) {
		return jobs.stream().filter((job) -> job.state() == state).collect(Collectors.groupingBy(ClaimRules::lane));
	}

	private static String lane(Job job) {
		return Objects.requireNonNullElse(job.lane(), "");
	}

	/**
	 * The rate of the lanes of a queue.
	 *
	 * @param rate the rate, or {@code null} for none
	 * @param since when it came
	 */
	private record LaneRate(@Nullable Rate rate, Instant since) {

	}

	/**
	 * What rates have counted of a queue, or of a lane. A claim says until when its jobs
	 * may start, so the exact number in a window is open.
	 */
	private static final class Starts {

		private final List<long[]> all = new ArrayList<>();

		private @Nullable Rate rate;

		/** Where those begin that were counted for this rate. */
		private int since;

		void add(Rate rate, long now, long patience, int count) {
			if (!rate.equals(this.rate)) {
				this.rate = rate;
				this.since = this.all.size();
			}
			this.all.add(new long[] { now + patience, count });
		}

		boolean passes(Rate rate, long now) {
			List<long[]> certain = this.all.subList(this.since, this.all.size());
			return count(certain, now - rate.getWindow().toMillis()) > rate.getStarts()
					|| count(certain, now - part(rate)) > rate.getBurst();
		}

		/** A store may count starts as those of the latest, and a little longer. */
		boolean leavesRoom(Rate rate, long now) {
			long longer = this.all.stream().mapToLong((start) -> start[0]).max().orElse(0) - now;
			long from = now - Math.max(longer, 0) - 2;
			return count(this.all, from - rate.getWindow().toMillis()) < rate.getStarts()
					&& count(this.all, from - part(rate)) < rate.getBurst();
		}

		private static long part(Rate rate) {
			return (rate.getWindow().toMillis() * rate.getBurst() + rate.getStarts() - 1) / rate.getStarts();
		}

		private static long count(List<long[]> starts, long after) {
			return starts.stream().filter((start) -> start[0] > after).mapToLong((start) -> start[1]).sum();
		}

	}

}
