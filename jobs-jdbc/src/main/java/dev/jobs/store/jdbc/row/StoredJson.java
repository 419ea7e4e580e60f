package dev.jobs.store.jdbc.row;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.jobs.Enqueued;
import dev.jobs.store.support.StoredCode;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.view.ScheduleView;
import org.jspecify.annotations.Nullable;

/**
 * The forms of text columns other than {@link StoredTrail trails} and headers, each with
 * its version.
 */
final class StoredJson {

	private static final StoredVersion FIRED = new StoredVersion("the ticks of a schedule", 1);

	private StoredJson() {
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
