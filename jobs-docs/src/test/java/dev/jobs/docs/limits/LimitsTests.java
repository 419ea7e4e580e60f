package dev.jobs.docs.limits;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.docs.limits.Thumbnails.OrderChanged;
import dev.jobs.docs.limits.Thumbnails.RebuildIndex;
import dev.jobs.docs.limits.Thumbnails.ResizeImage;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that docs/limits.md is true.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@JobsTest
class LimitsTests {

	@Autowired
	private JobClient client;

	@Autowired
	private TestJobs jobs;

	@Autowired
	private Thumbnails thumbnails;

	@Autowired
	private Invoices invoices;

	@Autowired
	private Mails mails;

	@Autowired
	private Prices prices;

	@Autowired
	private Texts texts;

	@BeforeEach
	void clear() {
		this.mails.sent.clear();
		this.prices.done.clear();
		this.jobs.clear();
		this.invoices.sent.clear();
		this.thumbnails.made.clear();
	}

	@Test
	void fullQueueRefuses() {
		this.client.enqueueAll(IntStream.range(0, 100).mapToObj((i) -> new ResizeImage("i" + i, 1)).toList());
		assertThat(this.thumbnails.refusedWhenFull(new ResizeImage("more", 1))).startsWith("Too many");
		this.jobs.runUntilIdle();
		assertThat(this.client.find(this.thumbnails.refusedWhenFull(new ResizeImage("more", 1)))).isPresent();
	}

	@Test
	void tenantsTakeTurns() {
		IntStream.range(0, 200).forEach((i) -> this.client.enqueue(new Invoices.SendInvoice("noisy", "n" + i)));
		this.client.enqueue(new Invoices.SendInvoice("quiet", "q"));
		this.invoices.remind(new Invoices.Reminder("42"));
		assertThat(this.invoices.ofTenant("noisy").count(1000).number()).isEqualTo(200);
		this.jobs.runUntilIdle();
		assertThat(this.invoices.sent).hasSize(202);
		assertThat(this.invoices.sent.indexOf("q")).isLessThan(50);
	}

	@Test
	void urgentMailGoesFirst() {
		IntStream.range(0, 200).forEach((i) -> this.client.enqueue(new Mails.Mail("reader " + i, "news")));
		this.mails.forgotten(new Mails.Mail("ada", "your new password"));
		assertThat(this.mails.newsletters().number()).isEqualTo(200);
		this.jobs.runUntilIdle();
		assertThat(this.mails.sent).hasSize(201).startsWith("ada: your new password");
	}

	@Test
	void textsAreHeldBackAsTheProviderAsks() {
		IntStream.range(0, 5).forEach((i) -> this.client.enqueue(new Texts.SendText("de", "0" + i)));
		this.jobs.runUntilIdle();
		assertThat(this.texts.provider.texts).isBetween(2, 5);
		this.jobs.advance(Duration.ofMinutes(2));
		this.jobs.runUntilIdle();
		assertThat(this.texts.provider.texts).isEqualTo(6);
		this.texts.slowDownAndBack();
	}

	@Test
	void clientIsAskedToComeBackWhenTheQueueIsFull() {
		MockMvcTester web = MockMvcTester.of(List.of(new Uploads(this.client)),
				(builder) -> builder.setControllerAdvice(new Rejections()).build());
		this.client.enqueueAll(IntStream.range(0, 100).mapToObj((i) -> new ResizeImage("i" + i, 1)).toList());
		assertThat(web.post().uri("/images")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
			.hasHeader(HttpHeaders.RETRY_AFTER, "1");
		this.jobs.runUntilIdle();
		assertThat(web.post().uri("/images")).hasStatusOk();
	}

	@Test
	void jobsHaveTimesAndRunWithinThem() {
		this.prices.sendCode(new Prices.LoginCode("ada", "1"));
		assertThat(this.jobs.waiting("send-code")).extracting(Job::expiresAt)
			.containsOnly(this.jobs.now().plus(Duration.ofMinutes(5)));
		this.prices.quote(new Prices.Quote("coffee"), this.jobs.now().plus(Duration.ofMinutes(1)));
		this.jobs.runUntilIdle();
		assertThat(this.prices.done).containsExactlyInAnyOrder("code 1", "quote of coffee in time");
	}

	@Test
	void fewOfManyEnqueuesRun() {
		this.prices.changed(new Prices.Article(7, "one"));
		this.jobs.advance(Duration.ofSeconds(20));
		this.prices.changed(new Prices.Article(7, "two"));
		this.prices.pushed(new Prices.Article(8, "three"));
		this.prices.pushed(new Prices.Article(8, "four"));
		assertThat(this.prices.warn(new Prices.Warning("north")).isNew()).isTrue();
		assertThat(this.prices.warn(new Prices.Warning("north")).isNew()).isFalse();
		this.jobs.advance(Duration.ofSeconds(30));
		assertThat(this.prices.done).containsExactlyInAnyOrder("article four", "warning of north", "article two");
	}

	@Test
	void enqueueWithRoomDoesNotWait() {
		this.thumbnails.waitsForRoom(new ResizeImage("a", 1));
		assertThat(this.jobs.waiting("resize-image")).hasSize(1);
	}

	@Test
	void equalPayloadIsADuplicate() {
		assertThat(this.client.enqueue(new RebuildIndex("paris")).outcome()).isEqualTo(Enqueued.Outcome.NEW);
		assertThat(this.client.enqueue(new RebuildIndex("paris")).outcome()).isEqualTo(Enqueued.Outcome.DUPLICATE);
		assertThat(this.client.enqueue(new RebuildIndex("berlin")).outcome()).isEqualTo(Enqueued.Outcome.NEW);
	}

	@Test
	void oneChangeOfAnOrderWaits() {
		this.thumbnails.oneForEachOrder(new OrderChanged(7, "paid"));
		this.thumbnails.oneForEachOrder(new OrderChanged(7, "sent"));
		assertThat(this.jobs.payloads("order-changed", OrderChanged.class)).extracting(OrderChanged::status)
			.containsExactly("paid");
	}

	@Test
	void latestChangeOfAnOrderCountsAndStartsTheWaitAgain() {
		this.thumbnails.latestCounts(new OrderChanged(7, "paid"));
		this.jobs.advance(Duration.ofSeconds(20));
		this.thumbnails.latestCounts(new OrderChanged(7, "sent"));
		assertThat(this.jobs.payloads("order-changed", OrderChanged.class)).extracting(OrderChanged::status)
			.containsExactly("sent");
		assertThat(this.jobs.waiting("order-changed")).extracting(Job::dueAt)
			.containsExactly(this.jobs.now().plusSeconds(30));
	}

	@Test
	void pausedQueueContinuesOnceResumed() {
		this.client.enqueue(new ResizeImage("a", 1));
		this.thumbnails.calmDown();
		this.jobs.runUntilIdle();
		assertThat(this.thumbnails.made).containsExactly("a");
	}

	/**
	 * A controller without a word about full queues.
	 */
	@RestController
	private static final class Uploads {

		private final JobClient client;

		Uploads(JobClient client) {
			this.client = client;
		}

		@PostMapping("/images")
		String upload() {
			return this.client.enqueue(new ResizeImage("more", 1)).id();
		}

	}

}
