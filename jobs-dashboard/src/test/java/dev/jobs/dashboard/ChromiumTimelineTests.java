package dev.jobs.dashboard;

import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.JobState;
import dev.jobs.operations.JobOperations;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.SettableClock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the timeline of a job in a real browser, by a clock that is set.
 */
@ExpectsFaults("failing with")
class ChromiumTimelineTests {

	private final Server server = Server.start(WebApplicationType.SERVLET, FiguresTests.Application.class,
			"jobs.dashboard.access=local", "jobs.handlers.fail.max-attempts=2", "jobs.handlers.fail.backoff.type=fixed",
			"jobs.handlers.fail.backoff.delay=40s", "jobs.worker.beat=200ms", "jobs.worker.poll=200ms",
			// An hour that passes at once must not end it.
			"jobs.worker.lease=3h");

	private final SettableClock clock = this.server.bean(SettableClock.class);

	private final JobClient client = this.server.bean(JobClient.class);

	private final JobOperations operations = this.server.bean(JobOperations.class);

	private final Chromium browser = Chromium.start();

	@AfterEach
	void stop() {
		this.browser.close();
		this.server.close();
	}

	private void open(String id) {
		this.browser.open(this.server.uri("/") + "#/job?id=" + id);
	}

	private void awaitState(String id, JobState state, int attempt) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.client.find(id)
				.filter((job) -> job.state() == state && job.attempt() == attempt)
				.isPresent());
	}

	@Test
	void timelineTellsTheDelayFromTheWait() {
		String id = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		this.operations.queue("nightly").pause();
		this.clock.advance(Duration.ofMinutes(70));
		open(id);
		this.browser.awaitText(".timeline li:last-child .spans", "delayed 1 h · waiting for 10 min");
		assertThat(parts(2)).isEqualTo("delayed waited");
	}

	@Test
	void timelineDividesTheLastAttemptOnlyAsEarlierDueTimesAreNotStored() {
		String id = this.client.enqueue("fail", "no paper", (options) -> options.delay(Duration.ofHours(1))).id();
		this.clock.advance(Duration.ofMinutes(65));
		awaitState(id, JobState.SCHEDULED, 2);
		open(id);
		this.browser.awaitText(".timeline li:nth-child(2) .spans", "after 1 h", "ran");
		this.browser.awaitText(".timeline li:nth-child(3) .spans", "due after 40 s");
		assertThat(this.browser.text(".timeline")).doesNotContain("waited");
		assertThat(parts(2)).isEqualTo("after");
		this.clock.advance(Duration.ofSeconds(50));
		awaitState(id, JobState.DEAD, 2);
		open(id);
		this.browser.awaitText(".timeline li:nth-child(3) .spans", "delayed 40 s · waited ", "ran");
		assertThat(this.browser.text(".timeline li:nth-child(2) .spans")).contains("after 1 h")
			.doesNotContain("waited");
		assertThat(parts(3)).isEqualTo("delayed waited");
	}

	private Object parts(int item) {
		return this.browser.script("""
				return [...document.querySelectorAll('.timeline li:nth-child(' + arguments[0] + ') .track i')]
					.map((it) => it.className).filter((it) => !it.startsWith('ran') && it !== 'space').join(' ')""",
				item);
	}

}
