package dev.jobs.dashboard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpServer;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.audit.Audit;
import dev.jobs.audit.LogText;
import dev.jobs.audit.Operator;
import dev.jobs.dashboard.view.Activity;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the page's own functions in a real browser, with any store.
 */
@ExpectsFaults("failing with")
class ChromiumPageTests extends BrowserTest {

	private static final List<String> PAGES = List.of("overview", "queues", "queues/fail", "jobs",
			"jobs?state=dead&text=script", "workers", "schedules", "dead", "dead/fail", "activity");

	@Override
	Class<?> application() {
		return Applications.Servlet.class;
	}

	@Override
	List<String> properties() {
		return List.of("jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms",
				"jobs.handlers.fail.max-attempts=1", "jobs.handlers.fails-at-first.keep-history=true",
				"jobs.worker.lease=3s", "jobs.worker.beat=500ms",
				"jobs.dashboard.trace-url=https://traces.example.org/{traceId}");
	}

	@Override
	void stopStore() {
	}

	@ParameterizedTest
	@ValueSource(ints = { 1280, 960, 800, 360 })
	void everyPageShowsDataAsTextAndFitsTheScreen(int width) {
		this.browser.size(width, 800);
		die(2, ATTACK);
		this.client.enqueue("nightly", ATTACK, (options) -> options.delay(Duration.ofHours(1)).header("h", ATTACK));
		Audit audit = audit();
		audit.record(new Operator("dashboard", ATTACK), "pause", "queue " + LogText.quoted(ATTACK), () -> {
		});
		audit.record(new Operator("dashboard", ATTACK), "resolve", Activity.cause("a1", ATTACK));
		this.operations.store().note(ATTACK);
		String running = run();
		String dead = this.server.json("/api/jobs?state=dead").path("jobs").path(0).path("id").asString();
		String waiting = this.server.json("/api/jobs?state=scheduled").path("jobs").path(0).path("id").asString();
		for (String page : PAGES) {
			open(page);
			this.browser.awaitGone("main .skeleton");
			requireHarmless(page, width);
		}
		for (String id : List.of(dead, waiting, running)) {
			open("job?id=" + id);
			this.browser.awaitText("main .payload", "<script>");
			requireHarmless(id, width);
		}
		this.browser.awaitText(".checkin", ATTACK);
		this.browser.awaitText(".log", "WARN Applications$Work: working on " + ATTACK);
		open("job?id=" + dead);
		this.browser.awaitText(".attempt .log", "ERROR Applications$Work: failing with " + ATTACK);
		open("dead");
		this.browser.awaitText("td.cause", "<script>window.attacked=");
		this.browser.click("td.cause a");
		this.browser.awaitText("td.error", ATTACK);
		requireHarmless("cause", width);
		open("activity");
		for (int row = 1; row <= 3; row++) {
			this.browser.awaitText("tbody tr:nth-child(" + row + ") td.name", ATTACK);
		}
		open("workers");
		this.browser.awaitText("main", ATTACK, "Pool default", String.valueOf(ProcessHandle.current().pid()));
		assertThat(this.browser.complaints()).isEmpty();
		end(running);
	}

	private Audit audit() {
		return new Audit(Instant::now, (event) -> {
		}, this.operations.store()::note);
	}

