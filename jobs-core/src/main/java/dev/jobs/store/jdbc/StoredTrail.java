package dev.jobs.store.jdbc;

import java.util.List;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * A trail as it is kept: what is long comes last, so that a database need not send it to
 * have a text looked for in the errors. A trail that an earlier version wrote has it in
 * its attempts.
 *
 * @param failures see the trail
 * @param abandonments see the trail
 * @param crashes see the trail
 * @param suspect see the trail
 * @param postponements see the trail
 * @param attempts the attempts without stacks and logs
 * @param end see the trail
 * @param stacks the stack and the log of each attempt, or {@code null} if no attempt has
 * any
 */
record StoredTrail(int failures, int abandonments, int crashes, boolean suspect, int postponements,
		List<Trail.Attempt> attempts, Trail.@Nullable End end, @Nullable List<@Nullable Stack> stacks) {

	/** Where stacks begin. Within a text a quotation mark has a backslash before it. */
	static final String STACKS = ",\"stacks\":";

	static StoredTrail of(Trail trail) {
		List<Stack> stacks = trail.attempts().stream().map(Stack::of).toList();
		return new StoredTrail(trail.failures(), trail.abandonments(), trail.crashes(), trail.suspect(),
				trail.postponements(), trail.attempts().stream().map((attempt) -> with(attempt, Stack.NONE)).toList(),
				trail.end(), stacks.stream().allMatch(Stack.NONE::equals) ? null : stacks);
	}

	@JsonIgnore
	Trail trail() {
		return new Trail(this.failures, this.abandonments, this.crashes, this.suspect, this.postponements,
				IntStream.range(0, this.attempts.size()).mapToObj(this::attempt).toList(), this.end);
	}

	private Trail.Attempt attempt(int index) {
		Trail.Attempt attempt = this.attempts.get(index);
		Stack stack = (this.stacks != null && index < this.stacks.size()) ? this.stacks.get(index) : null;
		return (stack != null) ? with(attempt, stack) : attempt;
	}

	private static Trail.Attempt with(Trail.Attempt attempt, Stack stack) {
		return new Trail.Attempt(attempt.number(), attempt.endedAt(), attempt.error(), stack.stackTrace(), stack.log());
	}

	/**
	 * What is long of an attempt.
	 *
	 * @param stackTrace its stack, or {@code null}
	 * @param log its log, or {@code null}
	 */
	record Stack(@Nullable String stackTrace, @Nullable String log) {

		static final Stack NONE = new Stack(null, null);

		static Stack of(Trail.Attempt attempt) {
			return new Stack(attempt.stackTrace(), attempt.log());
		}

	}

}
