package dev.jobs.docs.enqueueing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Stream;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.docs.enqueueing.Orders.OrderMail;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/enqueueing.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class EnqueueingTests {

	private static final OrderMail MAIL = new OrderMail("ada@example.org", 7);

	@Autowired
	private JobClient client;

	@Autowired
	private Orders orders;

	@Autowired
	private TestJobs jobs;

	@BeforeEach
	void clear() {
		this.jobs.clear();
	}

	@Test
	void everyOutcomeIsInTheTable() throws IOException {
		String page = Files.readString(Path.of("../docs/enqueueing.md"));
		assertThat(Stream.of(Enqueued.Outcome.values()))
			.allSatisfy((outcome) -> assertThat(page).contains("| `" + outcome + "` |"));
	}

	@Test
	void jobIsStoredWhenTheCallReturns() {
		Enqueued enqueued = this.orders.now(MAIL);
		assertThat(enqueued.isNew()).isTrue();
		assertThat(this.client.find(enqueued.id())).isPresent();
	}

	@Test
	void jobsForLaterAreDueThen() {
		this.orders.later(MAIL, this.jobs.now().plus(Duration.ofDays(1)));
		assertThat(this.jobs.waiting()).extracting(Job::dueAt)
			.containsExactly(this.jobs.now().plus(Duration.ofMinutes(10)), this.jobs.now().plus(Duration.ofDays(1)));
	}

	@Test
	void nineInParisIsSevenInUtcInSummer() {
		assertThat(this.orders.atNineInParis(MAIL, LocalDate.of(2030, 7, 1)).dueAt())
			.isEqualTo(Instant.parse("2030-07-01T07:00:00Z"));
	}

	@Test
	void textIsAPayloadOnlyBehindAName() {
		this.orders.byName("hello");
		assertThat(this.jobs.waiting()).extracting(Job::name)
			.containsExactlyInAnyOrder("rebuild-index", "send-sms", "print");
		assertThat(this.jobs.payloads("print", String.class)).containsExactly("hello");
	}

	@Test
	void manyAreStoredAtOnce() {
		assertThat(this.orders.many(List.of(MAIL, MAIL))).extracting(Enqueued::outcome)
			.containsExactly(Enqueued.Outcome.NEW, Enqueued.Outcome.NEW);
	}

	@Test
	void secondReminderReplacesTheFirst() {
		this.orders.withOptions(MAIL);
		this.orders.withOptions(new OrderMail("bob@example.org", 7));
		assertThat(this.jobs.payloads("send-email", OrderMail.class)).extracting(OrderMail::to)
			.containsExactly("bob@example.org");
		assertThat(this.jobs.waiting()).singleElement()
			.satisfies((job) -> assertThat(job.tags()).containsExactly("customer:42"))
			.satisfies((job) -> assertThat(job.headers()).containsEntry("source", "checkout"));
	}

	@Test
	void lambdaWithABlockReturnsTheLastCopy() {
		this.orders.withOptionsThatDepend(MAIL, true);
		this.orders.withOptionsThatDepend(MAIL, false);
		assertThat(this.jobs.waiting()).allSatisfy((job) -> assertThat(job.tags()).containsExactly("order 7"))
			.extracting(Job::dueAt)
			.containsExactlyInAnyOrder(this.jobs.now().plus(Duration.ofHours(8)), this.jobs.now());
	}

	@Test
	void transactionStoresBothJobs() {
		this.orders.inATransaction(MAIL, new OrderMail("audit@example.org", 7));
		assertThat(this.jobs.waiting()).hasSize(2);
	}

	@Test
	void enqueueThatWorksReturnsTheId() {
		assertThat(this.client.find(this.orders.andItsErrors(MAIL))).isPresent();
	}

	@Test
	void jobIsFoundAndThenCancelled() {
		String id = this.orders.now(MAIL).id();
		assertThat(this.orders.afterwards(id)).isEqualTo("READY, attempt 1");
		assertThat(this.orders.afterwards(id)).isEqualTo("gone: done or cancelled");
	}

}
