package dev.jobs.docs.steps;

import java.time.Duration;
import java.util.List;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobResult;
import dev.jobs.SavedStep;
import dev.jobs.docs.steps.Orders.ImportFile;
import dev.jobs.docs.steps.Orders.Order;
import dev.jobs.docs.steps.Orders.Payment;
import dev.jobs.docs.steps.Orders.Refund;
import dev.jobs.docs.steps.Orders.RemindAll;
import dev.jobs.docs.steps.Warehouse.Delivery;
import dev.jobs.test.TestJobContext;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/steps.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class StepsTests {

	private final Order order = new Order(7, "ada@example.org", 4200);

	@Autowired
	private Orders orders;

	@Autowired
	private Warehouse warehouse;

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void clear() {
		this.jobs.clear();
		this.orders.cards.declines = false;
		List.of(this.orders.cards.keys, this.orders.stock.keys, this.orders.carrier.keys, this.orders.mailer.sent,
				this.orders.saved)
			.forEach(List::clear);
	}

	@Test
	void customerIsNotChargedTwiceWhenTheProcessDiesAfterTheCharge() {
		String id = this.client.enqueue(this.order).id();
		this.jobs.killAfterStep("charge");
		this.jobs.runUntilIdle();
		assertThat(this.orders.cards.keys).containsExactly(id);
		assertThat(this.orders.mailer.sent).containsExactly("JD7 is on its way");
		this.jobs.advance(Duration.ofDays(14));
		assertThat(this.orders.mailer.sent).hasSize(2);
	}

	@Test
	void cardServiceGetsTheSameKeyWhenTheProcessDiesBeforeTheSave() {
		String id = this.client.enqueue(this.order).id();
		this.jobs.killBeforeSave("charge");
		this.jobs.runUntilIdle();
		assertThat(this.orders.cards.keys).containsExactly(id, id);
	}

	@Test
	void reviewIsAskedForTwoWeeksLater() {
		String id = this.client.enqueue(this.order).id();
		this.jobs.advance(Duration.ofDays(13));
		assertThat(this.jobs.operations().job(id).steps()).extracting(SavedStep::name)
			.containsExactlyInAnyOrder("charge", "reserve", "ship", "mail", "before the review");
		assertThat(this.orders.mailer.sent).hasSize(1);
		this.jobs.advance(Duration.ofDays(1));
		assertThat(this.orders.mailer.sent).hasSize(2).endsWith("How do you like it?");
		assertThat(List.of(this.orders.cards.keys, this.orders.stock.keys, this.orders.carrier.keys))
			.allSatisfy((keys) -> assertThat(keys).hasSize(1));
	}

	@Test
	void declinedCardIsAValueAndNotAnException() {
		this.orders.cards.declines = true;
		this.client.enqueue(this.order);
		this.jobs.runUntilIdle();
		assertThat(this.orders.mailer.sent).containsExactly("Your card was declined");
		assertThat(this.orders.stock.keys).isEmpty();
		assertThat(this.jobs.waiting()).isEmpty();
	}

	@Test
	void orderThatIsPaidIsNotChargedAgain() {
		TestJobContext context = new TestJobContext("order").saved("charge", new Payment("ch-7", true));
		this.orders.fulfil(this.order, context);
		assertThat(this.orders.cards.keys).isEmpty();
		assertThat(context.saved()).containsKeys("reserve", "ship", "ask");
	}

	@Test
	void importGoesOnWhereItWasWhenTheWorkerStops() {
		TestJobContext stopping = new TestJobContext("import-rows").stopping();
		assertThat(this.orders.importRows(new ImportFile("a"), stopping)).isEqualTo(JobResult.yield());
		assertThat(this.orders.saved).containsExactly("a 1");
		TestJobContext next = new TestJobContext("import-rows").saved("line", stopping.saved().get("line"));
		this.orders.importRows(new ImportFile("a"), next);
		assertThat(this.orders.saved).containsExactly("a 1", "a 2", "a 3", "a 4", "a 5");
	}

	@Test
	void eachCustomerIsRemindedOnce() {
		this.client.enqueue(new RemindAll(List.of("ada", "bob")));
		this.jobs.killAfterStep("mail ada");
		this.jobs.runUntilIdle();
		assertThat(this.orders.mailer.sent).containsExactly("reminder to ada", "reminder to bob");
	}

	@Test
	void renamedStepKeepsWhatItSaved() {
		TestJobContext context = new TestJobContext("refund-order").saved("refund", new Payment("ch-7", true));
		this.orders.refund(new Refund("ch-7"), context);
		assertThat(this.orders.cards.keys).isEmpty();
	}

	@Test
	void deliveryIsBookedOnceWhereverTheProcessDies() {
		this.client.enqueue(new Delivery(10));
		this.jobs.killBeforeSave("book");
		this.jobs.killAfterStep("book");
		this.jobs.runUntilIdle();
		assertThat(this.warehouse.pieces()).isEqualTo(10);
		assertThat(this.warehouse.mailer.sent).containsExactly("10 pieces, now 10");
	}

	@Test
	void forgottenStepIsDoneAgain() {
		String id = this.client.enqueue(this.order).id();
		this.jobs.runUntilIdle();
		assertThat(this.jobs.operations().job(id).forgetStep("ship")).isTrue();
		this.jobs.operations().job(id).retry();
		this.jobs.runUntilIdle();
		assertThat(this.orders.carrier.keys).hasSize(2);
		assertThat(this.jobs.waiting("order")).extracting(Job::id).containsExactly(id);
	}

}
