package dev.jobs.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobRequest;
import dev.jobs.JobResult;
import dev.jobs.SavedStep;
import dev.jobs.Urgency;
import dev.jobs.WaitReason;
import dev.jobs.test.ExpectsFaults;
import dev.jobs.test.SettableClock;
import dev.jobs.test.TestJobContext;
import dev.jobs.test.TestJobs;
import dev.jobs.test.spring.JobsTest;
import org.awaitility.Awaitility;
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
	private SettableClock clock;

	@Autowired
	private Mailer mailer;

	@Autowired
	private Shop shop;

	@Autowired
	private ArticleImporter importer;

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
	@ExpectsFaults("The carrier does not answer")
	void orderIsFulfilledInStepsEachOfWhichIsDoneOnce() {
		String id = sell("vase");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.operations().job(id).steps()).extracting(SavedStep::name)
			.containsExactlyInAnyOrder("charge", "reserve");
		this.jobs.advance(Duration.ofSeconds(10));
		assertThat(this.shop.reserved()).containsEntry("vase", 1L);
		assertThat(this.jobs.operations().job(id).steps()).extracting(SavedStep::name)
			.contains("charge", "reserve", "hand over to the carrier", "mail")
			.doesNotContain("ask for a review");
		assertThat(this.mailer.sent()).extracting(OrderMail::text).anyMatch((text) -> text.startsWith("Parcel JD"));
		assertThat(this.jobs.waitingFor(id)).containsExactly("delivered/" + id);
		post("/deliveries/" + id, "{\"where\":\"at the door\"}");
		this.jobs.runUntilIdle();
		this.jobs.advance(Duration.ofMinutes(1));
		assertThat(this.mailer.sent()).extracting(OrderMail::text)
			.contains("How do you like your vase, which was left at the door?");
		assertThat(this.jobs.waiting()).isEmpty();
	}

	@Test
	@ExpectsFaults("The carrier does not answer")
	void customerIsToldWhenTheParcelDoesNotArrive() {
		sell("jug");
		this.jobs.runUntilIdle();
		this.jobs.advance(Duration.ofSeconds(10));
		this.jobs.advance(Duration.ofMinutes(10));
		assertThat(this.mailer.sent()).extracting(OrderMail::text)
			.anyMatch((text) -> text.endsWith("has not arrived; we look for it."));
	}

	@Test
	void articleIsReservedOnceThoughTheProcessDiesAfterThat() {
		sell("bowl");
		this.jobs.killAfterStep("reserve");
		this.jobs.runUntilIdle();
		assertThat(this.shop.reserved()).containsEntry("bowl", 1L);
		assertThat(this.mailer.sent()).extracting(OrderMail::text).anyMatch((text) -> text.startsWith("Parcel JD"));
	}

	private String sell(String article) {
		post("/purchases", "{\"customer\":\"ada@example.org\",\"article\":\"" + article + "\"}");
		return this.jobs.waiting("fulfil-order").get(0).id();
	}

	@Test
	void importIsGivenBackWhenTheApplicationStopsAndContinuesWhereItWas() throws InterruptedException {
		ImportArticles wish = new ImportArticles("ada", 3);
		TestJobContext stopping = new TestJobContext("import-articles").saved("imported", 1).stopping();
		assertThat(this.importer.importArticles(wish, stopping)).isEqualTo(JobResult.yield());
		assertThat(this.shop.reserved()).doesNotContainKey("ada 2");
		TestJobContext next = new TestJobContext("import-articles").saved("imported", 1);
		assertThat(this.importer.importArticles(wish, next)).isEqualTo(JobResult.done());
		assertThat(this.shop.reserved()).containsKeys("ada 2", "ada 3").doesNotContainKey("ada 1");
		assertThat(next.saved()).containsEntry("imported", 3);
	}

	@Test
	void secondImportOfASupplierIsTheFirstOne() {
		assertThat(this.web.post().uri("/imports/acme")).bodyJson().extractingPath("$.outcome").isEqualTo("NEW");
		assertThat(this.web.post().uri("/imports/acme")).bodyJson().extractingPath("$.outcome").isEqualTo("DUPLICATE");
		assertThat(this.jobs.waiting("import-articles")).hasSize(1);
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
	void reminderIsMoved() {
		OrderMail reminder = new OrderMail("bob@example.org", 9, "Your order waits.");
		String id = this.client.enqueue(reminder, (options) -> options.delay(Duration.ofMinutes(10))).id();
		assertThat(this.web.put().uri("/reminders/{id}?at={at}", id, this.clock.instant().plusSeconds(60)))
			.hasStatusOk();
		this.jobs.advance(Duration.ofMinutes(1));
		assertThat(this.mailer.sent()).contains(reminder);
		assertThat(this.web.put().uri("/reminders/{id}?at={at}", id, this.clock.instant()))
			.hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void customerIsRemindedOnceOfWhatIsInTheBasketInTheEnd() {
		assertThat(fill("[\"kettle\"]")).bodyJson().extractingPath("$.outcome").isEqualTo("NEW");
		this.jobs.advance(Duration.ofMinutes(40));
		assertThat(fill("[\"kettle\",\"lamp\"]")).bodyJson().extractingPath("$.outcome").isEqualTo("RESCHEDULED");
		this.jobs.advance(Duration.ofMinutes(40));
		assertThat(this.jobs.payloads("send-email", OrderMail.class)).extracting(OrderMail::text)
			.containsExactly("In your basket: kettle, lamp");
		this.jobs.advance(Duration.ofMinutes(20));
		assertThat(this.jobs.waiting("send-email")).isEmpty();
	}

	private MvcTestResult fill(String articles) {
		return this.web.put()
			.uri("/baskets/ada@example.org")
			.contentType(MediaType.APPLICATION_JSON)
			.content(articles)
			.exchange();
	}

	@Test
	void codeGoesBeforeAllOtherMailsOrNotAtAllOnceItIsOfNoUse() {
		post("/orders", "{\"customer\":\"hal@example.org\",\"article\":\"lamp\"}");
		post("/codes/ivy@example.org", "");
		this.jobs.runUntilIdle();
		assertThat(this.mailer.sent()).extracting(OrderMail::to).startsWith("hal@example.org", "ivy@example.org");
		post("/codes/joe@example.org", "");
		this.clock.advance(Duration.ofMinutes(11));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("send-email")).isEmpty();
		assertThat(this.mailer.sent()).extracting(OrderMail::to).doesNotContain("joe@example.org");
	}

	@Test
	void onlyTheLatestCountOfAnArticleWaitsAndTheBuyerIsToldOnceAnHour() {
		assertThat(count(4)).bodyJson().extractingPath("$.outcome").isEqualTo("NEW");
		assertThat(count(3)).bodyJson().extractingPath("$.outcome").isEqualTo("REPLACED");
		assertThat(this.jobs.payloads("show-stock", ShowStock.class)).containsExactly(new ShowStock("globe", 3));
		assertThat(this.jobs.payloads("send-email", OrderMail.class)).extracting(OrderMail::text)
			.containsExactly("Only 4 left: globe");
		this.clock.advance(Duration.ofHours(1));
		count(2);
		assertThat(this.jobs.waiting("send-email")).hasSize(2);
	}

	private MvcTestResult count(int left) {
		return this.web.put()
			.uri("/stock/globe")
			.contentType(MediaType.APPLICATION_JSON)
			.content(Integer.toString(left))
			.exchange();
	}

	@Test
	@ExpectsFaults("503 busy")
	void noticeIsSentSoonAfterTheGatewayWasBusy() {
		post("/notices", notice("\"phone\",\"number\":\"+1 555 0100\""));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.payloads("send-notice", Notice.class)).extracting(Notice::contact)
			.containsExactly(new Notice.Phone("+1 555 0100"));
		this.jobs.advance(Duration.ofSeconds(5));
		assertThat(this.jobs.waiting("send-notice")).isEmpty();
		assertThat(this.jobs.dead()).isEmpty();
	}

	@Test
	void noticeByLetterNeedsNoGateway() {
		post("/notices", notice("\"letter\",\"address\":\"1 Main Street\""));
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.jobs.waiting("send-notice")).isEmpty();
	}

	@Test
	@ExpectsFaults("503 busy")
	void textMessagesRestWhenTheGatewayAsksForItAndLettersDoNot() {
		for (int i = 0; i < 3; i++) {
			post("/notices", notice("\"phone\",\"number\":\"+1 555 0100\""));
		}
		this.jobs.advance(Duration.ofSeconds(5));
		post("/notices", notice("\"letter\",\"address\":\"1 Main Street\""));
		assertThat(this.jobs.runUntilIdle()).isOne();
		assertThat(this.jobs.waiting("send-notice")).isNotEmpty()
			.allMatch((job) -> this.jobs.operations().waitReason(job).kind() == WaitReason.Kind.HELD_BACK)
			.allMatch((job) -> job.attempt() == 2);
		this.jobs.advance(Duration.ofSeconds(40));
		assertThat(this.jobs.waiting("send-notice")).isEmpty();
	}

	@Test
	@ExpectsFaults("400 no number")
	void noticeThatTheGatewayRefusesIsDeadAtOnce() {
		post("/notices", notice("\"phone\",\"number\":\"none\""));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.dead()).extracting(Job::attempt).containsExactly(1);
	}

	private static String notice(String contact) {
		return "{\"contact\":{\"@type\":" + contact + "},\"text\":\"It is on its way.\"}";
	}

	@Test
	@ExpectsFaults("A picture is at least 1 wide")
	void pictureWithoutAWidthIsDeadAtOnce() {
		post("/images", "{\"article\":\"lamp\",\"width\":0}");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.dead()).extracting(Job::attempt).containsExactly(1);
	}

	@Test
	void queueIsLimitedUntilItsLimitIsRemoved() {
		this.client.enqueue(new ResizeImage("lamp", 16));
		assertThat(limit("resize-image", 1)).hasStatusOk();
		assertThat(this.web.get().uri("/queues")).bodyJson()
			.extractingPath("$[?(@.name == 'resize-image')].limit")
			.asArray()
			.containsExactly(1);
		assertThat(this.web.delete().uri("/queues/resize-image/limit")).hasStatusOk();
		assertThat(this.web.get().uri("/queues")).bodyJson()
			.extractingPath("$[?(@.name == 'resize-image')].limit")
			.asArray()
			.containsExactly(-1);
		assertThat(limit("resize-image", 0)).hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(limit("none", 1)).hasStatus(HttpStatus.NOT_FOUND);
	}

	private MvcTestResult limit(String queue, int limit) {
		return this.web.put()
			.uri("/queues/{queue}/limit", queue)
			.contentType(MediaType.APPLICATION_JSON)
			.content(Integer.toString(limit))
			.exchange();
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
	void exportTellsItsFileOnceItIsWritten() throws Exception {
		String id = this.client.enqueue(new ExportOrders(2025)).id();
		assertThat(this.web.get().uri("/exports/{id}/file", id)).hasStatus(HttpStatus.ACCEPTED);
		this.jobs.runUntilIdle();
		assertThat(this.web.get().uri("/exports/{id}/file", id)).bodyJson()
			.extractingPath("$.name")
			.isEqualTo("orders-2025.csv");
		this.jobs.advance(Duration.ofHours(1));
		assertThat(this.web.get().uri("/exports/{id}/file", id)).hasStatus(HttpStatus.NOT_FOUND);
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
	void newcomerIsGreeted() {
		assertThat(this.web.get().uri("/")).hasStatusOk().hasForwardedUrl("index.html");
		assertThat(this.web.get().uri("/index.html")).hasStatusOk().bodyText().contains("The shop is open");
		assertThat(this.web.get().uri("/shop.js")).hasStatusOk();
		assertThat(this.web.get().uri("/shop.css")).hasStatusOk();
	}

	@Test
	void refundIsRetriedOnceTheBankAnswersAndFoundByItsTags() {
		post("/refunds", "{\"customer\":\"ada@example.org\",\"cents\":1250}");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("refund")).singleElement()
			.satisfies((job) -> assertThat(job.tags()).containsExactlyInAnyOrder("customer:ada@example.org",
					"team:billing"));
		this.jobs.advance(Duration.ofSeconds(5));
		assertThat(this.jobs.waiting("refund")).isEmpty();
		assertThat(this.jobs.dead()).isEmpty();
	}

	@Test
	@ExpectsFaults("There is nothing to refund")
	void refundsOfACustomerArePaidInOrderAndOneThatIsGivenUpHoldsUpNoOther() {
		post("/refunds", "{\"customer\":\"bob@example.org\",\"cents\":0}");
		post("/refunds", "{\"customer\":\"bob@example.org\",\"cents\":100}");
		post("/refunds", "{\"customer\":\"bob@example.org\",\"cents\":200}");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.dead()).hasSize(1);
		assertThat(this.jobs.payloads("refund", Refund.class)).extracting(Refund::cents)
			.containsExactlyInAnyOrder(100L, 200L);
		this.jobs.advance(Duration.ofSeconds(5));
		assertThat(this.jobs.payloads("refund", Refund.class)).extracting(Refund::cents).containsExactly(200L);
		this.jobs.advance(Duration.ofSeconds(5));
		assertThat(this.jobs.waiting("refund")).isEmpty();
	}

	@Test
	@ExpectsFaults("There is nothing to refund")
	void refundOfNothingIsDeadAndRaisesAnAlarm() {
		post("/refunds", "{\"customer\":\"ada@example.org\",\"cents\":0}");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.dead()).hasSize(1);
		assertThat(this.web.get().uri("/alarms")).bodyText().contains("refund is dead: There is nothing to refund");
	}

	@Test
	void everyCustomerGetsAMailAboutANewArticle() {
		post("/orders", "{\"customer\":\"eve@example.org\",\"article\":\"lamp\"}");
		post("/orders", "{\"customer\":\"dan@example.org\",\"article\":\"lamp\"}");
		post("/orders", "{\"customer\":\"dan@example.org\",\"article\":\"lamp\"}");
		post("/articles/clock", "");
		assertThat(this.jobs.payloads("send-email", OrderMail.class))
			.filteredOn((mail) -> mail.text().equals("New in the shop: a clock."))
			.extracting(OrderMail::to)
			.contains("eve@example.org", "dan@example.org")
			.doesNotHaveDuplicates();
	}

	@Test
	void newsComeBehindOtherMailsAndNotADayLater() {
		post("/orders", "{\"customer\":\"fay@example.org\",\"article\":\"lamp\"}");
		this.jobs.runUntilIdle();
		post("/articles/clock", "");
		post("/orders", "{\"customer\":\"gus@example.org\",\"article\":\"lamp\"}");
		assertThat(this.jobs.waiting("send-email")).filteredOn((job) -> job.expiresAt() != null)
			.isNotEmpty()
			.extracting(Job::urgency)
			.containsOnly(Urgency.LOW);
		this.jobs.runUntilIdle();
		assertThat(this.mailer.sent().get(0).text()).startsWith("New in the shop");
	}

	@Test
	void picturesOfAnArticleAreInItsLane() {
		this.client.enqueue(new ResizeImage("lamp", 16));
		assertThat(this.jobs.waiting("resize-image")).extracting(Job::lane).containsExactly("lamp");
	}

	@Test
	@ExpectsFaults("A picture is at least 1 wide")
	void allDeadJobsOfAQueueAreRetriedInTheBackground() {
		post("/images", "{\"article\":\"lamp\",\"width\":0}");
		this.jobs.runUntilIdle();
		Instant died = this.jobs.dead().get(0).trail().end().at();
		this.jobs.advance(Duration.ofSeconds(1));
		assertThat(this.web.post().uri("/queues/resize-image/retry")).hasStatusOk();
		this.jobs.advance(Duration.ofSeconds(5));
		assertThat(this.jobs.dead()).singleElement()
			.satisfies((job) -> assertThat(job.trail().end().at()).isAfter(died));
	}

	@Test
	void mailsThatWaitArePutOff() {
		post("/orders", "{\"customer\":\"kim@example.org\",\"article\":\"lamp\"}");
		Instant later = this.clock.instant().plus(Duration.ofHours(1));
		post("/queues/send-email/postpone?until=" + later, "");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("send-email")).extracting(Job::dueAt).containsExactly(later);
		this.jobs.advance(Duration.ofHours(1));
		assertThat(this.mailer.sent()).extracting(OrderMail::to).contains("kim@example.org");
	}

	@Test
	void whatWaitsInALaneIsMovedToAnother() {
		post("/queues/resize-image/pause", "");
		post("/images", "{\"article\":\"lamp\",\"width\":16}");
		post("/queues/resize-image/lanes/lamp/move?to=globe", "");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("resize-image")).extracting(Job::lane).containsExactly("globe");
	}

	@Test
	void newArticleWaitsForRoomForItsPicture() throws Exception {
		this.client.enqueueAll(IntStream.range(0, 100)
			.mapToObj((i) -> JobRequest.ofPayload(new ResizeImage("lamp", 100 + i)))
			.toList());
		FutureTask<?> offer = new FutureTask<>(() -> post("/articles/clock", ""), null);
		Thread seller = new Thread(offer);
		seller.start();
		Awaitility.await().until(() -> seller.getState() == Thread.State.TIMED_WAITING);
		this.client.cancel(this.jobs.waiting("resize-image").get(0).id());
		offer.get();
		assertThat(this.jobs.payloads("resize-image", ResizeImage.class)).hasSize(100)
			.extracting(ResizeImage::article)
			.contains("clock");
	}

	@Test
	void parcelIsPutOffWithoutAnAttemptUntilItsOrderIsPaid() {
		post("/parcels", "{\"order\":70,\"address\":\"1 Main Street\"}");
		this.jobs.advance(Duration.ofMinutes(30));
		assertThat(this.jobs.waiting("send-parcel")).singleElement().satisfies((job) -> {
			assertThat(job.attempt()).isEqualTo(1);
			assertThat(job.trail().postponements()).isGreaterThan(20);
		});
		post("/payments/70", "");
		this.jobs.advance(Duration.ofMinutes(1));
		assertThat(this.jobs.waiting("send-parcel")).isEmpty();
	}

	@Test
	void parcelThatWasSentIsKept() {
		post("/payments/71", "");
		post("/parcels", "{\"order\":71,\"address\":\"1 Main Street\"}");
		this.jobs.runUntilIdle();
		assertThat(this.web.get().uri("/actuator/jobs/list?name=send-parcel&state=succeeded")).bodyJson()
			.extractingPath("$.count.number")
			.isEqualTo(1);
	}

	@Test
	@ExpectsFaults("Argument 'address' should be a string")
	void parcelWithoutAnAddressIsDead() {
		post("/parcels", "{\"order\":72}");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.dead()).singleElement()
			.satisfies((job) -> assertThat(job.trail().end().message()).contains("but it is missing"));
	}

	@Test
	void parcelThatWaitsUnderTheFormerNameIsSent() {
		post("/payments/73", "");
		this.client.enqueue("ship-order", Map.of("order", 73, "address", "1 Main Street"));
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting()).extracting(Job::name).doesNotContain("ship-order");
		assertThat(this.jobs.dead()).isEmpty();
	}

	@Test
	void jobsCarryTheBranchThatEnqueuedThem() {
		post("/orders", "{\"customer\":\"ada@example.org\",\"article\":\"teapot\"}");
		assertThat(this.jobs.waiting("send-email")).singleElement()
			.satisfies((job) -> assertThat(job.headers()).containsEntry("branch", "main street"));
	}

	@Test
	void pausedQueueRunsNothingUntilItIsResumed() {
		post("/queues/send-email/pause", "");
		post("/orders", "{\"customer\":\"ada@example.org\",\"article\":\"teapot\"}");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("send-email")).hasSize(1);
		post("/queues/send-email/resume", "");
		this.jobs.runUntilIdle();
		assertThat(this.jobs.waiting("send-email")).isEmpty();
	}

	@Test
	void scheduleRunsNow() {
		post("/schedules/calculate-caches/run", "");
		assertThat(this.jobs.waiting("calculate-caches")).hasSize(1);
		assertThat(this.web.post().uri("/schedules/none/run")).hasStatus(HttpStatus.NOT_FOUND);
	}

	private void post(String path, String body) {
		assertThat(this.web.post().uri(path).contentType(MediaType.APPLICATION_JSON).content(body)).hasStatusOk();
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
	void refundOfNobodyIsRefused() {
		assertThat(this.web.post().uri("/refunds").contentType(MediaType.APPLICATION_JSON).content("{\"cents\":1}"))
			.hasStatus(HttpStatus.BAD_REQUEST);
		assertThat(this.jobs.payloads("refund", Refund.class)).isEmpty();
	}

	@Test
	void queueThatDoesNotExistIsNotPaused() {
		assertThat(this.web.post().uri("/queues/none/pause")).hasStatus(HttpStatus.NOT_FOUND);
	}

	@Test
	void jobThatDoesNotExistIsNotFound() {
		assertThat(this.web.get().uri("/exports/none")).hasStatus(HttpStatus.NOT_FOUND);
		assertThat(this.web.delete().uri("/exports/none")).hasStatus(HttpStatus.NOT_FOUND);
	}

}