	@Test
	void activityLeadsToWhatWasActedOn() {
		String id = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		this.server.act("limit", "{\"queue\":\"nightly\",\"limit\":3}");
		this.server.act("limit", "{\"queue\":\"nightly\",\"limit\":null}");
		this.server.act("trigger", "{\"schedule\":\"nightly\"}");
		this.server.act("enqueue", "{\"id\":\"" + id + "\",\"payload\":\"\"}");
		assertThatIllegalStateException()
			.isThrownBy(() -> audit().record(new Operator("dashboard", "ada"), "retry", "queue mail", (changed) -> {
				changed.accept(id);
				throw new IllegalStateException("no connection");
			}));
		this.operations.store().note("queue manager moved");
		open("activity");
		this.browser.awaitText("tbody tr:nth-child(1)", "queue manager moved");
		assertThat(this.browser.has("tbody tr:nth-child(1) a")).isFalse();
		this.browser.awaitText("tbody tr:nth-child(2)", "ada", "retried queue mail, 1 changed, but then it failed");
		this.browser.awaitText("tbody tr:nth-child(3)", "enqueued a copy of job " + id + ", 1 changed");
		this.browser.awaitText("tbody tr:nth-child(4)", "run schedule nightly");
		this.browser.awaitText("tbody tr:nth-child(5)", "removed the limit of queue nightly");
		this.browser.awaitText("tbody tr:nth-child(6)", "limited queue nightly to 3");
		assertThat(this.browser.script("""
				return [2, 3, 4, 5, 6].map((row) =>
					document.querySelector(`tbody tr:nth-child(${row}) td.name a`).hash).join(' ')"""))
			.isEqualTo("#/queues/mail #/job/" + id + " #/schedules #/queues/nightly #/queues/nightly");
		open("queues/nightly");
		this.browser.awaitText(".marks", "127.0.0.1 limited nightly to 3", "127.0.0.1 removed the limit of nightly");
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	void moreActivityThatDoesNotComeCanBeAskedForAgain() {
		IntStream.range(0, 120).forEach((i) -> this.operations.store().note("note " + i));
		open("activity");
		this.browser.awaitText("tbody tr:nth-child(100)", "note 20");
		this.browser.block("*/api/activity*");
		this.browser.click("[data-act=more]");
		this.browser.awaitText("#toasts .bad", "The application is not responding.");
		this.browser.block();
		this.browser.click("[data-act=more]");
		this.browser.awaitText("tbody tr:nth-child(120)", "note 0");
	}

	private void requireHarmless(String page, int width) {
		assertThat(this.browser.script("return window.attacked || null")).as(page).isNull();
		assertThat(this.browser.has("main script, main img")).as(page).isFalse();
		assertThat((Long) this.browser.script("return document.documentElement.scrollWidth")).as(page)
			.isLessThanOrEqualTo(width);
		assertThat(this.browser.script("""
				return [...document.querySelectorAll('.card')].every((it) => it.scrollWidth <= it.clientWidth)"""))
			.as(page)
			.isEqualTo(true);
		assertThat(this.browser.script("""
				const way = document.querySelector('.nav [aria-current]').getBoundingClientRect();
				return way.left >= 0 && way.right <= innerWidth + 1""")).as(page).isEqualTo(true);
		assertThat(this.browser.script("""
				return [...document.querySelectorAll('button, a, input, select')].filter((it) => it.checkVisibility()
					&& !(it.innerText || it.getAttribute('aria-label') || it.labels && it.labels.length)).length"""))
			.as(page)
			.isEqualTo(0L);
	}

	@Test
	void payloadOfAnyDepthAndSizeLeavesItsPageOfUse() {
		for (int depth : List.of(60, 12_000, 50_000)) {
			String nested = "[".repeat(depth) + "]".repeat(depth);
			showsPayload(nested, "[");
		}
		showsPayload("{\"a\":[" + "[],".repeat(20_000) + "{}]}", "\"a\"");
		showsPayload("{\"long\":\"" + "x".repeat(900_000) + "\"}", "\"long\"");
		showsPayload("{\"broken\":[1", "{\"broken\":[1");
		assertThat(this.browser.complaints()).isEmpty();
	}

	private void showsPayload(String payload, String part) {
		String id = this.client
			.enqueue("nightly", payload.getBytes(StandardCharsets.UTF_8),
					(options) -> options.delay(Duration.ofHours(1)))
			.id();
		open("job?id=" + id);
		this.browser.awaitText("main .id", id);
		assertThat(this.browser.script("return document.querySelector('.payload').textContent.includes(arguments[0])",
				part))
			.isEqualTo(true);
		assertThat((Long) this.browser.script("return document.querySelector('.payload').textContent.length"))
			.isLessThan(10_000_000L);
		this.browser.click("[data-act=delete]");
		this.browser.confirm();
		this.browser.awaitText("main h1", "Jobs");
		assertThat(this.client.find(id)).isEmpty();
	}

	@Test
	void searchIsCompletedByKeyboardAndByMouse() {
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("jobs");
		this.browser.awaitText("tbody", "nightly");
		this.browser.keys("/");
		this.browser.awaitText("[role=listbox]", "name:", "state:", "tag:", "error:", "time:", "unique:");
		this.browser.keys("st", Keys.ARROW_DOWN, Keys.ENTER);
		this.browser.awaitText("[role=listbox]", "state:waiting", "state:dead");
		this.browser.keys("sch", Keys.ARROW_DOWN);
		assertThat(this.browser.script("""
				const field = document.activeElement;
				return document.getElementById(field.getAttribute('aria-activedescendant')).textContent"""))
			.isEqualTo("state:scheduled");
		this.browser.keys(Keys.TAB);
		this.browser.keys("name:nig");
		this.browser.click("[role=option]");
		assertThat(this.browser.script("return document.activeElement.value"))
			.isEqualTo("state:scheduled name:nightly ");
		this.browser.keys(Keys.ESCAPE);
		assertThat(this.browser.script("return document.querySelector('[role=listbox]').hidden")).isEqualTo(true);
		this.browser.keys(Keys.ENTER);
		this.browser.awaitText("tbody tr:only-child", "nightly");
		assertThat(this.browser.script("return location.hash")).isEqualTo("#/jobs?state=scheduled&queue=nightly");
		assertThat(this.browser.script("return document.getElementById('query').value"))
			.isEqualTo("name:nightly state:scheduled");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
			nmae:nightly | There is no filter “nmae:”.
			state:asleep | “asleep” is not a state.
			time:never | “never” is not a time.
			name:a name:b | “name:” can be used only once.
			tag: | “tag:” needs a value: a tag.
			""")
	void mistakeInASearchIsExplained(String query, String problem) {
		open("jobs");
		this.browser.type("#query", query);
		this.browser.awaitText("#query-problem", problem);
		assertThat(this.browser.has("#query[aria-invalid=true]")).isTrue();
		assertThat(this.browser.script("return location.hash")).isEqualTo("#/jobs");
	}

	@ParameterizedTest
	@ValueSource(strings = { "plain text", "a:b", "\"quoted\"", "two  spaces", "back\\slash", "http://x/y", "name:",
			"java.io.IOException: closed", "\"unterminated" })
	void searchIsWrittenAsItWasMeant(String text) {
		open("jobs?text=" + URLEncoder.encode(text, StandardCharsets.UTF_8));
		this.browser.awaitText("main .empty", "No matching jobs");
		this.browser.click("form.query button");
		this.browser.awaitText("main .empty", "No matching jobs");
		assertThat(this.browser.has("#query[aria-invalid]")).isFalse();
		assertThat(this.browser.script("return new URLSearchParams(location.hash.split('?')[1]).get('text')"))
			.isEqualTo(text);
	}

	@ParameterizedTest
	@CsvSource({ "light, 1280, 0", "dark, 390, 0", "dark, 1280, 1", "light, 390, 1" })
	void accessibilityCheckerFindsNothing(String theme, int width, int half) throws IOException {
		this.browser.size(width, 844);
		die(2, "Order 17 was declined");
		die(1, "no paper");
		String back = this.server.json("/api/dead").path("causes").path(0).path("id").asString();
		String cause = this.server.json("/api/dead").path("causes").path(1).path("id").asString();
		for (String one : List.of(back, cause)) {
			this.server.act("resolve", "{\"cause\":\"" + one + "\"}");
		}
		die(1, "Order 17 was declined");
		for (String limit : List.of("3", "null")) {
			this.server.act("limit", "{\"queue\":\"nightly\",\"limit\":" + limit + "}");
		}
		this.client.enqueue("fails-at-first");
		String waiting = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)).tags("red"))
			.id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.SCHEDULED).retrying(true)), 1);
		String running = run();
		String dead = this.server.json("/api/jobs?state=dead").path("jobs").path(0).path("id").asString();
		open("overview");
		this.browser.script("localStorage.setItem('jobs-theme', arguments[0])", theme);
		List<String> pages = List.of("overview", "queues", "queues/fail", "queues/nightly", "jobs", "jobs?state=dead",
				"jobs?text=nothing", "workers", "dead", "cause/" + cause, "cause/" + back, "activity", "job?id=" + dead,
				"job?id=" + waiting, "job?id=" + running, "job?id=none", "nowhere");
		// Each page in both themes and at both widths, but not in all four ways.
		for (int i = half; i < pages.size(); i += 2) {
			String page = pages.get(i);
			open(page);
			this.browser.awaitGone("main .skeleton");
			if (page.equals("overview") || page.startsWith("queues/")) {
				this.browser.awaitText(".legend", "succeeded");
			}
			if (page.equals("overview") || page.equals("queues/nightly")) {
				this.browser.awaitText(".marks", "limited nightly to 3");
			}
			if (page.equals("dead") || page.equals("cause/" + back)) {
				this.browser.awaitText("main .pill.back", "Came back");
			}
			if (page.equals("cause/" + cause)) {
				this.browser.awaitText("main .pill.resolved", "Resolved");
			}
			assertThat(this.browser.axe()).as(page).isEmpty();
		}
		open("schedules");
		this.browser.awaitTextWithin("tr[data-key=nightly] [data-label=Next] details", ":30:00");
		assertThat(this.browser.axe()).as("schedules").isEmpty();
		open("queues/nightly");
		this.browser.click("[data-act=limit]");
		this.browser.type("#limit", "0");
		this.browser.awaitText("dialog[open] #limit-error", "The limit must be at least 1.");
		assertThat(this.browser.axe()).as("limit").isEmpty();
		open("queues/nightly");
		this.browser.click("[data-act=pause]");
		this.browser.awaitText("dialog[open] h2", "Pause nightly?");
		assertThat(this.browser.axe()).as("question").isEmpty();
		open("jobs");
		this.browser.keys("/");
		this.browser.awaitText("[role=listbox]", "name:");
		assertThat(this.browser.axe()).as("suggestions").isEmpty();
		open("job?id=" + dead);
		this.browser.click("[data-act=enqueue]");
		this.browser.awaitText("dialog h2", "Enqueue fail again");
		assertThat(this.browser.axe()).as("dialog").isEmpty();
		this.browser.script("localStorage.clear()");
		end(running);
	}

	@ParameterizedTest
	@CsvSource({ "light, 1280", "light, 390", "dark, 1280", "dark, 390" })
	void accessibilityCheckerFindsNothingOnThePageForThoseWithoutAccess(String theme, int width) throws IOException {
		try (Server closed = Server.start(WebApplicationType.SERVLET, application())) {
			this.browser.size(width, 844);
			this.browser.prefer(theme);
			this.browser.open(closed.uri("/"));
			this.browser.awaitText("h1", "You do not have access to the Jobs dashboard");
			assertThat(this.browser.axe()).isEmpty();
		}
		finally {
			this.browser.prefer("");
		}
	}

	@Test
	void keysLeadEverywhereAndLightIsChosen() {
		open("overview");
		this.browser.keys("g", "q");
		this.browser.awaitText("main h1", "Queues");
		assertThat(this.browser.script("return document.activeElement.tagName")).isEqualTo("H1");
		this.browser.keys("/");
		assertThat(this.browser.script("return document.activeElement.type")).isEqualTo("search");
		this.browser.script("document.activeElement.blur()");
		this.browser.keys("?");
		this.browser.awaitText("dialog[open] h2", "Keyboard shortcuts");
		this.browser.keys(Keys.ESCAPE);
		this.browser.awaitGone("dialog");
		Object before = this.browser.script("return getComputedStyle(document.body).backgroundColor");
		this.browser.keys("t");
		assertThat(this.browser.script("return getComputedStyle(document.body).backgroundColor")).isNotEqualTo(before);
		Object dark = this.browser.script("return document.documentElement.dataset.theme");
		open("jobs");
		assertThat(this.browser.script("return document.documentElement.dataset.theme")).isEqualTo(dark);
		this.browser.script("localStorage.clear()");
	}

	@Test
	void actionThatEndsAfterItsPageWasLeftDrawsNothing() {
		die(2, "no paper");
		this.operations.queue("fail").pause();
		open("dead");
		holdBack("POST");
		this.browser.click("[data-act=retry-all]");
		this.browser.confirm();
		this.browser.awaitText("#toasts", "Retrying 2 dead jobs …");
		this.browser.keys("g", "j");
		this.browser.awaitText("main tbody", "no paper");
		this.browser.script("""
				const main = document.getElementById('main');
				new MutationObserver(() => window.strayed ||= main.querySelector('[data-act=retry-all]') !== null)
					.observe(main, {childList: true, subtree: true})""");
		assertThat(this.browser.text("#toasts")).contains("Retrying 2 dead jobs …");
		letThrough();
		this.browser.awaitText("#toasts", "2 jobs retried");
		awaitAnswer("api/dead", 2);
		assertThat(this.browser.script("return window.strayed || false")).isEqualTo(false);
		assertThat(this.browser.text("main h1")).isEqualTo("Jobs");
		assertThat(this.browser.script("return document.title")).isEqualTo("Jobs – Jobs");
	}

	@Test
	void actionUnderWayIsShownAndNoOtherBegins() {
		die(2, "no paper");
		die(1, "no ink");
		open("dead");
		this.browser.awaitText("main tbody", "no paper", "no ink");
		Object acts = this.browser.script("return document.querySelectorAll('main [data-act]').length");
		holdBack("POST");
		this.browser.click("[data-act=delete-all]");
		this.browser.confirm();
		this.browser.awaitText("#toasts", "Deleting 3 dead jobs …");
		this.browser.keys("r");
		awaitAnswer("api/dead", 2);
		assertThat(this.browser.script("""
				return document.querySelectorAll('main [data-act]:disabled').length""")).isEqualTo(acts);
		assertThat(this.browser.has("main [data-act]:not(:disabled)")).isFalse();
		assertThat(this.browser.script("return document.querySelector('[aria-busy=true]').dataset.act"))
			.isEqualTo("delete-all");
		letThrough();
		this.browser.awaitText("#toasts", "3 jobs deleted");
		assertThat(this.browser.text("#toasts")).doesNotContain("Deleting");
		this.browser.awaitText("main .empty", "No dead jobs");
	}

	@Test
	void refusedActionIsSaidAndCanBeRepeated() {
		die(1, "no paper");
		open("job?id=" + this.server.json("/api/jobs?state=dead").path("jobs").path(0).path("id").asString());
		holdBack("POST");
		this.browser.click("[data-act=delete]");
		this.browser.confirm();
		this.operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD))).delete();
		letThrough();
		this.browser.awaitText("#toasts .bad", "There is no such job.");
		assertThat(this.browser.script("return document.querySelectorAll('[data-act]:disabled, [aria-busy]').length"))
			.isEqualTo(0L);
		assertThat(this.browser.complaints()).hasSize(1).allMatch((line) -> line.contains("404"));
	}

	@Test
	void jobThatEndsWhileItIsShownKeepsItsPageWithoutAnError() {
		String running = run();
		open("job?id=" + running);
		this.browser.awaitText(".progress", "30%");
		this.browser.awaitText(".checkin", ATTACK);
		this.browser.click("[data-act=cancel]");
		this.browser.confirm();
		this.browser.awaitText("main .why.ended", "Cancelled.", "This is its last known state.");
		this.browser.awaitText(".timeline li:last-child", "Cancelled", "ran about");
		assertThat(this.browser.text(".checkin")).isEqualTo(ATTACK);
		assertThat(this.browser.text(".progress")).contains("30%");
		assertThat(this.browser.text("main .id")).contains(running);
		String waiting = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("job?id=" + waiting);
		this.browser.awaitText("main .id", waiting);
		this.client.cancel(waiting);
		this.browser.awaitText("main .why.ended", "Ended.", "or it was cancelled or deleted elsewhere");
		open("jobs");
		this.browser.type("#query", "neither an id nor in any payload");
		this.browser.awaitText("main .empty", "No matching jobs");
		assertThat(this.browser.complaints()).isEmpty();
	}

	@Test
	void jobsOfTheNextPageComeAsOneScrollsOnAPhoneAndByAButtonElsewhere() {
		die(60, "no paper");
		JsonNode group = this.server.json("/api/dead").path("causes").path(0);
		for (String page : List.of("jobs?state=dead", "jobs?error=no%20paper",
				"cause/" + group.path("id").asString())) {
			this.browser.size(1280, 844);
			open(page);
			this.browser.awaitText("tbody tr:last-child", "no paper");
			assertThat(shownJobs()).as(page).isEqualTo(50L);
			this.browser.click("[data-act=more]");
			this.browser.awaitGone("[data-act=more]");
			assertThat(shownJobs()).as(page).isEqualTo(60L);
			this.browser.size(390, 844);
			open(page);
			this.browser.awaitText("tbody tr:last-child", "no paper");
			assertThat(shownJobs()).as(page).isEqualTo(20L);
			await().atMost(Duration.ofSeconds(30)).until(() -> {
				this.browser.script("scrollTo(0, document.documentElement.scrollHeight)");
				return !this.browser.has("[data-act=more]");
			});
			assertThat(shownJobs()).as(page).isEqualTo(60L);
		}
	}

	private Object shownJobs() {
		return this.browser.script("return document.querySelectorAll('tbody tr').length");
	}

	@Test
	void jobsOfOneCauseAreCountedAsTheyAreLoaded() {
		die(120, "no paper");
		open("cause/" + this.server.json("/api/dead").path("causes").path(0).path("id").asString());
		this.browser.awaitText("main .part", "Showing 50 of 120 jobs.");
		this.browser.click("[data-act=more]");
		this.browser.awaitText("main .part", "Showing 100 of 120 jobs.");
		this.browser.click("[data-act=more]");
		this.browser.awaitGone("[data-act=more]");
		assertThat(shownJobs()).isEqualTo(120L);
	}

	@Test
	void groupsOfDeadJobsThatAreLeftOutAreCounted() {
		List<JobRequest> jobs = IntStream.range(0, 203)
			.mapToObj((i) -> JobRequest.named("fail")
				.payload("no " + (char) ('a' + i % 26) + (char) ('a' + i / 26) + "-paper"))
			.toList();
		this.client.enqueueAll(jobs);
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 203);
		open("dead");
		this.browser.awaitText("main .page-head", "203 jobs, 203 causes");
		this.browser.awaitText("main .part", "Showing the 200 largest of 203 groups. 3 smaller groups not shown.");
	}

	@Test
	void questionOfAPageThatWasLeftIsNotAsked() {
		die(1, "no paper");
		open("dead");
		holdBack("GET");
		this.browser.click("[data-act=retry-all]");
		this.browser.script("location.hash = '#/workers'");
		this.browser.awaitText("main h1", "Workers");
		letThrough();
		awaitAnswer("api/dead", 2);
		assertThat(this.browser.has("dialog")).isFalse();
		open("dead");
		this.browser.click("[data-act=retry-all]");
		this.browser.awaitText("dialog h2", "Retry 1 dead job?");
		this.browser.script("location.hash = '#/jobs'");
		this.browser.awaitGone("dialog");
		this.browser.awaitText("main h1", "Jobs");
	}

	/** Lets requests of a method wait in the page, and notes which are answered. */
	private void holdBack(String method) {
		this.browser.awaitGone("main .skeleton");
		this.browser.script("""
				const send = window.fetch;
				const held = new Promise((go) => window.letThrough = go);
				window.answered = ['api/dead'];
				window.fetch = async (path, options) => {
					if ((options.method || 'GET') === arguments[0] && window.letThrough) {
						await held;
					}
					const answer = await send(path, options);
					const read = answer.json.bind(answer);
					answer.json = async () => {
						const body = await read();
						setTimeout(() => window.answered.push(path));
						return body;
					};
					return answer;
				}""", method);
	}

	private void letThrough() {
		this.browser.script("window.letThrough(); window.letThrough = null");
	}

	/**
	 * Waits until the page has had an answer some times and done what it does with it.
	 */
	private void awaitAnswer(String path, int times) {
		await().atMost(Duration.ofSeconds(30))
			.until(() -> (Long) this.browser.script("return window.answered.filter((it) => it === arguments[0]).length",
					path) >= times);
	}

	@Test
	void pageHasItsTitleBeforeTheApplicationAnswers() {
		this.browser.block("*/api/*");
		try {
			for (String page : List.of("overview", "queues", "queues/fail", "jobs", "workers", "schedules", "dead",
					"cause/0123456789abcdef")) {
				open(page);
				this.browser.keys("/");
			}
		}
		finally {
			this.browser.block();
		}
	}

	@Test
	void timesAreLocalOrUniversal() {
		this.browser.zone("Asia/Tokyo");
		String id = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("job?id=" + id);
		this.browser.awaitText(".timeline", "GMT+9");
		this.browser.click("button.zone");
		this.browser.awaitText(".timeline", "UTC");
		open("overview");
		this.browser.awaitText("button.zone", "UTC");
		this.browser.keys("u");
		this.browser.awaitText("button.zone", "GMT+9");
		this.browser.script("localStorage.clear()");
		this.browser.zone("");
	}

	@ParameterizedTest
	@ValueSource(strings = { "en_US", "de_DE" })
	void timesAreOn24HoursInAnyLanguage(String language) {
		this.browser.zone("Asia/Tokyo");
		this.browser.language(language);
		die(1, "no paper");
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		String time = "\\d{1,2} [A-Z][a-z]{2} \\d{4}, \\d\\d:\\d\\d:\\d\\d GMT\\+9";
		for (String state : List.of("dead", "scheduled")) {
			open("job?id=" + this.server.json("/api/jobs?state=" + state).path("jobs").path(0).path("id").asString());
			this.browser.awaitText(".facts", "GMT+9");
			assertThat((List<?>) this.browser.script("""
					return [...document.querySelectorAll('.facts dd time, .timeline .first time')]
						.flatMap((it) => [it.textContent, it.title.split(' · ')[0]])""")).isNotEmpty()
				.allMatch((text) -> text.toString().matches(time));
			assertThat(this.browser.text("main")).doesNotContain(" AM", " PM");
		}
		this.browser.language("");
		this.browser.zone("");
	}

	@Test
	void logLinesFollowTheZone() {
		this.browser.zone("Asia/Tokyo");
		die(1, "no paper");
		JsonNode found = this.server.json("/api/jobs?state=dead").path("jobs").path(0);
		JsonNode attempt = this.server.json("/api/job?id=" + found.path("id").asString()).at("/trail/attempts/0");
		String line = attempt.path("log").asString();
		Instant logged = Instant.parse(line.substring(0, line.indexOf(' ')));
		open("job?id=" + found.path("id").asString());
		this.browser.awaitText(".log pre", written(logged, ZoneId.of("Asia/Tokyo")) + " ERROR");
		this.browser.keys("u");
		this.browser.awaitText(".log pre", written(logged, ZoneOffset.UTC) + " ERROR");
		this.browser.script("localStorage.clear()");
		this.browser.zone("");
	}

	private static String written(Instant time, ZoneId zone) {
		return DateTimeFormatter.ofPattern("d MMM HH:mm:ss.SSS", Locale.ENGLISH).withZone(zone).format(time);
	}

	@ParameterizedTest
	@ValueSource(strings = { "queues", "schedules", "dead" })
	void buttonsOfARowAreOnTheLineOfItsText(String page) {
		die(1, "no paper");
		open(page);
		this.browser.awaitText("tbody td.acts", "");
		assertThat((List<?>) this.browser.script("""
				const middle = (node) => {
					const range = document.createRange();
					range.selectNodeContents(node);
					const [box] = range.getClientRects();
					return (box.top + box.bottom) / 2;
				};
				return [...document.querySelectorAll('tbody tr')].flatMap((row) =>
					[...row.querySelectorAll('td.acts button')].map((button) =>
						Math.abs(middle(button) - middle(row.querySelector('td:first-child a, td:first-child b')))))
					.filter((apart) => apart > 1.5)""")).isEmpty();
		assertThat(this.browser.has("td.acts button")).isTrue();
	}

	@Test
	void pageRecoversOnceTheServerAnswers() {
		open("queues");
		this.browser.awaitText(".status", "Live");
		this.browser.offline(true);
		try {
			this.browser.awaitText(".banner", "The application is not responding.", "Reconnecting automatically.");
			this.browser.awaitText(".status", "Disconnected");
		}
		finally {
			this.browser.offline(false);
		}
		die(1, "seen later");
		this.browser.awaitText("tr[data-key=fail] [data-label=Dead]", "1");
		await().atMost(Duration.ofSeconds(30)).until(() -> this.browser.text(".banner").isEmpty());
		this.browser.awaitText(".status", "Live");
	}

	@ParameterizedTest
	@ValueSource(strings = { "jobs", "dead" })
	void pageThatWasOpenedInAnOutageIsFilledOnceTheServerAnswers(String page) {
		die(1, "seen later");
		open("queues");
		this.browser.awaitText(".status", "Live");
		this.browser.offline(true);
		try {
			this.browser.script("location.hash = arguments[0]", "#/" + page);
			this.browser.awaitText("main", "Something went wrong", "The application is not responding.");
		}
		finally {
			this.browser.offline(false);
		}
		this.browser.awaitText("main", "seen later");
	}

	@ParameterizedTest
	@CsvSource({ "jobs, seen later", "dead, seen later", "schedules, nightly", "queues/fail?tab=dead, seen later" })
	void pageIsFilledOnceTheStoreAnswers(String page, String text) {
		die(1, "seen later");
		open("workers");
		this.browser.awaitText(".status", "Live");
		this.browser.script("""
				const send = window.fetch;
				window.fetch = async (path, options) => window.answered || path.startsWith('api/overview')
					? send(path, options)
					: new Response('{"error": "The store is out of reach."}', {status: 503});
				location.hash = arguments[0]""", "#/" + page);
		this.browser.awaitText("main h1", "");
		if (!page.startsWith("queues")) {
			this.browser.awaitText("main", "The store is out of reach.");
		}
		this.browser.script("window.answered = true");
		this.browser.awaitText("main tbody", text);
	}

	@Test
	void rowsAreReachedSelectedAndOpenedByKeys() {
		die(2, "no paper");
		open("jobs?state=dead");
		this.browser.awaitText("tbody tr:nth-child(2)", "no paper");
		String first = (String) this.browser.script("return document.querySelector('tbody tr').dataset.key");
		this.browser.keys("j", "j", "x");
		this.browser.awaitText(".selection", "1 job selected.");
		assertThat(this.browser.has("tbody tr:nth-child(2).selected")).isTrue();
		this.browser.keys("k", Keys.ENTER);
		this.browser.awaitText("main .id", first);
	}

	@Test
	void paletteLeadsToPagesQueuesAndJobsAndActs() throws IOException {
		String id = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("overview");
		this.browser.awaitText(".states", "Waiting");
		choose("nightly", "nightly");
		this.browser.awaitText("main h1", "nightly");
		choose(id, "Open job " + id);
		this.browser.awaitText("main .id", id);
		choose("sched", "Schedules");
		this.browser.awaitText("main h1", "Schedules");
		choose("pause nightly", "Pause nightly");
		assertThat(this.browser.confirm()).isEqualTo("Pause nightly?");
		this.browser.awaitText("#toasts", "nightly paused");
		this.browser.chord(Keys.CONTROL, "k");
		this.browser.awaitText("#palette-options", "Overview");
		assertThat(this.browser.axe()).isEmpty();
		this.browser.keys(Keys.ESCAPE);
		this.browser.awaitGone("dialog");
	}

	private void choose(String text, String option) {
		this.browser.chord(Keys.CONTROL, "k");
		this.browser.awaitText("#palette-options", "Overview");
		this.browser.keys(text);
		this.browser.awaitText("#palette-options [aria-selected=true]", option);
		this.browser.keys(Keys.ENTER);
	}

	@Test
	void jobsTakeOneLineEachAndAScreenOfALaptopShowsSome25() {
		die(40, "There was no paper in the printer that stands in the corridor of the third floor, and no ink either");
		this.browser.size(1440, 900);
		open("jobs?state=dead");
		this.browser.awaitText("tbody tr:nth-child(40)", "no paper");
		assertThat(rowsInSight()).isGreaterThanOrEqualTo(22L);
		this.browser.keys("c");
		assertThat(rowsInSight()).isGreaterThanOrEqualTo(26L);
		this.browser.script("localStorage.clear()");
	}

	private Long rowsInSight() {
		return (Long) this.browser.script("""
				return [...document.querySelectorAll('tbody tr')]
					.filter((it) => it.getBoundingClientRect().bottom <= innerHeight).length""");
	}

	@Test
	void jobThatSucceededShowsNoRed() {
		String id = this.client.enqueue("fails-at-first").id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.SCHEDULED).retrying(true)), 1);
		this.operations.job(id).retry();
		awaitCount(JobFilter.of((only) -> only.states(JobState.SUCCEEDED)), 1);
		open("jobs?state=succeeded");
		this.browser.awaitText("td.error", "Failed before: ", "not yet");
		Object calm = this.browser.script("return getComputedStyle(document.querySelector('td.id')).color");
		assertThat(this.browser.script("return getComputedStyle(document.querySelector('td.error')).color"))
			.isEqualTo(calm);
		open("job?id=" + id);
		this.browser.awaitText(".timeline", "Failed", "Succeeded");
		assertThat(this.browser.script("return getComputedStyle(document.querySelector('.outcome.bad')).color"))
			.isEqualTo(calm);
		this.operations.job(id).delete();
	}

	@Test
	void jobAndCauseLinkToTheirTrace() {
		String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
		String id = this.client
			.enqueue(JobRequest.named("fail")
				.payload("no paper")
				.header("traceparent", "00-" + trace + "-00f067aa0ba902b7-01"))
			.id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 1);
		open("job?id=" + id);
		String link = "a[href='https://traces.example.org/" + trace + "'][rel=noreferrer]";
		this.browser.awaitText(".facts " + link, trace);
		open("cause/" + this.server.json("/api/dead").path("causes").path(0).path("id").asString());
		this.browser.awaitText("main .frame " + link, "Trace of the latest");
	}

	@Test
	void stackTraceBeginsWithItsCauseAndFoldsFramesOfLibraries() {
		die(1, "no paper");
		open("jobs?state=dead");
		this.browser.click("tbody td.name a");
		this.browser.awaitText(".trace b", "no paper");
		this.browser.awaitText(".trace", "Applications$Work.fail", "frames of libraries");
		assertThat(this.browser.text(".trace")).doesNotContain("java.base/");
	}

	@Test
	void hiddenTabAsksForNothingUntilItIsShownAgain() {
		open("queues");
		this.browser.script("""
				const set = window.setTimeout;
				const clear = window.clearTimeout;
				const send = window.fetch;
				window.timers = new Set();
				window.asked = 0;
				window.answered = 0;
				window.setTimeout = (task, millis) => {
					const id = set(() => {
						timers.delete(id);
						task();
					}, millis);
					timers.add(id);
					return id;
				};
				window.clearTimeout = (id) => {
					timers.delete(id);
					clear(id);
				};
				window.fetch = (...request) => {
					asked++;
					return send(...request).finally(() => answered++);
				};""");
		awaitScript("return asked > 1 && timers.size > 0");
		hide(true);
		this.browser.awaitText(".status", "Paused");
		awaitScript("return asked === answered && timers.size === 0");
		Object asked = this.browser.script("return asked");
		die(1, "seen later");
		assertThat(this.browser.script("return asked")).isEqualTo(asked);
		hide(false);
		this.browser.awaitText("tr[data-key=fail] [data-label=Dead]", "1");
		this.browser.awaitText(".status", "Live");
	}

	private void hide(boolean hidden) {
		this.browser.script("""
				Object.defineProperty(document, 'hidden', {configurable: true, value: arguments[0]});
				document.dispatchEvent(new Event('visibilitychange'))""", hidden);
	}

	private void awaitScript(String script) {
		await().atMost(Duration.ofSeconds(30)).until(() -> Boolean.TRUE.equals(this.browser.script(script)));
	}

	@Test
	void listThatHasToWaitForOthersIsAskedForAgain() {
		String id = this.client.enqueue("nightly", 1, (options) -> options.delay(Duration.ofHours(1))).id();
		open("queues");
		this.browser.script("""
				const send = window.fetch;
				window.asked = 0;
				window.fetch = async (path, options) => path.startsWith('api/jobs') && ++window.asked < 3
					? new Response('{"error": "Others read lists."}', {status: 503, headers: {'Retry-After': '1'}})
					: send(path, options);
				location.hash = '#/jobs'""");
		this.browser.awaitText("tr[data-key='" + id + "']", "nightly");
		assertThat((Long) this.browser.script("return window.asked")).isGreaterThanOrEqualTo(3);
	}

	@Test
	void oddAddressesAreAnsweredInWords() {
		open("jobs?tag=" + "%22%3E%3Cimg%20src=x%3E");
		this.browser.awaitText("main", "No matching jobs");
		open("job?id=" + "a/b%20%3Cscript%3E");
		this.browser.awaitText("main h1", "Job not found");
		assertThat(this.browser.complaints()).isEmpty();
		open("queues/" + "%3Cimg%20src=x%3E");
		this.browser.awaitText("main h1", "<img src=x>");
		for (String page : List.of("%E0%A4%A/none", "constructor", "__proto__")) {
			open(page);
			this.browser.awaitText("main h1", "Page not found");
		}
		open("jobs?state=constructor");
		this.browser.awaitText("main", "'state' must be");
	}

	@Test
	void pageOfAnotherSiteChangesNothing() throws IOException {
		die(1, "no paper");
		open("dead");
		HttpServer evil = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		String target = this.server.uri("/api/delete").toString();
		String wish = "{\"filter\":{\"state\":\"dead\"}}";
		evil.createContext("/", (exchange) -> {
			byte[] body = """
					<form method=post enctype=text/plain action='%s' target=frame><input name='%s' value=''></form>
					<iframe name=frame></iframe><iframe src='%s' id=framed></iframe>
					<script>
					document.forms[0].submit();
					fetch('%s', {method: 'POST', mode: 'no-cors', credentials: 'include', body: '%s'})
						.finally(() => document.title = 'sent');
					</script>""".formatted(target, wish, this.server.uri("/"), target, wish)
				.getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().set("Content-Type", "text/html");
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		evil.start();
		try {
			this.browser.open("http://127.0.0.1:" + evil.getAddress().getPort() + "/");
			await().atMost(30, TimeUnit.SECONDS)
				.until(() -> "sent".equals(this.browser.script("return document.title")));
			await().atMost(30, TimeUnit.SECONDS)
				.until(() -> this.browser.complaints().toString().contains("frame-ancestors"));
		}
		finally {
			evil.stop(0);
		}
		assertThat(count(JobFilter.of((only) -> only.states(JobState.DEAD)))).isOne();
		assertThat(this.server.bean(Applications.Work.class).actions)
			.noneMatch((act) -> act.target().contains("filter"));
	}

}
