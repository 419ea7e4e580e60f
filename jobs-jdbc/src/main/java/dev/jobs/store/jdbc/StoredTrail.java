package dev.jobs.store.jdbc;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import dev.jobs.Trail;
import org.jspecify.annotations.Nullable;

/**
 * A trail as it is kept: what is long comes last, so that a database need not send it to
 * have a text looked for in the errors.
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
		@Nullable List<Trail.@Nullable Attempt> attempts, Trail.@Nullable End end,
		@Nullable List<@Nullable Stack> stacks) {

	/** More of anything was never counted; two of these and one fit into an attempt. */
	private static final int MOST = 1_000_000_000;

	/** Where stacks begin. Within a text a quotation mark has a backslash before it. */
	static final String STACKS = ",\"stacks\":";

	static StoredTrail of(Trail trail) {
		List<Stack> stacks = trail.attempts().stream().map(Stack::of).toList();
		return new StoredTrail(trail.failures(), trail.abandonments(), trail.crashes(), trail.suspect(),
				trail.postponements(), trail.attempts().stream().map((attempt) -> with(attempt, Stack.NONE)).toList(),
				trail.end(), stacks.stream().allMatch(Stack.NONE::equals) ? null : stacks);
	}

	/**
	 * Return the trail, without what is damaged.
	 */
	@JsonIgnore
	Trail trail() {
		int all = (this.attempts != null) ? this.attempts.size() : 0;
		List<Trail.Attempt> read = IntStream.range(Math.max(0, all - Trail.ATTEMPTS_KEPT), all)
			.mapToObj(this::attempt)
			.filter(Objects::nonNull)
			.toList();
		return new Trail(count(this.failures), count(this.abandonments), count(this.crashes), this.suspect,
				count(this.postponements), read, isComplete(this.end) ? this.end : null);
	}

	private static int count(int stored) {
		return Math.max(0, Math.min(stored, MOST));
	}

	private static boolean isComplete(Trail.@Nullable End end) {
		return end != null && end.reason() != null && end.message() != null && Texts.isTime(end.at());
	}

	private Trail.@Nullable Attempt attempt(int index) {
		Trail.Attempt attempt = Objects.requireNonNull(this.attempts).get(index);
		if (attempt == null || attempt.error() == null || !Texts.isTime(attempt.endedAt())) {
			return null;
		}
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
