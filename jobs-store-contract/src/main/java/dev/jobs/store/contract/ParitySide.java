package dev.jobs.store.contract;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.Trail;
import dev.jobs.store.BeatReply;
import dev.jobs.store.Claim;
import dev.jobs.store.ClaimReply;
import dev.jobs.store.ClaimRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.support.TrailBuilder;
import dev.jobs.store.view.EndView;
import dev.jobs.store.view.GateView;
import dev.jobs.store.view.JobInspector;
import dev.jobs.store.view.LaneView;
import dev.jobs.store.view.QueueView;

/**
 * One of two stores that are compared. It shows the token of a job as a number, which is
 * the same for both: which jobs share a token is left open.
 */
final class ParitySide {

	private final JobStore store;

	private final List<Holding> holdings = new ArrayList<>();

	ParitySide(JobStore store) {
		this.store = store;
	}

	JobStore store() {
		return this.store;
	}

	long token(int number) {
		return this.holdings.get(number).token();
	}

	private int number(String job, long token) {
		Holding holding = new Holding(job, token);
		if (!this.holdings.contains(holding)) {
			this.holdings.add(holding);
		}
		return this.holdings.lastIndexOf(holding);
	}

	Held held(Claim claim) {
		return new Held(claim.job().id(), claim.job().name(), number(claim.job().id(), claim.token()),
				claim.job().trail(), describe(claim.job()));
	}

	/**
	 * Describe a reply with when the rates of what gave jobs give the next permit.
	 */
	List<Object> describe(ClaimRequest request, ClaimReply reply) {
		List<Object> described = new ArrayList<>(reply.claims().stream().map(this::held).toList());
		described.addAll(reply.queues().stream().sorted(Comparator.comparing(ClaimReply.Left::queue)).toList());
		for (ClaimRequest.Quota quota : request.quotas()) {
			ClaimRequest.Rates rates = quota.rates();
			Set<String> gates = new TreeSet<>();
			reply.claims().stream().map(Claim::job).filter((job) -> job.name().equals(quota.queue())).forEach((job) -> {
				if (rates != null && rates.ofQueue() != null) {
					gates.add("");
				}
				if (rates != null && rates.ofLane() != null && job.lane() != null) {
					gates.add(job.lane());
				}
			});
			gates.forEach((lane) -> described.add("next permit of " + quota.queue() + " " + lane + " at "
					+ this.store.inspector().gate(quota.queue(), lane, request.now()).permitAt()));
		}
		return described;
	}

	List<Object> describeTaken(ClaimReply reply) {
		return new ArrayList<>(reply.claims()
			.stream()
			.sorted(Comparator.comparing((claim) -> claim.job().id()))
			.map(this::held)
			.toList());
	}

	/**
	 * Of the open tokens the jobs that are held under them are shown, and their number.
	 */
	List<Object> describe(BeatReply reply, Instant now) {
		Set<String> held = new TreeSet<>();
		for (Job job : AllJobs.of(this.store.inspector(), JobFilter.of((only) -> only.states(JobState.RUNNING)), now)) {
			Job.Run run = job.run();
			if (run != null && reply.openTokens().contains(run.token())) {
				held.add(job.id());
			}
		}
		return List.of(held, reply.held().values().stream().mapToInt(Integer::intValue).sum(),
				new TreeSet<>(reply.cancelled()));
	}

	/** The next permit of a lane may outlive its rate, so stores may differ in it. */
	private static String describe(LaneView lane) {
		return new LaneView(lane.name(), lane.waiting(), lane.running(), lane.oldestWaiting(), lane.heldBy(),
				GateView.OPEN, lane.settings(), lane.limit())
			.toString();
	}

	List<String> saved(String queue, String job) {
		return this.store.inspector()
			.saved(queue, job)
			.stream()
			.map((saved) -> List.of(saved.name(), HexFormat.of().formatHex(saved.value()), saved.savedAt()).toString())
			.toList();
	}

	List<String> ends(Collection<String> jobs, Instant now) {
		Map<String, EndView> ends = this.store.inspector().ends(jobs, now);
		return new TreeMap<>(ends).entrySet()
			.stream()
			.map((end) -> end.getKey() + " " + end.getValue().state() + " " + end.getValue().trail() + " "
					+ (end.getValue().value() != null ? HexFormat.of().formatHex(end.getValue().value()) : "-"))
			.toList();
	}

	List<String> views(Instant now) {
		JobInspector inspector = this.store.inspector();
		List<String> views = new ArrayList<>();
		inspector.queues(now).forEach((queue) -> views.add(describe(queue)));
		inspector.queues(now).forEach((queue) -> {
			views.add(inspector.laneSettings(queue.name()).toString());
			inspector.lanes(queue.name(), "", 100, now).forEach((lane) -> views.add(describe(lane)));
			views.add(queue.name() + " is held until " + inspector.gate(queue.name(), "", now).heldUntil());
			RandomVerbs.LANES.forEach((lane) -> views.add(describe(inspector.lane(queue.name(), lane, now)) + " of "
					+ queue.name() + " is held until " + inspector.gate(queue.name(), lane, now).heldUntil()));
		});
		inspector.workers(now).forEach((worker) -> views.add(worker.toString()));
		inspector.schedules().forEach((schedule) -> views.add(schedule.toString()));
		views.add(inspector.dueSchedules(now, null, 100).toString());
		inspector.operatorSettings().forEach((setting) -> views.add(setting.toString()));
		List<Job> jobs = AllJobs.of(inspector, JobFilter.all(), now);
		jobs.stream().filter((job) -> job.state() != JobState.READY).forEach((job) -> views.add(describe(job)));
		jobs.stream()
			.filter((job) -> job.state() == JobState.READY)
			.sorted(Comparator.comparing(Job::id))
			.forEach((job) -> views.add(describe(job)));
		return views;
	}

	private static String describe(QueueView queue) {
		boolean anyReady = queue.oldestReady() != null;
		return queue.withOldestReady(null) + " any ready " + anyReady;
	}

	private String describe(Job job) {
		Job.Run run = job.run();
		String running = (run != null) ? List
			.of(run.worker(), number(job.id(), run.token()), run.startedAt(), Optional.ofNullable(run.progress()),
					run.cancelRequested())
			.toString() : "";
		return List
			.of(job.id(), job.name(), job.isListed(), job.payloadSize(), HexFormat.of().formatHex(job.payloadPreview()),
					new TreeMap<>(job.headers()), job.state(), job.createdAt(), job.dueAt(), withoutWords(job.trail()),
					running)
			.toString();
	}

	/**
	 * A store that lets a stranded job die says so in its own words.
	 */
	private static Trail withoutWords(Trail trail) {
		Trail.End end = trail.end();
		if (end == null || end.reason() != DeadReason.NO_HANDLER) {
			return trail;
		}
		return TrailBuilder.ended(trail, Trail.End.of(end.reason(), "", end.at()));
	}

	/**
	 * That a job is, or was, held.
	 *
	 * @param job the job
	 * @param token its token
	 */
	private record Holding(String job, long token) {

	}

	/**
	 * A job that a reply gave.
	 *
	 * @param id the job
	 * @param queue its queue
	 * @param token the number of its token
	 * @param trail its trail
	 * @param description all of it
	 */
	record Held(String id, String queue, int token, Trail trail, String description) {

	}

}
