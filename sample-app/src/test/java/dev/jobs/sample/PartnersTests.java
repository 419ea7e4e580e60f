package dev.jobs.sample;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.test.SettableClock;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for those who sell through the shop.
 */
@SpringBootTest(properties = "sample.customers=-")
@AutoConfigureMockMvc
@JobsTest
class PartnersTests {

	@Autowired
	private MockMvcTester web;

	@Autowired
	private TestJobs jobs;

	@Autowired
	private SettableClock clock;

	@Autowired
	private Mailer mailer;

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.clock.set(this.clock.instant().plus(Duration.ofDays(1)).truncatedTo(ChronoUnit.DAYS));
	}

	@Test
	void partnerWhoSendsTooManyListsIsAskedToWaitAndOthersAreNot() {
		for (int i = 0; i < 3; i++) {
			assertThat(send("globex")).hasStatusOk();
		}
		assertThat(send("globex")).hasStatus(HttpStatus.TOO_MANY_REQUESTS)
			.hasHeader(HttpHeaders.RETRY_AFTER, "10")
			.bodyText()
			.contains("Three price lists of globex wait");
		assertThat(send("initech")).hasStatusOk();
		assertThat(this.jobs.waiting("import-prices")).hasSize(4);
	}

	@Test
	void partnerWhoHasPaidForThreeTurnsGetsThemAndNotAll() {
		for (int i = 0; i < 3; i++) {
			send("globex");
			send("acme");
		}
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("import-prices")).extracting(Job::lane).containsExactly("globex", "globex");
		send("acme");
		this.jobs.advance(Duration.ofSeconds(11));
		assertThat(this.jobs.waiting("import-prices")).isEmpty();
	}

	@Test
	void noPartnerGetsAllTurns() {
		for (int i = 0; i < 3; i++) {
			send("initech");
		}
		this.jobs.runUntilIdle();
		send("initech");
		send("globex");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("import-prices")).extracting(Job::lane).containsExactly("initech");
	}

	@Test
	void partnerGetsReportsAtTheTimesThatHeHasChosen() {
		send("acme");
		assertThat(subscribe("acme", "@daily")).bodyText().isEqualTo("\"NEW\"");
		assertThat(subscribe("acme", "@daily")).bodyText().isEqualTo("\"UNCHANGED\"");
		assertThat(subscribe("acme", "@hourly")).bodyText().isEqualTo("\"CHANGED\"");
		this.jobs.advance(Duration.ofMinutes(150));
		assertThat(reports("acme")).hasSize(2)
			.allMatch((text) -> text.matches("Sold: \\d+ (lamp|chair), \\d+ (lamp|chair)"));
		assertThat(this.web.delete().uri("/partners/acme/report")).hasStatusOk();
		assertThat(this.web.delete().uri("/partners/acme/report")).hasStatus(HttpStatus.NOT_FOUND);
		this.jobs.advance(Duration.ofHours(2));
		assertThat(reports("acme")).hasSize(2);
	}

	@Test
	void partnerGetsNoReportsWhileTheShopIsClosed() {
		this.clock.set(Instant.parse("2031-12-24T20:00:00Z"));
		subscribe("hooli", "@hourly");
		this.jobs.advance(Duration.ofHours(6));
		assertThat(reports("hooli")).hasSize(3);
		this.web.delete().uri("/partners/hooli/report").exchange();
	}

	@Test
	void timesThatMakeNoSenseAreRefused() {
		assertThat(subscribe("acme", "at noon")).hasStatus(HttpStatus.BAD_REQUEST);
	}

	@Test
	void reportForWhichTheTimeGetsShortIsSentWithWhatItHas() {
		send("initech");
		this.jobs.runUntilIdle();
		subscribe("initech", "@hourly");
		assertThat(this.web.post().uri("/schedules/report-initech/run")).hasStatusOk();
		this.clock.advance(Duration.ofSeconds(111));
		this.jobs.runUntilIdle();
		assertThat(reports("initech").get(0)).isEqualTo("Sold: and more");
	}

	private MvcTestResult send(String partner) {
		return this.web.post()
			.uri("/partners/{partner}/prices", partner)
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"lamp\":1999,\"chair\":4500}")
			.exchange();
	}

	private MvcTestResult subscribe(String partner, String cron) {
		return this.web.put().uri("/partners/{partner}/report?cron={cron}", partner, cron).exchange();
	}

	private List<String> reports(String partner) {
		return this.mailer.sent()
			.stream()
			.filter((mail) -> mail.to().equals(partner + "@example.org"))
			.map(OrderMail::text)
			.toList();
	}

}
