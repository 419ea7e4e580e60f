package dev.jobs.docs.signals;

import java.time.Duration;

import dev.jobs.JobClient;
import dev.jobs.Signal.Sent;
import dev.jobs.docs.signals.Orders.Order;
import dev.jobs.docs.signals.Orders.Report;
import dev.jobs.docs.signals.Orders.Shipped;
import dev.jobs.test.TestJobContext;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static dev.jobs.docs.signals.Signals.SHIPPED;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/signals.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class SignalsTests {

	@Autowired
	private Orders orders;

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.orders.mailer.sent.clear();
		this.orders.cards.refunded.clear();
	}

	@Test
	void customerGetsTheParcelThatWasShipped() {
		String id = this.client.enqueue(new Order(7, "ada@example.org")).id();
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waitingFor(id)).containsExactly("shipped/7");
		this.jobs.send(SHIPPED, 7, new Shipped("JD7"));
		this.jobs.runUntilIdle();
		assertThat(this.orders.mailer.sent).containsExactly("Parcel JD7 is on its way");
	}

	@Test
	void moneyGoesBackWhenNothingIsShipped() {
		this.client.enqueue(new Order(8, "ada@example.org"));
		this.jobs.runUntilIdle();
		this.jobs.advance(Duration.ofDays(14));
		assertThat(this.orders.cards.refunded).containsExactly("payment-8");
	}

	@Test
	void secondSignalIsTooLate() {
		assertThat(this.orders.shipped(9, new Shipped("JD9"))).isEqualTo(Sent.SENT);
		assertThat(this.orders.shipped(9, new Shipped("JD10"))).isEqualTo(Sent.ALREADY);
		this.client.enqueue(new Order(9, "ada@example.org"));
		this.jobs.runUntilIdle();
		assertThat(this.orders.mailer.sent).containsExactly("Parcel JD9 is on its way");
	}

	@Test
	void reportWaitsForItsExport() {
		this.client.enqueue(new Report(2026));
		this.jobs.runUntilIdle();
		assertThat(this.orders.mailer.sent).containsExactly("orders-2026.csv");
	}

	@Test
	void handlerAloneGetsItsSignalsFromTheContext() {
		TestJobContext context = new TestJobContext("order").sent(SHIPPED, 7, new Shipped("JD7"));
		this.orders.fulfil(new Order(7, "ada@example.org"), context);
		assertThat(this.orders.mailer.sent).containsExactly("Parcel JD7 is on its way");
	}

}
