package dev.jobs;

import java.time.Instant;
import java.util.stream.IntStream;

import dev.jobs.Trail.Attempt;
import dev.jobs.engine.settle.TrailRules;
import dev.jobs.store.support.TrailBuilder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Trail}.
 */
class TrailTests {

	private static Attempt attempt(int number) {
		return Attempt.of(number, Instant.EPOCH, "error " + number);
	}

	@Test
	void firstAttemptIsOne() {
		assertThat(Trail.EMPTY.attempt()).isOne();
	}

	@Test
	void failuresAndAbandonmentsCountAsAttemptsAndPostponementsDoNot() {
		Trail trail = TrailRules
			.postponed(TrailRules.abandoned(TrailRules.failed(Trail.EMPTY, attempt(1)), attempt(2)));
		assertThat(trail.attempt()).isEqualTo(3);
		assertThat(trail.failures()).isOne();
		assertThat(trail.abandonments()).isOne();
		assertThat(trail.postponements()).isOne();
	}

	@Test
	void onlyTheAbandonmentOfASuspectIsACrash() {
		Trail once = TrailRules.abandoned(Trail.EMPTY, attempt(1));
		assertThat(once.suspect()).isFalse();
		Trail twice = TrailRules.abandoned(once, attempt(2));
		assertThat(twice.suspect()).isTrue();
		assertThat(twice.crashes()).isZero();
		assertThat(TrailRules.abandoned(twice, attempt(3)).crashes()).isOne();
	}

	@Test
	void failureClearsTheSuspicion() {
		Trail suspect = TrailRules.abandoned(TrailRules.abandoned(Trail.EMPTY, attempt(1)), attempt(2));
		assertThat(TrailRules.failed(suspect, attempt(3)).suspect()).isFalse();
		assertThat(TrailRules.abandoned(TrailRules.failed(suspect, attempt(3)), attempt(4)).crashes()).isZero();
	}

	@Test
	void onlyTheLatestAttemptsAreRemembered() {
		Trail trail = IntStream.rangeClosed(1, 25)
			.boxed()
			.reduce(Trail.EMPTY, (before, number) -> TrailRules.failed(before, attempt(number)), (a, b) -> a);
		assertThat(trail.failures()).isEqualTo(25);
		assertThat(trail.attempts()).hasSize(Trail.ATTEMPTS_KEPT).last().isEqualTo(attempt(25));
	}

	@Test
	void onlyTheLatestLogsAreKept() {
		Trail trail = IntStream.rangeClosed(1, 5)
			.boxed()
			.reduce(Trail.EMPTY,
					(before, number) -> TrailRules.failed(before, Attempt.of(number, Instant.EPOCH, "").withLog("log")),
					(a, b) -> a);
		assertThat(trail.attempts()).extracting(Attempt::log).containsExactly(null, null, "log", "log", "log");
	}

	@Test
	void lastAttemptOfAKeptJobIsNoFailure() {
		Trail trail = TrailRules.finished(TrailRules.failed(Trail.EMPTY, attempt(1)),
				Attempt.of(2, Instant.EPOCH, null));
		assertThat(trail.isFinished()).isTrue();
		assertThat(trail.attempts()).hasSize(2);
		assertThat(trail.lastFailure()).isEqualTo(attempt(1));
		assertThat(trail.attempt()).isEqualTo(2);
		assertThat(TrailRules.finished(Trail.EMPTY, Attempt.of(1, Instant.EPOCH, null)).lastFailure()).isNull();
	}

	@Test
	void retryByAnOperatorStartsOverAndKeepsTheErrors() {
		Trail dead = TrailBuilder.ended(TrailRules.failed(Trail.EMPTY, attempt(1)),
				Trail.End.of(DeadReason.EXHAUSTED, "error 1", Instant.EPOCH));
		Trail retried = TrailBuilder.retried(dead);
		assertThat(retried.attempt()).isOne();
		assertThat(retried.end()).isNull();
		assertThat(retried.attempts()).containsExactly(attempt(1));
	}

}
