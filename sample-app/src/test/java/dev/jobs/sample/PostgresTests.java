package dev.jobs.sample;

import java.time.Duration;

import dev.jobs.store.JobStore;
import dev.jobs.store.jdbc.JdbcJobStore;
import dev.jobs.test.ExpectsFaults;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the shop with the PostgreSQL that it starts itself.
 */
@SpringBootTest(properties = { "sample.customers=-", "jobs.shutdown.grace=1s" })
@ActiveProfiles("postgres")
@AutoConfigureMockMvc
@DirtiesContext
class PostgresTests {

	@Autowired
	private MockMvcTester web;

	@Autowired
	private JobStore store;

	@Autowired
	private Mailer mailer;

	@Test
	void orderIsConfirmedByMail() {
		assertThat(this.store).isInstanceOf(JdbcJobStore.class);
		assertThat(this.web.post()
			.uri("/orders")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"customer\":\"ada@example.org\",\"article\":\"teapot\"}")).hasStatusOk();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.mailer.sent().stream().map(OrderMail::to).toList().contains("ada@example.org"));
	}

	@Test
	@ExpectsFaults("The carrier does not answer")
	void customerWaitsForAQuoteThatAJobGetsAtItsSecondAttempt() {
		assertThat(this.web.get().uri("/quotes/lamp?country=France")).hasStatusOk()
			.bodyJson()
			.isStrictlyEqualTo("{\"carrier\":\"Snail & Co\",\"cents\":550}");
	}

	@Test
	void invoiceIsWrittenOnceWithTheEndOfItsJob() {
		assertThat(this.web.post()
			.uri("/invoices")
			.contentType(MediaType.APPLICATION_JSON)
			.content("{\"customer\":\"ada@example.org\",\"cents\":1250}")).hasStatusOk();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.web.get().uri("/invoices")).bodyJson()
				.isStrictlyEqualTo("[{\"customer\":\"ada@example.org\",\"cents\":1250}]"));
	}

	@Test
	void applicationIsHealthyWithoutRedis() {
		assertThat(this.web.get().uri("/actuator/health")).hasStatusOk()
			.bodyJson()
			.extractingPath("$.components.db.status")
			.isEqualTo("UP");
	}

}
