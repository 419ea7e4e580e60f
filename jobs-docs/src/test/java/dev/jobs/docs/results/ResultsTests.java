package dev.jobs.docs.results;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import dev.jobs.JobClient;
import dev.jobs.docs.results.Shop.Export;
import dev.jobs.docs.results.Shop.Exported;
import dev.jobs.docs.results.Shop.Order;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpStatus;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/results.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class ResultsTests {

	@Autowired
	private Shop shop;

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void clear() {
		this.jobs.clear();
	}

	@Test
	void orderIsCharged() throws InterruptedException {
		assertThat(this.shop.charge(new Order(7)).payment()).isEqualTo("payment-7");
	}

	@Test
	void exportNamesItsFile() {
		String id = this.client.enqueue(new Export(2026)).id();
		this.jobs.runUntilIdle();
		assertThat(this.jobs.result(id, Exported.class)).get().extracting(Exported::name).isEqualTo("orders-2026.csv");
	}

	@Test
	void fileIsThereOnceTheExportHasEndedAndUntilItsTimeIsOver() {
		String id = this.client.enqueue(new Export(2026)).id();
		assertThat(this.shop.file(id).getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
		this.jobs.runUntilIdle();
		assertThat(this.shop.file(id).getBody()).isEqualTo(new Exported("orders-2026.csv", 200));
		this.jobs.advance(Duration.ofHours(1));
		assertThat(this.shop.file(id).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
	}

	@Test
	void customerIsToldWhenTheExportIsDone() {
		String id = this.client.enqueue(new Export(2026)).id();
		CompletableFuture<Void> told = this.shop.tellWhenDone(id);
		this.jobs.runUntilIdle();
		assertThat(told).succeedsWithin(Duration.ofSeconds(30));
		assertThat(this.shop.mailer.sent).containsExactly("orders-2026.csv is ready");
	}

}
