package dev.jobs.store.jdbc.row;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.store.support.StoredCode;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.view.ScheduleView;
import dev.jobs.store.view.WorkerInfo;
import org.jspecify.annotations.Nullable;

/**
 * The forms of text columns other than {@link StoredTrail trails} and headers, each with
 * its version.
 */
final class StoredJson {

	private static final StoredVersion PROGRESS = new StoredVersion("the progress of a job", 1);

	private static final StoredVersion WORKER = new StoredVersion("a worker", 1);

	private static final StoredVersion FIRED = new StoredVersion("the ticks of a schedule", 1);

	private StoredJson() {
	}

	private static boolean isComplete(WorkerInfo info) {
		return info.host() != null && info.version() != null && EpochMillis.isStorable(info.startedAt())
				&& info.pools() != null && info.pools().stream().allMatch(StoredJson::isComplete)
				&& info.limits() != null
				&& info.limits().stream().allMatch((limit) -> limit != null && limit.queue() != null)
				&& (info.jvm() == null || isComplete(info.jvm()));
	}

	private static boolean isComplete(WorkerInfo.Jvm jvm) {
		return jvm.java() != null && jvm.jobs() != null;
	}

	private static boolean isComplete(WorkerInfo.@Nullable Pool pool) {
		return pool != null && pool.name() != null && pool.queues() != null
				&& pool.queues().stream().allMatch(Objects::nonNull);
	}

	/**
	 * The report of a running job.
	 *
	 * @param v the version of this form
	 * @param checkIn see the progress
	 * @param done see the progress
	 * @param total see the progress
	 * @param at see the progress
	 * @param log see the progress
	 */
	record Progress(int v, @Nullable String checkIn, long done, long total, @Nullable Instant at,
			@Nullable String log) {

		static Progress of(Job.Progress progress) {
			return new Progress(PROGRESS.number(), progress.checkIn(), progress.done(), progress.total(), progress.at(),
					progress.log());
		}

		@JsonIgnore
		Job.@Nullable Progress progress() {
			PROGRESS.require(this.v);
			return (this.at != null && EpochMillis.isStorable(this.at))
					? Job.Progress.of(this.checkIn, this.done, this.total, this.at).withLog(this.log) : null;
		}

	}

	/**
	 * The description of a worker.
	 *
	 * @param v the version of this form
	 * @param info its description
	 */
	record Worker(int v, @Nullable WorkerInfo info) {

		static Worker of(WorkerInfo info) {
			return new Worker(WORKER.number(), info);
		}

		@JsonIgnore
		@Nullable WorkerInfo read() {
			WORKER.require(this.v);
			return (this.info != null && isComplete(this.info)) ? this.info : null;
		}

	}

	/**
	 * The latest ticks that a schedule has fired.
	 *
	 * @param v the version of this form
	 * @param ticks the ticks
	 */
	record Fired(int v, @Nullable List<@Nullable Tick> ticks) {

		static Fired of(List<ScheduleView.Fired> fired) {
			return new Fired(FIRED.number(), fired.stream().<@Nullable Tick>map(Tick::of).toList());
		}

		@JsonIgnore
		List<ScheduleView.Fired> read() {
			FIRED.require(this.v);
			return (this.ticks != null) ? this.ticks.stream().flatMap(Tick::read).toList() : List.of();
		}

	}

	/**
	 * A tick that was fired.
	 *
	 * @param tick the tick
	 * @param at when it was fired
	 * @param outcome the code of its outcome
	 * @param jobId the job
	 */
	record Tick(@Nullable Instant tick, @Nullable Instant at, @Nullable String outcome, @Nullable String jobId) {

		static Tick of(ScheduleView.Fired fired) {
			return new Tick(fired.tick(), fired.at(), StoredCode.OUTCOME.of(fired.outcome()), fired.jobId());
		}

		static Stream<ScheduleView.Fired> read(@Nullable Tick tick) {
			if (tick == null || tick.tick == null || tick.at == null || tick.jobId == null) {
				return Stream.of();
			}
			Enqueued.Outcome outcome = StoredCode.OUTCOME.find(tick.outcome);
			return (outcome != null && EpochMillis.isStorable(tick.tick) && EpochMillis.isStorable(tick.at))
					? Stream.of(new ScheduleView.Fired(tick.tick, tick.at, outcome, tick.jobId)) : Stream.of();
		}

	}

}
