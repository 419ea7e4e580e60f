package dev.jobs.sample;

import java.time.Duration;
import java.util.stream.IntStream;

import dev.jobs.JobClient;
import dev.jobs.JobRequest;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the shop.
 */
@SpringBootTest(properties = "sample.customers=-")
@AutoConfigureMockMvc
@JobsTest
class ShopTests {

	@Autowired
	private MockMvcTester web;

	@Autowired
	private TestJobs jobs;

	@Autowired
	private JobClient client;

	@Autowired
	private Mailer mailer;

	@BeforeEach
	void clear() {
		this.jobs.clear();
	}

	@Test
	void orderIsConfirmedByMail() {
		assertThat(this.web.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"customer\":\"ada@example.org\",\"article\":\"teapot\"}")).hasStatusOk();
		assertThat(this.jobs.payloads("send-email", OrderMail.class)).extracting(OrderMail::to)
			.containsExactly("ada@example.org");
		this.jobs.runUntilIdle();
		assertThat(this.mailer.sent()).extracting(OrderMail::to).contains("ada@example.org");
	}

	@Test
	void reminderIsSentWhenItIsDue() {
		OrderMail reminder = new OrderMail("bob@example.org", 7, "Your basket misses you.");
		this.client.enqueue(reminder, (options) -> options.delay(Duration.ofMinutes(10)));
		this.jobs.advance(Duration.ofMinutes(9));
		assertThat(this.mailer.sent()).doesNotContain(reminder);
		this.jobs.advance(Duration.ofMinutes(1));
		assertThat(this.mailer.sent()).contains(reminder);
	}

	@Test
	void jobsAreSeenThroughActuator() {
		this.client.enqueue(new OrderMail("bob@example.org", 8, "Hello."),
				(options) -> options.delay(Duration.ofMinutes(10)));
		assertThat(this.web.get().uri("/actuator/jobs/queues/send-email")).bodyJson()
			.extractingPath("$.scheduled")
			.isEqualTo(1);
		assertThat(this.web.get().uri("/actuator/health/jobs")).bodyJson().extractingPath("$.status").isEqualTo("UP");
		assertThat(this.web.get().uri("/actuator/metrics/jobs.enqueued")).hasStatusOk();
	}

	@Test
	void applicationIsHealthyWithoutServers() {
		assertThat(this.web.get().uri("/actuator/health")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.status")
			.isEqualTo("UP");
	}

	@Test
	void secondExportOfAYearIsTheFirstOne() {
		assertThat(this.web.post().uri("/exports/2026")).bodyJson().extractingPath("$.outcome").isEqualTo("NEW");
		assertThat(this.web.post().uri("/exports/2026")).bodyJson().extractingPath("$.outcome").isEqualTo("DUPLICATE");
		assertThat(this.jobs.waiting("export-orders")).hasSize(1);
	}

	@Test
	void fullQueueAnswersServiceUnavailable() {
		this.client.enqueueAll(IntStream.range(0, 100)
			.mapToObj((i) -> JobRequest.ofPayload(new ResizeImage("lamp", 100 + i)))
			.toList());
		assertThat(this.web.post()
			.uri("/images")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"article\":\"lamp\",\"width\":50}")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasHeader(HttpHeaders.RETRY_AFTER, "1");
		assertThat(this.jobs.waiting("resize-image")).hasSize(100);
	}

	@Test
	void failedImageIsTriedAgain() {
		for (int i = 0; i < 20; i++) {
			this.client.enqueue(new ResizeImage("globe" + i, 16));
		}
		for (int i = 0; i < 10; i++) {
			this.jobs.advance(Duration.ofMinutes(1));
		}
		assertThat(this.jobs.waiting("resize-image")).isEmpty();
	}

	@Test
	void orderOfNothingIsRefused() {
		assertThat(this.web.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"customer\":\"ada@example.org\"}")).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(this.jobs.payloads("send-email", OrderMail.class)).isEmpty();
	}

	@Test
	void jobThatDoesNotExistIsNotFound() {
		assertThat(this.web.get().uri("/exports/none")).hasStatus(HttpStatus.NOT_FOUND);
		assertThat(this.web.delete().uri("/exports/none")).hasStatus(HttpStatus.NOT_FOUND);
	}

}
