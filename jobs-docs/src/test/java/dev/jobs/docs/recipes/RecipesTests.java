package dev.jobs.docs.recipes;

import java.net.URI;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.docs.recipes.Imports.ImportPart;
import dev.jobs.docs.recipes.Webhooks.Webhook;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the recipes.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class RecipesTests {

	private static final Webhook WEBHOOK = new Webhook(URI.create("https://example.org/hook"), "{}");

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@Autowired
	private Mails mails;

	@Autowired
	private Imports imports;

	@Autowired
	private Webhooks webhooks;

	@Autowired
	private NightlyReport report;

	@Autowired
	private Newsletter newsletter;

	@BeforeEach
	void clear() {
		this.jobs.clear();
	}

	@Test
	void orderIsConfirmedOnce() {
		this.mails.confirm("ada@example.org", 7);
		this.mails.confirm("ada@example.org", 7);
		this.jobs.runUntilIdle();
		assertThat(this.mails.sent()).containsExactly("ada@example.org: Order 7 is on its way");
	}

	@Test
	void importContinuesInSteps() {
		this.client.enqueue(new ImportPart("rows.csv", 0));
		assertThat(this.jobs.runUntilIdle()).isEqualTo(3);
		assertThat(this.imports.rows).containsExactly("a", "b", "c", "d", "e");
	}

	@Test
	@ExpectsFaults("deliver-webhook")
	void webhookIsDeliveredWhenTheReceiverAsksForIt() {
		HttpHeaders headers = new HttpHeaders();
		headers.set(HttpHeaders.RETRY_AFTER, "90");
		this.webhooks.http = (webhook) -> new ResponseEntity<>(headers, HttpStatus.SERVICE_UNAVAILABLE);
		this.client.enqueue(WEBHOOK);
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting()).extracting(Job::dueAt).containsExactly(this.jobs.now().plusSeconds(90));
		this.webhooks.http = (webhook) -> new ResponseEntity<>(HttpStatus.GONE);
		this.jobs.advance(Duration.ofSeconds(90));
		assertThat(this.jobs.dead()).hasSize(1);
	}

	@Test
	void eachShopGetsItsReportOfTheDayBefore() {
		this.jobs.advance(Duration.ofDays(1));
		LocalDate day = LocalDate.ofInstant(this.jobs.now(), ZoneOffset.UTC).minusDays(2);
		assertThat(this.report.written).contains("berlin on " + day, "paris on " + day);
	}

	@Test
	void lastLetterEnqueuesWhatFollows() {
		this.newsletter.send("2030-01", List.of("ada", "bob"));
		this.jobs.runUntilIdle();
		assertThat(this.newsletter.counter.delivered).hasValue(2);
		assertThat(this.jobs.waiting("issue-sent")).hasSize(1);
	}

}
