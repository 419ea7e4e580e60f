package dev.jobs.actuate.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.jobs.DeadReason;
import dev.jobs.Job;
import dev.jobs.JobState;
import dev.jobs.QueueSettings;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.StoreStatus;
import dev.jobs.Trail;
import dev.jobs.WaitReason;
import dev.jobs.WorkerStatus;
import dev.jobs.engine.EngineStatus;
import dev.jobs.engine.JobEngine;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The bodies of the endpoint's answers, each made of what the operations and the engine
 * return.
 */
final class Described {

	private Described() {
	}

	/**
	 * A refusal or a fault.
	 *
	 * @param error what went wrong
	 */
	record Problem(String error) implements OperationResponseBody {

	}

	/**
	 * Everything at a glance.
	 *
	 * @param totals the sums of all queues
	 * @param queues the queues
	 * @param workers the live workers of all processes
	 * @param schedules the schedules
	 * @param store the store
	 * @param engine this process
	 */
	record Overview(@Nullable Totals totals, List<Queue> queues, List<Worker> workers, List<Schedule> schedules,
			Store store, Engine engine) implements OperationResponseBody {

	}

	/**
	 * The sums of all queues.
	 *
	 * @param ready jobs that wait for a worker
	 * @param scheduled jobs not yet due, those that failed before left out
	 * @param retrying jobs that failed before and are not yet due
	 * @param running jobs held by workers
	 * @param dead dead jobs that are kept
	 * @param history ended jobs kept
	 * @param atLeast which of the numbers say how many there are at least
	 */
	record Totals(long ready, long scheduled, long retrying, long running, long dead, long history,
			Set<String> atLeast) {

		static Totals of(List<QueueStatus> queues) {
			long[] sums = new long[6];
			Set<String> atLeast = new TreeSet<>();
			for (QueueStatus queue : queues) {
				sums[0] += queue.ready();
				sums[1] += queue.scheduled() - queue.retrying();
				sums[2] += queue.retrying();
				sums[3] += queue.running();
				sums[4] += queue.dead();
				sums[5] += queue.history();
				atLeast.addAll(queue.atLeast());
			}
			return new Totals(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], atLeast);
		}

	}

	/**
	 * All queues.
	 *
	 * @param queues the queues
	 */
	record Queues(List<Queue> queues) implements OperationResponseBody {

	}

	/**
	 * A queue.
	 *
	 * @param name its name
	 * @param ready jobs that wait for a worker
	 * @param scheduled jobs not yet due, those that failed before left out
	 * @param retrying jobs that failed before and are not yet due
	 * @param running jobs held by workers
	 * @param dead dead jobs that are kept
	 * @param history ended jobs kept
	 * @param oldestReady since when the longest waiting one has been due
	 * @param latencySeconds how long that is
	 * @param paused whether it is paused
	 * @param limit the stored running limit, or {@code null} if the workers' one counts
	 * @param settings what operators have set, who did and when
	 * @param limitAmongWorkers how many of its jobs the live workers run at once by
	 * whichever limit counts, or {@code null} for any number
	 * @param served whether a live worker has a handler for it
	 * @param handledHere whether this process has one
	 * @param atLeast which of the numbers of jobs say how many there are at least
	 */
	record Queue(String name, long ready, long scheduled, long retrying, long running, long dead, long history,
			@Nullable Instant oldestReady, double latencySeconds, boolean paused, @Nullable Integer limit,
			QueueSettings settings, @Nullable Long limitAmongWorkers, boolean served, boolean handledHere,
			Set<String> atLeast) implements OperationResponseBody {

		static Queue of(QueueStatus view, List<WorkerStatus> workers, Set<String> handlers, Instant now) {
			long limit = view.limitAmong(workers);
			Instant oldest = view.oldestReady();
			return new Queue(view.name(), view.ready(), view.scheduled() - view.retrying(), view.retrying(),
					view.running(), view.dead(), view.history(), oldest,
					(oldest != null && oldest.isBefore(now)) ? seconds(Duration.between(oldest, now)) : 0,
					view.paused(), (view.limit() >= 0) ? view.limit() : null, view.settings(),
					(limit > 0) ? limit : null, view.served(), handlers.contains(view.name()), view.atLeast());
		}

	}

	/**
	 * All live workers.
	 *
	 * @param workers the workers
	 */
	record Workers(List<Worker> workers) implements OperationResponseBody {

	}

	/**
	 * A worker.
	 *
	 * @param id its id
	 * @param host its host
	 * @param pid its process
	 * @param version the version of its application
	 * @param startedAt when it started
	 * @param lastBeat its last sign of life
	 * @param leaseUntil until when it counts as alive
	 * @param running how many jobs it holds
	 * @param pools its pools
	 * @param jobs the jobs it holds, if asked for
	 */
	record Worker(String id, @Nullable String host, @Nullable Long pid, @Nullable String version,
			@Nullable Instant startedAt, Instant lastBeat, Instant leaseUntil, long running, List<Pool> pools,
			@Nullable List<JobBody> jobs) {

		static Worker of(WorkerStatus view, @Nullable List<JobBody> jobs) {
			WorkerStatus.Info info = view.info();
			return (info != null)
					? new Worker(view.id(), info.host(), info.pid(), info.version(), info.startedAt(), view.lastBeat(),
							view.leaseUntil(), view.running(), info.pools().stream().map(Pool::of).toList(), jobs)
					: new Worker(view.id(), null, null, null, null, view.lastBeat(), view.leaseUntil(), view.running(),
							List.of(), jobs);
		}

	}

	/**
	 * A pool of a worker.
	 *
	 * @param name its name
	 * @param concurrency how many jobs it runs at once
	 * @param busy how many it ran at the worker's last report
	 * @param queues the queues it serves, sorted
	 */
	record Pool(String name, int concurrency, int busy, List<String> queues) {

		static Pool of(WorkerStatus.Pool pool) {
			return new Pool(pool.name(), pool.concurrency(), pool.busy(), pool.queues());
		}

	}

	/**
	 * All schedules.
	 *
	 * @param schedules the schedules
	 */
	record Schedules(List<Schedule> schedules) implements OperationResponseBody {

	}

	/**
	 * A schedule.
	 *
	 * @param name its name
	 * @param jobName the name of its jobs
	 * @param expression when it ticks, or what is stored if that is not understood
	 * @param zone where its expression is read, or {@code null} if that is not understood
	 * @param last its latest tick that was fired, or {@code null} if none was
	 * @param next its next tick, or {@code null} if there is none
	 * @param broken whether what is stored is not understood here
	 * @param overdueSince the earliest tick that has passed without being fired
	 * @param paused whether it is paused
	 * @param definedHere whether this process defines it, so that it can be triggered
	 * @param runs what became of its latest ticks, if asked for
	 */
	record Schedule(String name, String jobName, String expression, @Nullable String zone, @Nullable Instant last,
			@Nullable Instant next, boolean broken, @Nullable Instant overdueSince, boolean paused, boolean definedHere,
			@Nullable List<Run> runs) implements OperationResponseBody {

		Schedule with(List<ScheduleStatus.Run> runs) {
			return new Schedule(this.name, this.jobName, this.expression, this.zone, this.last, this.next, this.broken,
					this.overdueSince, this.paused, this.definedHere, runs.stream().map(Run::of).toList());
		}

		static Schedule of(ScheduleStatus status) {
			String expression = status.expression();
			return new Schedule(status.name(), status.jobName(),
					(expression != null) ? expression : status.definition(),
					(status.zone() != null) ? status.zone().toString() : null, status.last(), status.next(),
					expression == null, status.overdueSince(), status.paused(), status.definedHere(), null);
		}

	}

	/**
	 * What became of a tick of a schedule.
	 *
	 * @param tick the tick
	 * @param firedAt when it was fired
	 * @param fate what became of its job
	 * @param jobId the job, or the one that was in its way
	 * @param passedOver how many ticks between the one before and this one were not fired
	 */
	record Run(Instant tick, Instant firedAt, ScheduleStatus.Fate fate, String jobId, int passedOver) {

		static Run of(ScheduleStatus.Run run) {
			return new Run(run.tick(), run.firedAt(), run.fate(), run.jobId(), run.passedOver());
		}

	}

	/**
	 * The store.
	 *
	 * @param kind what it keeps jobs in
	 * @param durability what is certain once an enqueue returns
	 * @param reachable whether it answers
	 * @param error why not
	 * @param repairs what was repaired in it, and how often
	 */
	record Store(String kind, String durability, boolean reachable, @Nullable String error,
			Map<String, Long> repairs) implements OperationResponseBody {

		static Store of(StoreStatus view, @Nullable Exception fault) {
			return new Store(view.kind(), view.durability(), fault == null, (fault != null) ? fault.getMessage() : null,
					view.repairs());
		}

	}

	/**
	 * The engine of this process.
	 *
	 * @param running whether it is started
	 * @param handlers its handlers, sorted
	 * @param busy how many jobs it runs
	 * @param stuck the jobs that are still running although they were asked to stop
	 * @param loops its loops
	 */
	record Engine(boolean running, List<String> handlers, int busy, List<String> stuck, List<Loop> loops) {

		static Engine of(JobEngine engine) {
			EngineStatus status = engine.status();
			return new Engine(status.running(), engine.handlers().stream().sorted().toList(), status.busy(),
					status.stuck(),
					status.loops()
						.stream()
						.map((loop) -> new Loop(loop.name(), loop.lastSuccess(), loop.faults(), seconds(loop.lag())))
						.toList());
		}

	}

	/**
	 * A loop of the engine.
	 *
	 * @param name its name
	 * @param lastSuccess when it last went well
	 * @param faults how often it has failed since
	 * @param lagSeconds how long its next success has been awaited
	 */
	record Loop(String name, Instant lastSuccess, int faults, double lagSeconds) {

	}

	/**
	 * A page of jobs.
	 *
	 * @param jobs the jobs
	 * @param next the cursor of the page that follows, which is given as {@code after},
	 * or {@code null} if this is the last
	 * @param total how many jobs there are in all; on the first page only, and not where
	 * text is looked for
	 * @param exact whether there are no more than the total
	 */
	record JobPage(List<JobBody> jobs, @Nullable String next, @Nullable Long total,
			@Nullable Boolean exact) implements OperationResponseBody {

	}

	/**
	 * A job.
	 *
	 * @param id its id
	 * @param name its name, which is that of its queue
	 * @param state where it stands
	 * @param attempt the number of the attempt that runs now or will run next, or of the
	 * last one
	 * @param tags its tags
	 * @param createdAt when it was enqueued
	 * @param dueAt when it may run next, or might have run
	 * @param payload its payload, as far as it is shown
	 * @param headers its headers, as far as they are shown
	 * @param failures attempts that failed
	 * @param abandonments deliveries whose worker vanished
	 * @param postponements times it was put off
	 * @param endedAt when it died, succeeded or was cancelled
	 * @param lastError the error of its latest failed attempt
	 * @param end how it died
	 * @param run the delivery in progress
	 * @param waits why it does not run, if it waits and that is asked for
	 * @param attempts the latest ended attempts, if asked for
	 * @param timeline what happened when, if asked for
	 */
	record JobBody(String id, String name, JobState state, int attempt, List<String> tags, Instant createdAt,
			Instant dueAt, @JsonInclude(content = JsonInclude.Include.ALWAYS) @Nullable Object payload,
			Map<String, Object> headers, int failures, int abandonments, int postponements, @Nullable Instant endedAt,
			@Nullable String lastError, @Nullable End end, @Nullable Delivery run, @Nullable Wait waits,
			@Nullable List<Attempt> attempts, @Nullable List<Moment> timeline) implements OperationResponseBody {

		static JobBody of(Job job, JobValues values, boolean shown) {
			return of(job, values, shown, false, null);
		}

		static JobBody whole(Job job, JobValues values, boolean shown, @Nullable WaitReason reason) {
			return of(job, values, shown, true, reason);
		}

		private static JobBody of(Job job, JobValues values, boolean shown, boolean whole,
				@Nullable WaitReason reason) {
			Trail trail = job.trail();
			Trail.Attempt last = trail.lastFailure();
			return new JobBody(job.id(), job.name(), job.state(), job.attempt(), job.tags(), job.createdAt(),
					job.dueAt(), values.payload(job, shown), values.headers(job, shown), trail.failures(),
					trail.abandonments(), trail.postponements(), endedAt(job), (last != null) ? last.error() : null,
					End.of(trail.end()),
					(job.run() != null) ? Delivery.of(job.run(), whole ? values.log(job.run(), shown) : null) : null,
					Wait.of(reason),
					whole ? trail.attempts()
						.stream()
						.map((attempt) -> Attempt.of(attempt, values.log(attempt, shown)))
						.toList() : null,
					whole ? timeline(job) : null);
		}

		private static @Nullable Instant endedAt(Job job) {
			Trail trail = job.trail();
			if (trail.end() != null) {
				return trail.end().at();
			}
			return trail.isFinished() ? trail.attempts().get(trail.attempts().size() - 1).endedAt() : null;
		}

		private static List<Moment> timeline(Job job) {
			List<Moment> moments = new ArrayList<>();
			int before = 0;
			for (Trail.Attempt attempt : job.trail().attempts()) {
				String which = "attempt " + attempt.number()
						+ ((attempt.number() <= before) ? " after a retry by hand" : "");
				if (attempt.startedAt() != null) {
					moments.add(new Moment(attempt.startedAt(), which + " started", null));
				}
				moments.add(new Moment(attempt.endedAt(), which + " " + result(attempt, job), attempt.error()));
				before = attempt.number();
			}
			Trail.End end = job.trail().end();
			if (end != null) {
				moments.add(new Moment(end.at(), (job.state() == JobState.DEAD) ? "died" : "ended",
						end.reason() + ": " + end.message()));
			}
			if (job.run() != null) {
				moments.add(new Moment(job.run().startedAt(), "attempt " + job.attempt() + " started", null));
			}
			if (job.state() == JobState.SCHEDULED) {
				moments.add(new Moment(job.dueAt(), "due", null));
			}
			moments.sort(Comparator.comparing(Moment::at));
			moments.add(0, new Moment(job.createdAt(), "enqueued", null));
			return moments;
		}

		private static String result(Trail.Attempt attempt, Job job) {
			if (attempt.error() != null) {
				return "failed";
			}
			return (job.state() == JobState.CANCELLED) ? "was cancelled" : "succeeded";
		}

	}

	/**
	 * Why a job does not run.
	 *
	 * @param reason the reason that counts
	 * @param number the limit, how many run at once, or how many may be before it
	 * @param until when the reason goes by itself, if that is known
	 */
	record Wait(WaitReason.Kind reason, @Nullable Long number, @Nullable Instant until) {

		static @Nullable Wait of(@Nullable WaitReason reason) {
			if (reason == null || reason.kind() == WaitReason.Kind.RUNS || reason.kind() == WaitReason.Kind.IS_OVER) {
				return null;
			}
			return new Wait(reason.kind(), (reason.number() > 0) ? reason.number() : null, reason.until());
		}

	}

	/**
	 * One ended attempt.
	 *
	 * @param number its number, from 1
	 * @param startedAt when its handler was called, if that is known
	 * @param endedAt when it ended
	 * @param worker which worker ran it, if that is known
	 * @param error what went wrong; missing if it succeeded or was cancelled
	 * @param stackTrace the stack
	 * @param log the newest lines it logged, as far as they are shown
	 */
	record Attempt(int number, @Nullable Instant startedAt, Instant endedAt, @Nullable String worker,
			@Nullable String error, @Nullable String stackTrace, @Nullable String log) {

		static Attempt of(Trail.Attempt attempt, @Nullable String log) {
			return new Attempt(attempt.number(), attempt.startedAt(), attempt.endedAt(), attempt.worker(),
					attempt.error(), attempt.stackTrace(), log);
		}

	}

	/**
	 * The death of a job.
	 *
	 * @param reason why
	 * @param message the last error or the reason given
	 * @param at when
	 */
	record End(DeadReason reason, String message, Instant at) {

		static @Nullable End of(Trail.@Nullable End end) {
			return (end != null) ? new End(end.reason(), end.message(), end.at()) : null;
		}

	}

	/**
	 * A delivery in progress.
	 *
	 * @param worker the worker that holds the job
	 * @param startedAt when it was claimed
	 * @param cancelRequested whether an operator cancelled it
	 * @param checkIn what the handler last reported
	 * @param checkInAt when it was reported
	 * @param done units done
	 * @param total units in all
	 * @param log the newest lines it logged, if asked for and as far as they are shown
	 */
	record Delivery(String worker, Instant startedAt, boolean cancelRequested, @Nullable String checkIn,
			@Nullable Instant checkInAt, @Nullable Long done, @Nullable Long total, @Nullable String log) {

		static Delivery of(Job.Run run, @Nullable String log) {
			Job.Progress progress = run.progress();
			return (progress != null)
					? new Delivery(run.worker(), run.startedAt(), run.cancelRequested(), progress.checkIn(),
							progress.at(), progress.done(), progress.total(), log)
					: new Delivery(run.worker(), run.startedAt(), run.cancelRequested(), null, null, null, null, log);
		}

	}

	/**
	 * A moment in the life of a job.
	 *
	 * @param at when
	 * @param event what happened
	 * @param detail more about it
	 */
	record Moment(Instant at, String event, @Nullable String detail) {

	}

	/**
	 * An act that was done.
	 *
	 * @param action what was done
	 * @param target to what; {@code null} for a selection of jobs
	 * @param jobId the job that was enqueued, if one was
	 * @param changed how many jobs were changed, if that was counted
	 */
	record Done(String action, @Nullable String target, @Nullable String jobId,
			@Nullable Integer changed) implements OperationResponseBody {

	}

	private static double seconds(Duration duration) {
		return duration.getSeconds() + duration.toMillisPart() / 1000.0;
	}

}
