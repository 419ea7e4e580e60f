package dev.jobs.docs.handlers;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.jobs.Backoff;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobHandler;
import dev.jobs.RetryPolicy;
import dev.jobs.docs.handlers.Billing.Answer;
import dev.jobs.docs.handlers.Billing.CardDeclinedException;
import dev.jobs.docs.handlers.Billing.ChargeCard;
import dev.jobs.docs.handlers.Billing.ImportLines;
import dev.jobs.docs.handlers.Billing.RefundCard;
import dev.jobs.docs.handlers.Billing.SyncCustomer;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;
import org.springframework.web.client.HttpClientErrorException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/handlers.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class HandlersTests {

	private static final Path PAGE = Path.of("../docs/handlers.md");

	@Autowired
	private HandlersApplication application;

	@Autowired
	private Billing billing;

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.application.alerts.clear();
		this.billing.cards.failure = null;
		this.billing.log.clear();
	}

	@Test
	void everyAttributeIsInTheTable() throws IOException {
		String page = Files.readString(PAGE);
		assertThat(Stream.of(JobHandler.class.getDeclaredMethods()).map(Method::getName))
			.allSatisfy((name) -> assertThat(page).contains("| `" + name + "` |"));
		assertThat(Stream.of(JobHandler.RetryDelay.class.getDeclaredMethods()).map(Method::getName))
			.allSatisfy((name) -> assertThat(page).contains("`" + name + "`"));
	}

	@Test
	void waitsInTheTableAreThoseOfTheBackoff() throws IOException {
		String page = Files.readString(PAGE);
		long earliest = 0;
		long latest = 0;
		for (int failures = 1; failures < 12; failures++) {
			long least = secondsOf(failures, 0);
			long most = secondsOf(failures, 29_000);
			earliest += least;
			latest += most;
			assertThat(page).contains("| " + failures
					+ " | %,d to %,d s | %s to %s |".formatted(least, most, text(earliest), text(latest)));
		}
	}

	@Test
	void waitsInTheReadmeAreThoseOfTheBackoff() throws IOException {
		String readme = Files.readString(Path.of("../README.md"));
		List<MatchResult> rows = Pattern.compile("\\| (\\d+) \\| ([\\d,]+) to ([\\d,]+) seconds")
			.matcher(readme)
			.results()
			.toList();
		assertThat(rows).hasSizeGreaterThan(4).allSatisfy((row) -> {
			int failures = Integer.parseInt(row.group(1));
			assertThat(row.group(2)).isEqualTo("%,d".formatted(secondsOf(failures, 0)));
			assertThat(row.group(3)).isEqualTo("%,d".formatted(secondsOf(failures, 29_000)));
		});
		int attempts = RetryPolicy.defaults().getMaxAttempts();
		assertThat(readme).contains("| %d | dead, %d to %d hours after the first attempt".formatted(attempts,
				sumOf(attempts, 0) / 3600, sumOf(attempts, 29_000) / 3600 + 1));
	}

	@Test
	void waitsInTheDecisionAreThoseOfTheBackoff() throws IOException {
		List<MatchResult> rows = Pattern
			.compile("(?m)^\\| (\\d+) \\| ([\\d,]+) – ([\\d,]+) \\| ([\\d,]+) – ([\\d,]+) \\|")
			.matcher(Files.readString(Path.of("../docs/adr/035-twelve-attempts.md")))
			.results()
			.toList();
		assertThat(rows).hasSizeGreaterThan(10).allSatisfy((row) -> {
			int failures = Integer.parseInt(row.group(1));
			assertThat(List.of(row.group(2), row.group(3), row.group(4), row.group(5))).containsExactly(
					"%,d".formatted(secondsOf(failures, 0)), "%,d".formatted(secondsOf(failures, 29_000)),
					"%,d".formatted(sumOf(failures + 1, 0)), "%,d".formatted(sumOf(failures + 1, 29_000)));
		});
	}

	/** Return how long a job waits in all until an attempt. */
	private static long sumOf(int attempt, long chance) {
		return IntStream.range(1, attempt).mapToLong((failures) -> secondsOf(failures, chance)).sum();
	}

	private static long secondsOf(int failures, long chance) {
		RandomGenerator random = new RandomGenerator() {

			@Override
			public long nextLong() {
				return chance;
			}

			@Override
			public long nextLong(long bound) {
				return chance;
			}

		};
		return Backoff.polynomial().delay(Job.builder("1", "any").build(), failures, random).toSeconds();
	}

	private static String text(long seconds) {
		return (seconds < 120) ? seconds + " s"
				: (seconds < 7200) ? Math.round(seconds / 60.0) + " min" : "%.1f h".formatted(seconds / 3600.0);
	}

	@Test
	void keyForTheCardIsTheIdOfTheJob() {
		String id = this.client.enqueue(new ChargeCard(7, 900)).id();
		this.jobs.runUntilIdle();
		assertThat(this.billing.cards.keys).containsExactly(id);
	}

	@Test
	@ExpectsFaults("charge-card")
	void declinedCardIsNotTriedAgain() {
		this.billing.cards.failure = new CardDeclinedException();
		this.client.enqueue(new ChargeCard(7, 900));
		this.jobs.advance(Duration.ofHours(1));
		assertThat(this.jobs.dead()).singleElement()
			.satisfies((job) -> assertThat(job.trail().failures()).isEqualTo(1));
		assertThat(this.application.alerts).singleElement().asString().startsWith("charge-card is dead (DISCARDED)");
	}

	@Test
	@ExpectsFaults("charge-card")
	void clientErrorIsNotTriedAgain() {
		this.billing.cards.failure = new HttpClientErrorException(HttpStatus.NOT_FOUND);
		this.client.enqueue(new ChargeCard(7, 900));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.dead()).hasSize(1);
	}

	@Test
	@ExpectsFaults("charge-card")
	void otherErrorIsTriedFiveTimes() {
		this.billing.cards.failure = new IllegalStateException("no answer");
		this.client.enqueue(new ChargeCard(7, 900));
		assertThat(this.jobs.advance(Duration.ofDays(1))).isEqualTo(5);
		assertThat(this.application.alerts)
			.containsExactly("charge-card is dead (EXHAUSTED): java.lang.IllegalStateException: no answer");
	}

	@Test
	void answerDecidesWhatBecomesOfTheJob() {
		this.billing.crm.answer = new Answer(429, Duration.ofMinutes(1));
		this.client.enqueue(new SyncCustomer(1));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("sync-customer")).singleElement()
			.satisfies((job) -> assertThat(job.attempt()).isEqualTo(1));
		this.billing.crm.answer = new Answer(200, Duration.ZERO);
		this.jobs.advance(Duration.ofMinutes(1));
		assertThat(this.jobs.waiting()).isEmpty();
	}

	@Test
	void tenantTravelsFromTheEnqueueToTheRun() {
		Tenant.set("initech");
		this.client.enqueue("poll-bank");
		Tenant.clear();
		this.jobs.runUntilIdle();
		assertThat(this.billing.log).containsExactly("initech");
	}

	@Test
	void handlerInCodeRunsJobsOfItsType() {
		Enqueued enqueued = this.client.enqueue(new RefundCard(7));
		assertThat(this.client.find(enqueued.id())).get().returns("refund-card", Job::name);
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.client.find(enqueued.id())).isEmpty();
	}

	@Test
	void everyLineIsImported() {
		this.client.enqueue(new ImportLines(List.of("one", "two")));
		this.jobs.runUntilIdle();
		assertThat(this.billing.log).containsExactly("one", "two");
	}

}
