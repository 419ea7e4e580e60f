package dev.jobs.dashboard;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.jobs.EnqueueOptions;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.SavedStep;
import dev.jobs.Signal;
import dev.jobs.Unique;
import dev.jobs.store.Change;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an operator's work in a real browser, with any store.
 */
@ExpectsFaults("failing with")
abstract class ChromiumSuite extends BrowserTest {

	private static final Map<String, String> CLASSES = Map.of("Waiting", "ready", "Scheduled", "scheduled", "Retrying",
			"retrying", "Running", "running", "Dead", "dead");

	@Test
	void someOrAllThatMatchAreChosenAndActedOn() {
		die(60, "no paper");
		open("jobs?state=dead&queue=fail");
		this.browser.click("tbody tr:nth-child(1) input");
		this.browser.click("tbody tr:nth-child(3) input");
		this.browser.awaitText(".selection", "2 jobs selected.");
		this.browser.click(".selection [data-act=delete]");
		assertThat(this.browser.confirm()).isEqualTo("Delete 2 jobs?");
		this.browser.awaitText("#toasts", "2 jobs deleted");
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isEqualTo(58);
		this.browser.awaitText(".page-head", "58");
		this.browser.click("thead input");
		this.browser.click("[data-act=everything]");
		this.browser.awaitText(".selection", "All 58 matching jobs are selected.");
		this.operations.queue("fail").pause();
		this.browser.click(".selection [data-act=retry]");
		assertThat(this.browser.confirm()).isEqualTo("Retry 58 jobs?");
		this.browser.awaitText("#toasts", "58 jobs retried");
		assertThat(count(JobFilter.of((only) -> only.states(JobState.READY)))).isEqualTo(58);
		open("jobs?state=ready&queue=fail");
		this.browser.awaitText("tbody", "no paper");
		assertThat(this.browser.script("return document.querySelectorAll('tbody tr').length")).isEqualTo(50L);
		this.browser.click("[data-act=more]");
		this.browser.awaitGone("[data-act=more]");
		assertThat(this.browser.script("return document.querySelectorAll('tbody tr').length")).isEqualTo(58L);
		this.browser.script("scrollTo(0, 0)");
		this.browser.click("thead input");
		this.browser.click(".selection [data-act=cancel]");
		assertThat(this.browser.confirm()).isEqualTo("Cancel 58 jobs?");
		awaitCount(JobFilter.of((only) -> only.states(JobState.READY)), 0);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1280, 360 })
	void actionOnAllMatchesCountsTheJobsItChanges(int width) {
		this.browser.size(width, 800);
		die(51, "no paper");
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("jobs");
		this.browser.awaitText(".page-head", "52 jobs");
		this.browser.click("thead input");
		this.browser.click("[data-act=everything]");
		this.browser.awaitText(".selection", "All 52 matching jobs are selected.");
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		this.browser.click(".selection [data-act=cancel]");
		this.browser.awaitText("dialog[open]", "Jobs that have ended are not changed.");
		assertThat(this.browser.confirm()).isEqualTo("Cancel 2 jobs?");
		this.browser.awaitText("#toasts", "2 jobs cancelled");
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isEqualTo(51);
		this.browser.awaitGone(".selection");
		assertThat(this.browser.script("return document.activeElement.tagName")).isEqualTo("H1");
	}

	@Test
	void jobsAreFoundByTheirKeyAndTheirTag() {
		Consumer<EnqueueOptions.Builder> options = (set) -> set.delay(Duration.ofHours(1));
		String keyed = this.client.enqueue("nightly", options.andThen((set) -> set.unique(Unique.byKey("order 7"))))
			.id();
		String tagged = this.client
			.enqueue("nightly", options.andThen((set) -> set.tags("customer:42", ATTACK.replace(",", ""))))
			.id();
		open("jobs");
		this.browser.type("#query", "unique:\"order 7\"");
		this.browser.awaitText(".page-head p", "1 job");
		this.browser.awaitText("tbody tr:only-child", keyed);
		this.browser.type("#query", "tag:customer:42");
		this.browser.awaitText("tbody tr:only-child", tagged);
		open("job?id=" + tagged);
		this.browser.awaitText(".facts", "customer:42", ATTACK);
		this.browser.click(".facts .tag");
		this.browser.awaitText("tbody tr:only-child", tagged);
		this.browser.click("thead input");
		this.browser.click(".selection [data-act=cancel]");
		assertThat(this.browser.confirm()).isEqualTo("Cancel 1 job?");
		this.browser.awaitText("main .empty", "No matching jobs");
		assertThat(this.client.find(keyed)).isPresent();
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	void deadJobsAreActedOnByWhatTheyDiedOf() {
		die(3, "no paper");
		die(1, "no ink");
		open("dead");
		this.browser.awaitText("tbody tr:nth-child(1)", "3", "no paper");
		this.browser.awaitText("tbody tr:nth-child(2)", "1", "no ink");
		die(1, "no ink");
		this.browser.click("tbody tr:nth-child(2) [data-act=delete]");
		assertThat(this.browser.confirm()).isEqualTo("Delete 2 dead jobs?");
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 3);
		this.operations.queue("fail").pause();
		this.browser.awaitGone("tbody tr:nth-child(2)");
		this.browser.click("[data-act=retry-all]");
		assertThat(this.browser.confirm()).isEqualTo("Retry 3 dead jobs?");
		awaitCount(JobFilter.of((only) -> only.states(JobState.READY).name("fail")), 3);
		this.browser.awaitText("main .empty", "No dead jobs");
	}

	@Test
	void groupOfDeadJobsHasAPageWithItsJobs() {
		die(1, "no ink");
		for (int order = 10; order < 13; order++) {
			die(1, "Order " + order + " was declined");
		}
		open("dead");
		this.browser.awaitText("tbody tr:nth-child(1) .cause", "Order number was declined", "3 distinct messages");
		this.browser.awaitText("tbody tr:nth-child(1)", "fail");
		this.browser.click("tbody tr:nth-child(1) .cause a");
		this.browser.awaitText("main h1", "Order number was declined");
		this.browser.awaitText("main .frame", "Applications$Work.fail");
		this.browser.awaitText("main tbody", "Order 10 was declined", "Order 11 was declined", "Order 12 was declined");
		assertThat(this.browser.text("main tbody")).doesNotContain("no ink");
		this.operations.queue("fail").pause();
		this.browser.click("[data-act=retry]");
		assertThat(this.browser.confirm()).isEqualTo("Retry 3 dead jobs?");
		this.browser.awaitText("#toasts", "3 jobs retried");
		this.browser.awaitText("main h1", "Dead");
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isOne();
		assertThat(count(JobFilter.of((only) -> only.states(JobState.READY).name("fail")))).isEqualTo(3);
	}

	@Test
	void causeIsResolvedUntilAJobDiesOfItAgain() {
		die(2, "no paper");
		die(1, "no ink");
		open("dead");
		this.browser.awaitText("tbody tr:nth-child(1)", "no paper");
		this.browser.click("tbody tr:nth-child(1) [data-act=resolve]");
		this.browser.awaitText("main .part", "1 cause resolved.");
		assertThat(this.browser.text("tbody")).contains("no ink").doesNotContain("no paper");
		die(1, "no paper");
		this.browser.awaitText("tbody tr:nth-child(1)", "no paper", "Came back");
		open("activity");
		this.browser.awaitText("tbody tr:nth-child(1)", "resolved cause", "no paper");
		this.browser.click("tbody tr:nth-child(1) td.name a");
		this.browser.awaitText("main .frame", "Came back");
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	void jobIsEnqueuedAgainWithAnEditedPayload() {
		die(1, "no paper");
		String dead = idIn("dead");
		open("job?id=" + dead);
		this.operations.queue("fail").pause();
		this.browser.click("[data-act=enqueue]");
		this.browser.fill("dialog textarea", "\"no ink");
		this.browser.awaitText("dialog .problem", "This is not valid JSON.");
		assertThat(this.browser.has("#dialog-yes:disabled")).isTrue();
		this.browser.fill("dialog textarea", "\"no ink\"");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "fail enqueued");
		this.browser.awaitText("main .payload", "no ink");
		awaitCount(JobFilter.of((only) -> only.states(JobState.READY).name("fail")), 1);
		assertThat(new String(this.client.find(idIn("ready")).orElseThrow().payload(), StandardCharsets.UTF_8))
			.isEqualTo("\"no ink\"");
		assertThat(this.client.find(dead)).isPresent();
	}

	@Test
	void stepsOfAJobAreShownAndForgotten() throws IOException {
		String id = this.client.enqueue("saves", ATTACK).id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 1);
		for (String theme : List.of("light", "dark")) {
			for (int width : List.of(1280, 390)) {
				this.browser.size(width, 844);
				open("job?id=" + id);
				this.browser.script("document.documentElement.dataset.theme = arguments[0]", theme);
				this.browser.awaitText(".steps", "line", "charge", "mail", "<script>window.attacked=1</script>");
				assertThat(this.browser.axe()).as(theme + " " + width).isEmpty();
				assertThat(this.browser
					.script("return document.documentElement.scrollWidth > document.documentElement.clientWidth"))
					.isEqualTo(false);
			}
		}
		this.browser.size(1280, 844);
		this.browser.click(".steps [data-key=charge] [data-act=forget-step]");
		assertThat(this.browser.confirm()).isEqualTo("Forget charge?");
		this.browser.awaitText("#toasts", "charge forgotten");
		this.browser.awaitGone(".steps [data-key=charge]");
		assertThat(this.operations.job(id).steps()).extracting(SavedStep::name).containsExactly("line", "mail");
		open("activity");
		this.browser.awaitText("tbody tr:nth-child(1)", "forgot step charge of " + id);
		this.browser.click("tbody tr:nth-child(1) td.name a");
		this.browser.awaitText("main .id", id);
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	void signalIsSentByAButton() throws IOException {
		String id = this.client.enqueue("approval", "order 7").id();
		String follower = this.client.enqueue("follow", id).id();
		String longest = this.client.enqueue("approval", "x".repeat(Signal.LONGEST_SUBJECT)).id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.WAITING)), 3);
		Map<String, Integer> widths = Map.of("light", 1280, "dark", 390);
		for (String theme : widths.keySet()) {
			this.browser.size(widths.get(theme), 844);
			for (String page : List.of("job?id=" + id, "job?id=" + longest, "jobs?state=parked", "overview", "queues",
					"queues/approval")) {
				open(page);
				this.browser.script("document.documentElement.dataset.theme = arguments[0]", theme);
				this.browser.awaitText("main", "Parked");
				assertThat(this.browser.axe()).as(page + " " + theme).isEmpty();
				assertThat(this.browser
					.script("return document.documentElement.scrollWidth > document.documentElement.clientWidth"))
					.as(page + " " + theme)
					.isEqualTo(false);
			}
		}
		this.browser.size(1280, 844);
		open("job?id=" + follower);
		this.browser.awaitText("main .why", "Waits for job " + id, "since");
		this.browser.click("main .why a");
		this.browser.awaitText("main .why", "Waits for the signal approved about order 7 since", ", until");
		this.browser.click("[data-act=send-signal]");
		this.browser.type("#signal-value", "yes");
		this.browser.awaitText(".dialog .problem", "This is not valid JSON.");
		this.browser.type("#signal-value", "\"yes\"");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "Signal sent");
		this.browser.awaitText("main h1 + .pill", "Succeeded");
		assertThat(this.server.bean(Applications.Work.class).approvals).containsExactly("yes");
		open("activity");
		this.browser.awaitText("tbody tr:nth-child(1)", "sent signal", "approved/order 7");
		this.browser.click("tbody tr:nth-child(1) td.name a");
		this.browser.awaitText("main .id", id);
		this.operations.job(id).delete();
		this.operations.job(longest).delete();
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	void errorsAreSearchedAndAllThatMatchActedOn() {
		die(2, "no paper");
		die(1, "no ink");
		this.client.enqueue("nightly", "no paper", (options) -> options.delay(Duration.ofHours(1)));
		open("jobs");
		this.browser.type("#query", "error:\"No Paper\"");
		this.browser.awaitText(".page-head p", "2 jobs");
		assertThat(this.browser.text("tbody")).doesNotContain("no ink", "nightly");
		this.browser.click("thead input");
		this.browser.click(".selection [data-act=delete]");
		assertThat(this.browser.confirm()).isEqualTo("Delete 2 jobs?");
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 1);
	}

	@Test
	void jobsBeginWithWhatHappenedLastAndEndWithWhatIsDueTheLatest() {
		String far = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(2))).id();
		String near = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		die(1, "no paper");
		String dead = idIn("dead");
		open("jobs");
		this.browser.awaitText("tbody tr:nth-child(1)", dead);
		this.browser.awaitText("tbody tr:nth-child(2)", near);
		this.browser.awaitText("tbody tr:nth-child(3)", far);
		this.browser.awaitText(".page-head p", "3 jobs");
		assertThat(this.browser.has("th[aria-sort=descending]")).isTrue();
		this.browser.click("th .sort");
		this.browser.awaitText("tbody tr:nth-child(1)", dead);
		this.browser.awaitText("tbody tr:nth-child(3)", far);
		assertThat(this.browser.has("th[aria-sort=ascending]")).isTrue();
		assertThat(this.browser.script("return location.hash")).isEqualTo("#/jobs?order=oldest");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs?state=scheduled", "jobs?time=24h", "queues/nightly?tab=scheduled" })
	void jobsThatAreNotDueBeginWithTheSoonest(String page) {
		String far = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(2))).id();
		String near = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open(page);
		this.browser.awaitText("table.cards tbody tr:nth-child(1)", near);
		this.browser.awaitText("table.cards tbody tr:nth-child(2)", far);
		if (page.startsWith("jobs")) {
			assertThat(this.browser.has("th[aria-sort=ascending]")).isTrue();
			this.browser.click("th .sort");
			this.browser.awaitText("table.cards tbody tr:nth-child(1)", far);
			this.browser.click("th .sort");
			this.browser.awaitText("table.cards tbody tr:nth-child(1)", near);
		}
	}

	@Test
	void scheduleIsCreatedAndChangedInADialogThatStaysWhileTheServerRefuses() throws IOException {
		open("schedules");
		this.browser.click(".page-head [data-act=put]");
		this.browser.awaitText("dialog h2", "New schedule");
		assertThat(this.browser.axe()).isEmpty();
		this.browser.fill("#put-schedule", "report-42");
		this.browser.fill("#put-cron", "whenever");
		this.browser.fill("#put-job", "nightly");
		this.browser.fill("#put-payload", "{\"report\": 42}");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "whenever");
		this.browser.fill("#put-cron", "0 0 5 * * *");
		this.browser.fill("#put-zone", "Europe/Vienna");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "report-42 is created");
		this.browser.awaitText("tr[data-key=report-42]", "0 0 5 * * *", "Europe/Vienna");
		this.browser.click("tr[data-key=report-42] [data-act=put]");
		this.browser.fill("#put-cron", "0 0 6 * * *");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("tr[data-key=report-42]", "0 0 6 * * *", "Europe/Vienna");
		assertThat(this.operations.schedule("report-42").request().orElseThrow().getJob().getPayload())
			.isEqualTo("{\"report\": 42}".getBytes(StandardCharsets.UTF_8));
		this.operations.schedule("report-42").drop();
	}

	@Test
	void allDeadJobsOfAQueueOrOfAllAreDeleted() {
		die(3, "no paper");
		String waiting = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("dead/nightly");
		this.browser.awaitText("main .empty", "No dead jobs");
		open("dead/fail");
		this.browser.click("[data-act=delete-all]");
		this.browser.click("dialog[open] button:first-of-type");
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isEqualTo(3);
		this.browser.click("[data-act=delete-all]");
		assertThat(this.browser.confirm()).isEqualTo("Delete 3 dead jobs?");
		this.browser.awaitText("#toasts", "3 jobs deleted");
		this.browser.awaitText("main .empty", "No dead jobs");
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isZero();
		assertThat(this.client.find(waiting)).isPresent();
	}

	@Test
	void everyStateShowsTheTimeAndTheAttemptThatBelongToIt() {
		die(1, "no paper");
		String retrying = this.client.enqueue("fails-at-first").id();
		String scheduled = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		this.operations.queue("nightly").pause();
		String waiting = this.client.enqueue("nightly").id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.SCHEDULED).retrying(true)), 1);
		Job dead = this.client.find(idIn("dead")).orElseThrow();
		showsTime("dead", "Died", dead.id(), Objects.requireNonNull(dead.trail().end()).at());
		assertThat(this.browser.text("td[data-label=Attempts]")).isEqualTo("1 of 1");
		showsTime("retrying", "Retry at", retrying, this.client.find(retrying).orElseThrow().dueAt());
		assertThat(this.browser.text("td[data-label=Attempts]")).isEqualTo("1 of 12");
		showsTime("scheduled", "Scheduled for", scheduled, this.client.find(scheduled).orElseThrow().dueAt());
		assertThat(this.browser.text("thead")).doesNotContain("Attempts", "Error");
		showsTime("ready", "Due", waiting, this.client.find(waiting).orElseThrow().dueAt());
		open("jobs");
		this.browser.awaitText("tbody", waiting, retrying);
		assertThat(this.browser.text("tr[data-key='" + waiting + "'] td[data-label=Attempts]")).isEqualTo("–");
		open("job?id=" + dead.id());
		this.browser.awaitText(".facts", "Died", "Attempts");
		assertThat(factTime("Died")).isEqualTo(Objects.requireNonNull(dead.trail().end()).at().toString());
		open("job?id=" + retrying);
		this.browser.awaitText(".facts", "Retry at", "1 of 12");
		this.browser.awaitText(".timeline", "Attempt 1", "Failed", "ran", "Attempt 2", "Scheduled", "due after");
		assertThat(factTime("Retry at")).isEqualTo(this.client.find(retrying).orElseThrow().dueAt().toString());
	}

	private String idIn(String state) {
		return this.server.json("/api/jobs?state=" + state).path("jobs").path(0).path("id").asString();
	}

	private void showsTime(String state, String label, String id, Instant time) {
		open("jobs?state=" + state);
		this.browser.awaitText("tbody tr:only-child", id);
		this.browser.awaitText("thead", label);
		assertThat(this.browser
			.script("return document.querySelector('td[data-label=\"" + label + "\"] time').getAttribute('datetime')"))
			.as(state)
			.isEqualTo(time.toString());
	}

	private Object factTime(String name) {
		return this.browser.script("""
				return [...document.querySelectorAll('.facts dt')].find((it) => it.textContent === arguments[0])
					.nextSibling.querySelector('time').getAttribute('datetime')""", name);
	}

	@Test
	void numbersAreThoseOfTheJobsAndNamedAlikeEverywhere() {
		die(3, "no paper");
		this.client.enqueue("fails-at-first");
		awaitCount(JobFilter.of((only) -> only.states(JobState.SCHEDULED).retrying(true)), 1);
		this.operations.queue("nightly").pause();
		for (int i = 0; i < 4; i++) {
			this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		}
		this.client.enqueue("nightly");
		this.client.enqueue("nightly");
		String running = run();
		Map<String, String> numbers = Map.of("Waiting", "2", "Scheduled", "4", "Retrying", "1", "Running", "1", "Dead",
				"3");
		open("overview");
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(
					() -> numbers.forEach((label, number) -> assertThat(tile(label)).as(label).isEqualTo(number)));
		open("queues");
		this.browser.awaitText("tr[data-key=nightly] [data-label=Waiting]", "2");
		this.browser.awaitText("tr[data-key=nightly] [data-label=Scheduled]", "4");
		this.browser.awaitText("tr[data-key=nightly] [data-label=Retrying]", "0");
		this.browser.awaitText("tr[data-key=fails-at-first] [data-label=Scheduled]", "0");
		this.browser.awaitText("tr[data-key=fails-at-first] [data-label=Retrying]", "1");
		this.browser.awaitText("tr[data-key=fail] [data-label=Dead]", "3");
		open("queues/nightly");
		await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
			assertThat(tile("Waiting")).isEqualTo("2");
			assertThat(tile("Scheduled")).isEqualTo("4");
		});
		open("jobs?state=scheduled");
		this.browser.awaitText(".page-head", "4 jobs");
		numbers.forEach((label, number) -> this.browser.awaitText(".views ." + CLASSES.get(label), label, number));
		this.browser.awaitText(".views .all", "All", "11");
		assertThat(this.browser.text(".views")).contains("Succeeded", "Cancelled").doesNotContain("Ready");
		open("jobs?state=ready");
		this.browser.awaitText("tbody .pill", "Waiting");
		end(running);
	}

	private Object tile(String label) {
		return this.browser.script("""
				const tile = [...document.querySelectorAll('.tile')]
					.find((it) => it.querySelector('.label').textContent === arguments[0]);
				return tile && tile.querySelector('strong').textContent""", label);
	}

	@ParameterizedTest
	@ValueSource(strings = { "a/b c", "../%2F?d#e&f=g" })
	void jobWithAnOddIdIsOpenedRetriedAndDeleted(String id) {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		this.server.bean(JobStore.class)
			.enqueue(List.of(NewJob.of(id, "fail", "\"no paper\"".getBytes(StandardCharsets.UTF_8), now)), now);
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 1);
		open("jobs?state=dead");
		this.browser.awaitText("tbody tr:only-child", id);
		this.browser.click("tbody td.name a");
		this.browser.awaitText("main .id", id);
		this.browser.awaitText("main .why", "no paper");
		this.operations.queue("fail").pause();
		this.browser.click("[data-act=retry]");
		this.browser.confirm();
		this.browser.awaitText("main .why", "Its queue is paused.");
		this.browser.click("[data-act=delete]");
		this.browser.confirm();
		this.browser.awaitText("main h1", "Jobs");
		assertThat(this.client.find(id)).isEmpty();
	}

	@Test
	void pageOfAnUnreadableJobSaysWhy() {
		Instant now = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		this.server.bean(JobStore.class)
			.enqueue(List.of(NewJob.of("unreadable", "fail", "[1]".getBytes(StandardCharsets.UTF_8), now)), now);
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 1);
		open("job?id=unreadable");
		this.browser.awaitText("main .why", "Its payload could not be read.", "found an array");
	}

	@Test
	void jobIsShownExactlyAndLive() {
		String big = this.client
			.enqueue("nightly", "{\"n\":123456789012345678901234567890,\"s\":\"1, {2}\"}",
					(options) -> options.delay(Duration.ofHours(1)))
			.id();
		open("job?id=" + big);
		this.browser.awaitText(".payload", "123456789012345678901234567890");
		this.browser.awaitText(".why", "It is due in 59 minutes");
		this.browser.click("[data-act=cancel]");
		this.browser.confirm();
		this.browser.awaitText("main .ended", "Cancelled.", "This is its last known state.");
		this.browser.awaitText(".payload", "123456789012345678901234567890");
		assertThat(this.browser.has("main [data-act]")).isFalse();
		String running = run();
		open("job?id=" + running);
		this.browser.awaitText(".progress", "30%");
		this.browser.click("[data-act=cancel]");
		assertThat(this.browser.confirm()).isEqualTo("Cancel 1 job?");
		this.browser.awaitText("main .ended", "Cancelled.");
		this.browser.awaitText("main .page-head", "Cancelled");
		assertThat(this.browser.text("main .id")).contains(running);
		assertThat(this.client.find(running)).isEmpty();
	}

	@Test
	void queueIsPausedAndAScheduleRunByHand() {
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("queues");
		this.browser.click("tr[data-key=nightly] [data-act=pause]");
		assertThat(this.browser.confirm()).isEqualTo("Pause nightly?");
		this.browser.awaitText("tr[data-key=nightly]", "Paused");
		open("schedules");
		this.browser.awaitText("main", "0 30 2 * * MON-FRI", "Europe/Vienna");
		this.browser.click("tr[data-key=nightly] [data-act=trigger]");
		this.browser.confirm();
		awaitCount(JobFilter.of((only) -> only.states(JobState.READY).name("nightly")), 1);
		String id = this.server.json("/api/jobs?state=ready").path("jobs").path(0).path("id").asString();
		open("job?id=" + id);
		this.browser.awaitText(".why", "Its queue is paused.");
		open("queues/nightly");
		this.browser.click("[data-act=resume]");
		awaitCount(JobFilter.of((only) -> only.states(JobState.READY)), 0);
	}

	@Test
	void limitOfAQueueIsSetAndRemoved() {
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("queues/nightly");
		this.browser.click("[data-act=limit]");
		this.browser.type("#limit", "3");
		this.browser.awaitText("#toasts", "Limit of nightly set to 3");
		this.browser.awaitText("section.tiles", "set by 127.0.0.1");
		this.browser.click("[data-act=limit]");
		this.browser.click("#dialog-remove");
		this.browser.awaitText("#toasts", "Limit of nightly removed");
		this.browser.awaitText("section.tiles", "no limit");
	}

	@Test
	void weightAndAttemptsOfAQueueAreSetAndRemoved() {
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("queues/nightly");
		for (String kind : List.of("weight", "attempts")) {
			this.browser.click("[data-act=" + kind + "]");
			this.browser.type("#" + kind, "5");
			this.browser.awaitText("[data-key=settings] [data-key=" + kind + "]", "5", "127.0.0.1");
			this.browser.click("[data-act=" + kind + "]");
			this.browser.awaitText("dialog[open] #" + kind + "-now", "Now: 5, set by 127.0.0.1",
					"The application sets");
			this.browser.click("#dialog-remove");
			this.browser.awaitText("#toasts", " of nightly removed");
		}
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.server.bean(JobInspector.class).operatorSettings()).isEmpty());
	}

	@Test
	void rateOfLanesOfAQueueIsSetAndReset() {
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("queues/nightly");
		this.browser.click("[data-act=lanes-rate]");
		this.browser.awaitText("dialog[open] #lanes-rate-now", "The rate of lanes is the one of the workers.");
		this.browser.type("#lanes-rate", "5");
		this.browser.awaitText("#lanes-rate-error", "Enter a rate such as 100/1m");
		this.browser.type("#lanes-rate", "5/1s");
		this.browser.awaitText("#toasts", "Rate of lanes of nightly set to 5/1s");
		this.browser.awaitText("[data-key=settings] [data-key='rate of lanes']", "5/1s", "127.0.0.1");
		this.browser.awaitText("[data-key=settings] [data-key='lanes.rate']", "3/1h", "overridden");
		this.browser.click("[data-act=lanes-rate]");
		this.browser.awaitText("dialog[open] #lanes-rate-now", "Now: 5/1s, set by 127.0.0.1",
				"The application sets 3/1h.");
		this.browser.click("#dialog-remove");
		this.browser.awaitText("#toasts", "Rate of lanes of nightly removed");
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(this.server.bean(JobInspector.class).operatorSettings()).isEmpty());
		open("activity");
		this.browser.awaitText("main", "removed the rate of lanes of queue nightly",
				"set the rate of lanes of queue nightly to 5/1s");
	}

	@Test
	void laneSaysWhatBlocksIt() throws IOException {
		String first = this.client.enqueue("in-order", "discard", (options) -> options.lane("dead")).id();
		this.client.enqueue("in-order", "hold back", (options) -> options.lane("held back"));
		IntStream.range(0, 4).forEach((i) -> this.client.enqueue("nightly", (options) -> options.lane("rated")));
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD).name("in-order")), 1);
		awaitCount(JobFilter.of((only) -> only.states(JobState.READY).name("nightly")), 1);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.operations.queue("in-order").lane("held back").status().blocked());
		this.operations.pool("default").pause();
		try {
			this.client.enqueue("in-order", "done", (options) -> options.lane("dead"));
			this.client.enqueueAll(IntStream.range(0, 102)
				.mapToObj((i) -> JobRequest.named("in-order").payload("done").options((set) -> set.lane("" + i / 2)))
				.toList());
			open("queues/in-order");
			this.browser.awaitText("[data-key=lanes] [data-key=dead] .pill",
					"Held by job …" + first.substring(first.length() - 6));
			this.browser.awaitText("[data-key=lanes] [data-key='held back'] .pill", "Held back for 59 min");
			for (String theme : List.of("light", "dark")) {
				for (int width : List.of(1280, 390)) {
					this.browser.size(width, 844);
					this.browser.script("document.documentElement.dataset.theme = arguments[0]", theme);
					assertThat(this.browser.axe()).as(theme + " " + width).isEmpty();
					assertThat(this.browser.script("""
							return [document.documentElement, document.querySelector('[data-key=lanes]')]
								.some((it) => it.scrollWidth > it.clientWidth)""")).isEqualTo(false);
				}
			}
			this.browser.click("[data-key=lanes] [data-key=dead] a.pill");
			this.browser.awaitText("main", first);
			open("queues/nightly");
			this.browser.awaitText("[data-key=lanes] [data-key=rated] .pill", "Next permit in");
		}
		finally {
			this.operations.pool("default").resume();
		}
	}

	@Test
	void poolIsResizedAndPausedAndAWorkerMadeQuiet() throws IOException {
		open("workers");
		this.browser.click("[data-key=pools] [data-act=concurrency]");
		this.browser.type("#concurrency", "7");
		this.browser.awaitText("[data-key=pools]", "7 on each worker, set by 127.0.0.1", "The application sets");
		this.browser.click("[data-key=pools] [data-act=pause]");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("[data-key=pools]", "Paused");
		this.browser.click("[data-key=pools] [data-act=resume]");
		this.browser.awaitText("#toasts", "pool default resumed");
		this.browser.click("[data-key=pools] [data-act=concurrency]");
		this.browser.click("#dialog-remove");
		this.browser.awaitText("#toasts", "Concurrency of default removed");
		this.browser.click("[data-key=workers] [data-act=quiet]");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("[data-key=workers]", "Quiet");
		assertThat(this.browser.axe()).isEmpty();
		this.browser.click("[data-key=workers] [data-act=resume]");
		this.browser.awaitText("#toasts", " resumed");
		assertThat(this.server.bean(JobInspector.class).operatorSettings()).isEmpty();
		open("activity");
		this.browser.awaitText("main", "set the concurrency of pool default to 7",
				"removed the concurrency of pool default", "paused pool default", "quieted worker");
	}

	@Test
	void bulkActionShowsItsProgressAndCanBeStoppedAndResumed() throws IOException {
		JobStore store = this.server.bean(JobStore.class);
		Instant begin = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		store.enqueue(IntStream.range(0, 1200)
			.mapToObj((i) -> NewJob.of("bulk-" + i, "bulky", new byte[0], begin).withDueAt(begin.plusSeconds(7200)))
			.toList(), begin);
		open("jobs?queue=bulky&state=scheduled");
		this.browser.awaitText("main", "bulky");
		this.browser.click("th.check input");
		this.browser.click("[data-act=everything]");
		this.browser.click(".selection [data-act=cancel]");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "Started in the background: cancel about 1,200 jobs");
		JobFilter bulky = JobFilter.of((only) -> only.name("bulky"));
		awaitCount(bulky, 0);
		open("activity");
		this.browser.awaitText("[data-key=bulk]", "Cancel name:bulky state:scheduled", "by 127.0.0.1", "100%",
				"1,200 jobs cancelled", "Done");
		// One that no worker may carry out, as another one has begun with it.
		store.change(List.of(new Change.Set("bulk", "stays", """
				{"v":1,"number":1,"id":"stays","action":"RETRY","jobs":{"states":[],"name":"bulky"},"by":"ada",\
				"startedAt":"%s","changedAt":"%s","state":"RUNNING","worker":"other","pass":0,"again":false,\
				"counted":5000,"done":1250,"skipped":7,"failed":3,"error":"a trigger refuses it"}""".formatted(begin,
				begin.plusSeconds(3600)), "ada")), Instant.now().plusSeconds(3600));
		this.browser.awaitText("[data-key=stays]", "Retry name:bulky", "by ada", "25%", "1,250 of 5,000 retried",
				"7 skipped", "3 failed", "a trigger refuses it");
		for (String theme : List.of("light", "dark")) {
			for (int width : List.of(1280, 390)) {
				this.browser.size(width, 844);
				this.browser.script("localStorage.setItem('jobs-theme', arguments[0])", theme);
				open("activity");
				this.browser.awaitText("[data-key=stays]", "1,250 of 5,000 retried");
				assertThat(this.browser.axe()).as(theme + " " + width).isEmpty();
				assertThat(this.browser
					.script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
					.as(theme + " " + width)
					.isEqualTo(true);
			}
		}
		this.browser.script("localStorage.clear()");
		this.browser.size(1280, 844);
		open("dead");
		this.browser.awaitText("[data-key=stays]", "1,250 of 5,000 retried");
		this.browser.click("[data-key=stays] [data-act=stop]");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "Bulk action stopped");
		open("activity");
		this.browser.awaitText("[data-key=stays]", "Stopped");
		this.browser.awaitText("main", "stopped bulk action", "cancelled all jobs of");
		this.browser.click("[data-key=stays] [data-act=resume]");
		this.browser.awaitText("#toasts", "Bulk action resumed");
		this.browser.awaitText("[data-key=stays]", "Done");
		forgetSettings();
	}

	private void forgetSettings() {
		this.server.bean(JobInspector.class)
			.operatorSettings()
			.forEach((set) -> this.server.bean(JobStore.class)
				.change(List.of(new Change.Set(set.kind(), set.name(), null, "ada")), Instant.now()));
	}

	@Test
	void waitingJobsAreMovedAndRescheduledInDialogsThatStayWhileTheServerRefuses() throws IOException {
		Instant begin = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		this.server.bean(JobStore.class)
			.enqueue(IntStream.range(0, 60)
				.mapToObj((i) -> NewJob.of("wait-" + i, "bulky", new byte[0], begin).withDueAt(begin.plusSeconds(7200)))
				.toList(), begin);
		open("jobs?queue=bulky&state=scheduled");
		chooseAll("move");
		this.browser.awaitText("dialog h2", "Move 60 jobs?");
		assertThat(this.browser.axe()).isEmpty();
		this.browser.fill("#toLane", "x".repeat(200));
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toLane-error", "The lane 'xxx", "is not valid");
		assertThat(this.browser
			.script("const dialog = document.querySelector('dialog'); return dialog.scrollWidth <= dialog.clientWidth"))
			.isEqualTo(true);
		this.browser.fill("#toLane", "tenant:42");
		this.browser.click("#dialog-yes");
		this.browser.awaitText("#toasts", "Started in the background: move about 60 jobs");
		this.browser.awaitGone("dialog");
		awaitCount(JobFilter.of((only) -> only.name("bulky").lane("tenant:42")), 60);
		this.browser.zone("Asia/Tokyo");
		open("jobs?queue=bulky&state=scheduled");
		chooseAll("reschedule");
		this.browser.awaitText("dialog", "Reschedule 60 jobs?", "New time (local time)");
		assertThat(this.browser.axe()).isEmpty();
		enter("2999-01-31T12:00");
		this.browser.awaitText("#toasts", "Started in the background: reschedule about 60 jobs");
		Instant noon = Instant.parse("2999-01-31T03:00:00Z");
		awaitCount(JobFilter.of((only) -> only.name("bulky").since(noon)), 60);
		open("job?id=wait-7");
		this.browser.keys("u");
		this.browser.click("[data-act=reschedule]");
		this.browser.awaitText("dialog", "Reschedule 1 job?", "New time (UTC)");
		enter("2999-01-31T12:00");
		this.browser.awaitText("#toasts", "1 job rescheduled");
		this.browser.keys("u");
		this.browser.zone("");
		assertThat(this.client.find("wait-7").orElseThrow().dueAt()).isEqualTo("2999-01-31T12:00:00Z");
		open("activity");
		this.browser.awaitText("[data-key=bulk]", "Move name:bulky state:scheduled to lane tenant:42", "60 jobs moved",
				"Reschedule name:bulky state:scheduled to ", "Jan 2999", "60 jobs rescheduled");
		this.browser.awaitText("main", "moved all jobs of", "to tenant:42, in the background",
				"to 2999-01-31T03:00:00Z, in the background");
		forgetSettings();
	}

	private void chooseAll(String act) {
		this.browser.awaitText("main", "bulky");
		this.browser.click("th.check input");
		this.browser.click("[data-act=everything]");
		this.browser.click(".selection [data-act=" + act + "]");
	}

	/** Typing a time depends on the language of the browser. */
	private void enter(String time) {
		this.browser.script("document.querySelector('#dueAt').value = arguments[0]", time);
		this.browser.click("#dialog-yes");
		this.browser.awaitGone("dialog");
	}

	@Test
	void scheduleIsPausedAndShowsItsRuns() {
		Instant tick = Instant.now().truncatedTo(ChronoUnit.MILLIS);
		for (int day = 1; day <= 8; day += 7) {
			Instant at = tick.plus(day, ChronoUnit.DAYS);
			this.server.bean(JobStore.class)
				.fireTicks(
						List.of(Tick.of(new NewSchedule("nightly", "Europe/Vienna 0 30 2 * * MON-FRI", "nightly"), at,
								NewJob.of(ATTACK + at, "nightly", new byte[0], at).withDueAt(at.plusSeconds(3600)))),
						at.plusSeconds(70));
		}
		open("schedules");
		this.browser.click("tr[data-key=nightly] [data-act=pause]");
		assertThat(this.browser.confirm()).isEqualTo("Pause the schedule nightly?");
		this.browser.awaitText("tr[data-key=nightly] .name", "Paused");
		this.browser.awaitText("tr[data-key=nightly] [data-label=Next]", "paused");
		this.browser.awaitTextWithin("tr[data-key=nightly] [data-label='Last runs'] details", "Waiting", "late",
				"skipped before this run");
		assertThat(this.browser.script("return window.attacked || null")).isNull();
		this.browser.click("tr[data-key=nightly] [data-act=resume]");
		this.browser.awaitGone("tr[data-key=nightly] .name .pill");
		this.browser.awaitText("#toasts", "nightly continues with its next tick");
		this.browser.script("document.querySelector('tr[data-key=nightly] .runs a').click()");
		this.browser.awaitText("main h1", "nightly");
		// They came a day late by the time given to the store, so later than what is
		// cleared.
		assertThat(this.operations.job(ATTACK + tick.plus(1, ChronoUnit.DAYS)).delete()).isTrue();
		assertThat(this.operations.job(ATTACK + tick.plus(8, ChronoUnit.DAYS)).delete()).isTrue();
	}

	@Test
	void searchSaysHowFarItHasLooked() {
		this.client.enqueue("nightly", "needle", (options) -> options.delay(Duration.ofHours(3)));
		this.client.enqueueAll(IntStream.rangeClosed(1, JobInspector.LOOKED_THROUGH)
			.mapToObj((i) -> JobRequest.named("nightly").payload(i).options((set) -> set.delay(Duration.ofHours(2))))
			.toList());
		open("jobs?queue=nightly");
		this.browser.awaitText(".page-head p", "4,001 jobs");
		open("jobs?queue=nightly&text=needle");
		this.browser.awaitText("main .empty", "No matches so far");
		this.browser.awaitText("main .part", "Not all jobs have been searched yet, newest first.");
		this.browser.click("[data-act=more]");
		this.browser.awaitText("tbody tr:only-child", "needle");
		this.browser.awaitGone("[data-act=more]");
		this.browser.click("thead input");
		this.browser.awaitText(".selection", "1 job selected.");
	}

	@Test
	void whatNoStoreKeepsIsRefused() {
		assertThat(this.server.get("/api/job?id=a%00b").statusCode()).isEqualTo(400);
		assertThat(this.server.get("/api/jobs?state=dead&text=%00").statusCode()).isEqualTo(400);
		assertThat(this.server.get("/api/dead?queue=%00").statusCode()).isEqualTo(400);
		for (String act : List.of("retry", "delete", "cancel")) {
			assertThat(this.server.act(act, "{\"ids\":[\"a\\u0000b\"]}").statusCode()).isEqualTo(400);
			assertThat(this.server.act(act, "{\"ids\":[\"\\ud800\"]}").statusCode()).isEqualTo(404);
			assertThat(this.server.act(act, "{\"filter\":{\"state\":\"dead\",\"queue\":\"\\u0000\"}}").statusCode())
				.isEqualTo(400);
		}
		assertThat(this.client.find("a\0b")).isEmpty();
		assertThat(this.operations.job("a\0b").delete()).isFalse();
	}

}
