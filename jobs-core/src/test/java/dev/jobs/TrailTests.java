package dev.jobs;

import java.time.Instant;
import java.util.stream.IntStream;

import dev.jobs.Trail.Attempt;
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
		Trail trail = Trail.EMPTY.failed(attempt(1)).abandoned(attempt(2)).postponed();
		assertThat(trail.attempt()).isEqualTo(3);
		assertThat(trail.failures()).isOne();
		assertThat(trail.abandonments()).isOne();
		assertThat(trail.postponements()).isOne();
	}

	@Test
	void onlyTheAbandonmentOfASuspectIsACrash() {
		Trail once = Trail.EMPTY.abandoned(attempt(1));
		assertThat(once.suspect()).isFalse();
		Trail twice = once.abandoned(attempt(2));
		assertThat(twice.suspect()).isTrue();
		assertThat(twice.crashes()).isZero();
		assertThat(twice.abandoned(attempt(3)).crashes()).isOne();
	}

	@Test
	void failureClearsTheSuspicion() {
		Trail suspect = Trail.EMPTY.abandoned(attempt(1)).abandoned(attempt(2));
		assertThat(suspect.failed(attempt(3)).suspect()).isFalse();
		assertThat(suspect.failed(attempt(3)).abandoned(attempt(4)).crashes()).isZero();
	}

	@Test
	void onlyTheLatestAttemptsAreRemembered() {
		Trail trail = IntStream.rangeClosed(1, 25)
			.boxed()
			.reduce(Trail.EMPTY, (before, number) -> before.failed(attempt(number)), (a, b) -> a);
		assertThat(trail.failures()).isEqualTo(25);
		assertThat(trail.attempts()).hasSize(Trail.ATTEMPTS_KEPT).last().isEqualTo(attempt(25));
	}

	@Test
	void onlyTheLatestLogsAreKept() {
		Trail trail = IntStream.rangeClosed(1, 5)
			.boxed()
			.reduce(Trail.EMPTY,
					(before, number) -> before.failed(Attempt.of(number, Instant.EPOCH, "").withLog("log")),
					(a, b) -> a);
		assertThat(trail.attempts()).extracting(Attempt::log).containsExactly(null, null, "log", "log", "log");
	}

	@Test
	void lastAttemptOfAKeptJobIsNoFailure() {
		Trail trail = Trail.EMPTY.failed(attempt(1)).finished(Attempt.of(2, Instant.EPOCH, null));
		assertThat(trail.isFinished()).isTrue();
		assertThat(trail.attempts()).hasSize(2);
		assertThat(trail.lastFailure()).isEqualTo(attempt(1));
		assertThat(trail.attempt()).isEqualTo(2);
		assertThat(Trail.EMPTY.finished(Attempt.of(1, Instant.EPOCH, null)).lastFailure()).isNull();
	}

	@Test
	void retryByAnOperatorStartsOverAndKeepsTheErrors() {
		Trail dead = Trail.EMPTY.failed(attempt(1)).ended(Trail.End.of(DeadReason.EXHAUSTED, "error 1", Instant.EPOCH));
		Trail retried = dead.retried();
		assertThat(retried.attempt()).isOne();
		assertThat(retried.end()).isNull();
		assertThat(retried.attempts()).containsExactly(attempt(1));
	}

}
