package dev.jobs.docs.payloads;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import dev.jobs.JobClient;
import dev.jobs.docs.payloads.PayloadExamples.Card;
import dev.jobs.docs.payloads.PayloadExamples.Invitation;
import dev.jobs.docs.payloads.PayloadExamples.Money;
import dev.jobs.docs.payloads.PayloadExamples.Price;
import dev.jobs.docs.payloads.PayloadExamples.Refund;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that the examples of docs/payloads.md do what it says.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class PayloadPageTests {

	@Autowired
	private JobClient client;

	@Autowired
	private PayloadExamples examples;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.examples.log.clear();
	}

	@Test
	void moduleWritesMoneyAsANumber() {
		this.client.enqueue(new Price(Money.ofCents(900)));
		assertThat(this.jobs.waiting()).singleElement()
			.satisfies((job) -> assertThat(new String(job.payload(), StandardCharsets.UTF_8))
				.isEqualTo("{\"amount\":900}"));
		this.jobs.runUntilIdle();
		assertThat(this.examples.log).containsExactly("costs 900");
	}

	@Test
	void oldNameOfAPropertyIsRead() {
		this.client.enqueue("invite", Map.of("to", "ada", "seats", 2));
		this.client.enqueue(new Invitation("bob", 3));
		this.jobs.runUntilIdle();
		assertThat(this.examples.log).containsExactly("ada and 2", "bob and 3");
	}

	@Test
	void subtypeIsStoredWithItsName() {
		this.client.enqueue(new Refund(new Card("4111")));
		assertThat(this.jobs.waiting()).singleElement()
			.satisfies((job) -> assertThat(new String(job.payload(), StandardCharsets.UTF_8))
				.isEqualTo("{\"method\":{\"@type\":\"card\",\"number\":\"4111\"}}"));
		this.jobs.runUntilIdle();
		assertThat(this.examples.log).containsExactly("to Card[number=4111]");
	}

	@Test
	void argumentsAreReadByType() {
		this.client.enqueue("charge", Map.of("customer", "ada", "cents", 900));
		this.jobs.runUntilIdle();
		assertThat(this.examples.log).containsExactly("ada pays 900");
	}

	@Test
	void otherFormatHasOtherNames() {
		record Mail(String firstName) {

		}
		assertThat(
				new String(new OtherFormat().payloadSerializer().write(new Mail("ada"), 100), StandardCharsets.UTF_8))
			.isEqualTo("{\"first_name\":\"ada\"}");
	}

}
