package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import dev.jobs.JobState;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.StepMarks;
import dev.jobs.store.view.EndView;
import org.jspecify.annotations.Nullable;

/**
 * Forgets the marks of jobs that are gone or have ended for good. A mark stays for an
 * hour, so that a run that was frozen for so long does not do its step again. Each mark
 * is looked at when it is that old, and those that are left once an hour.
 */
public final class MarkSweep implements PollLoop.Task {

	private static final Duration KEPT = Duration.ofHours(1);

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	private static final int BATCH = 500;

	private final WorkerContext context;

	private final StepMarks marks;

	/**
	 * The time of the latest mark of this round; others of that time wait for the next.
	 */
	private Instant after = Instant.EPOCH;

	private Instant nextRound = Instant.MIN;

	public MarkSweep(WorkerContext context, StepMarks marks) {
		this.context = context;
		this.marks = marks;
	}

	@Override
	public Duration poll() {
		Instant now = this.context.clock().now();
		if (!now.isBefore(this.nextRound)) {
			this.after = Instant.EPOCH;
			this.nextRound = now.plus(KEPT);
		}
		Instant before = now.minus(KEPT);
		Map<String, Instant> found = this.marks.jobs(this.after, before, BATCH);
		if (found.isEmpty()) {
			return this.context.vary(INTERVAL);
		}
		Map<String, EndView> ends = this.context.store().inspector().ends(found.keySet(), now);
		List<String> ended = found.keySet().stream().filter((id) -> isForGood(ends.get(id))).toList();
		if (!ended.isEmpty()) {
			this.marks.forget(ended, before);
		}
		this.after = Collections.max(found.values());
		return Duration.ZERO;
	}

	private static boolean isForGood(@Nullable EndView end) {
		return end == null || end.state() == JobState.SUCCEEDED || end.state() == JobState.CANCELLED;
	}

}
