package dev.jobs.store.jdbc.row;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import dev.jobs.DeadReason;
import dev.jobs.Trail;
import dev.jobs.store.support.StoredCode;
import dev.jobs.store.support.StoredVersion;
import dev.jobs.store.support.TrailBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A trail as stored: the long parts come last, so that a database need not send them for
 * a search in the errors.
 *
 * @param v the version of this form
 * @param failures see the trail
 * @param abandonments see the trail
 * @param crashes see the trail
 * @param suspect see the trail
 * @param postponements see the trail
 * @param waitsFor see the trail
 * @param attempts the attempts without stacks and logs
 * @param end see the trail
 * @param stacks the stack and the log of each attempt, or {@code null} if no attempt has
 * any
 */
public record StoredTrail(int v, int failures, int abandonments, int crashes, boolean suspect, int postponements,
		@JsonInclude(Include.NON_NULL) @Nullable Wait waitsFor, @Nullable List<@Nullable Attempt> attempts,
		@Nullable End end, @Nullable List<@Nullable Stack> stacks) {

	private static final StoredVersion VERSION = new StoredVersion("a trail", 1);

	/**
	 * No real count is higher; twice this plus one still fits into the number of an
	 * attempt.
	 */
	private static final int MOST = 1_000_000_000;

	/** Where stacks begin. Within a text a quotation mark has a backslash before it. */
	public static final String STACKS = ",\"stacks\":";

	static StoredTrail of(Trail trail) {
		List<Stack> stacks = trail.attempts().stream().map(Stack::of).toList();
		return new StoredTrail(VERSION.number(), trail.failures(), trail.abandonments(), trail.crashes(),
				trail.suspect(), trail.postponements(), Wait.of(trail.waitsFor()),
				trail.attempts().stream().map(Attempt::of).toList(), End.of(trail.end()),
				stacks.stream().allMatch(Stack.NONE::equals) ? null : stacks);
	}

	/**
	 * Return the trail without damaged parts.
	 */
	@JsonIgnore
	Trail trail() {
		VERSION.require(this.v);
		int all = (this.attempts != null) ? this.attempts.size() : 0;
		List<Trail.Attempt> read = IntStream.range(Math.max(0, all - Trail.ATTEMPTS_KEPT), all)
			.mapToObj(this::attempt)
			.filter(Objects::nonNull)
			.toList();
		return new TrailBuilder().failures(count(this.failures))
			.abandonments(count(this.abandonments))
			.crashes(count(this.crashes))
			.suspect(this.suspect)
			.postponements(count(this.postponements))
			.waitsFor((this.waitsFor != null) ? this.waitsFor.read() : null)
			.attempts(read)
			.end((this.end != null) ? this.end.end() : null)
			.build();
	}

	private static int count(int stored) {
		return Math.max(0, Math.min(stored, MOST));
	}

	private Trail.@Nullable Attempt attempt(int index) {
		Attempt attempt = Objects.requireNonNull(this.attempts).get(index);
		Stack stack = (this.stacks != null && index < this.stacks.size()) ? this.stacks.get(index) : null;
		return (attempt != null) ? attempt.with((stack != null) ? stack : Stack.NONE) : null;
	}

	/**
	 * What a job waits for.
	 *
	 * @param thing what
	 * @param since since when
	 */
	record Wait(@Nullable String thing, @Nullable Instant since) {

		static @Nullable Wait of(Trail.@Nullable Wait wait) {
			return (wait != null) ? new Wait(wait.thing(), wait.since()) : null;
		}

		@JsonIgnore
		Trail.@Nullable Wait read() {
			return (this.thing != null && this.since != null && EpochMillis.isStorable(this.since))
					? Trail.Wait.of(this.thing, this.since) : null;
		}

	}

	/**
	 * The short parts of an attempt.
	 *
	 * @param number its number
	 * @param endedAt when it ended
	 * @param startedAt when its handler was called, if that is known
	 * @param worker which worker ran it, if that is known
	 * @param error the error, if any
	 */
	record Attempt(int number, @Nullable Instant endedAt, @JsonInclude(Include.NON_NULL) @Nullable Instant startedAt,
			@JsonInclude(Include.NON_NULL) @Nullable String worker,
			@JsonInclude(Include.NON_NULL) @Nullable String error) {

		static Attempt of(Trail.Attempt attempt) {
			return new Attempt(attempt.number(), attempt.endedAt(), attempt.startedAt(), attempt.worker(),
					attempt.error());
		}

		Trail.@Nullable Attempt with(Stack stack) {
			return (this.endedAt != null && EpochMillis.isStorable(this.endedAt))
					? Trail.Attempt.of(this.number, this.endedAt, this.error)
						.withStart(EpochMillis.isStorable(this.startedAt) ? this.startedAt : null, this.worker)
						.withStackTrace(stack.stackTrace())
						.withLog(stack.log())
					: null;
		}

	}

	/**
	 * How a job died.
	 *
	 * @param reason the code of the reason
	 * @param message the message
	 * @param at when
	 */
	record End(@Nullable String reason, @Nullable String message, @Nullable Instant at) {

		static @Nullable End of(Trail.@Nullable End end) {
			return (end != null) ? new End(StoredCode.DEAD_REASON.of(end.reason()), end.message(), end.at()) : null;
		}

		@JsonIgnore
		Trail.@Nullable End end() {
			DeadReason known = StoredCode.DEAD_REASON.find(this.reason);
			return (known != null && this.message != null && this.at != null && EpochMillis.isStorable(this.at))
					? Trail.End.of(known, this.message, this.at) : null;
		}

	}

	/**
	 * The long parts of an attempt.
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
