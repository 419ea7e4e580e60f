package dev.jobs.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.store.JobStore;
import dev.jobs.store.NewJob;
import dev.jobs.store.NewSchedule;
import dev.jobs.store.Tick;
import dev.jobs.store.WorkerBeat;
import dev.jobs.store.view.Tally;
import dev.jobs.store.view.WorkerInfo;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for the overview, the charts, the queues, the workers and the schedules in a real
 * browser.
 */
@ExpectsFaults("failing with")
class ChromiumViewsTests extends BrowserTest {

	/**
	 * Two queues ran for an hour, one busier, with nothing in between for ten minutes.
	 */
	private static final int PAST = 55;

	private Instant minute;

	@Override
	Class<?> application() {
		return Applications.Servlet.class;
	}

	@Override
	List<String> properties() {
		return List.of("jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms",
				"jobs.handlers.fail.max-attempts=1", "jobs.handlers.fails-at-first.max-attempts=1",
				"jobs.handlers.long.keep-history=true", "jobs.handlers.long.timeout=90m",
				"jobs.defaults.max-concurrency=7", "jobs.worker.lease=3s", "jobs.worker.beat=500ms",
				"spring.application.version=2.14.1", "jobs.schedules.daily.handler=nightly",
				"jobs.schedules.daily.cron=@every 24h");
	}

	@Override
	void stopStore() {
	}

	@BeforeAll
	void fillThePast() {
		this.minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
		for (int ago = PAST; ago > 1; ago--) {
			if (ago <= 20 || ago > 30) {
				Instant start = this.minute.minus(Duration.ofMinutes(ago));
				this.server.bean(JobStore.class)
					.beat(new WorkerBeat("past", Duration.ofSeconds(1), null, List.of(),
							new WorkerBeat.Report(PAST - ago + 1L,
									List.of(tally("busy", start, 600), tally("quiet", start, 60))),
							false, start));
			}
		}
	}

	/** Half of the jobs waited for 2 to 4 ms, the others for 16 to 32 s. */
	private static Tally tally(String queue, Instant start, long jobs) {
		long[] cells = new long[Tally.CELLS];
		cells[0] = jobs;
		cells[1] = jobs;
		cells[4 + 2] = jobs / 2;
		cells[4 + 15] = jobs / 2;
		cells[4 + 24 + 5] = jobs;
		return Tally.of(queue, start, cells);
	}

	private void dieInTwoQueues() {
		die(2, "no paper");
		this.client.enqueue("fails-at-first");
		awaitCount(JobFilter.of((only) -> only.states(JobState.DEAD)), 3);
	}

	@SuppressWarnings("unchecked")
	private List<String> texts(String css) {
		return (List<String>) this.browser
			.script("return [...document.querySelectorAll(arguments[0])].map((it) => it.textContent.trim())", css);
	}

	@SuppressWarnings("unchecked")
	private List<Number> numbers(String script) {
		return (List<Number>) this.browser.script(script);
	}

	private String chart(String title) {
		return "figure[data-key='" + title + "']";
	}

	private void awaitCharts() {
		this.browser.awaitText(chart("Run time") + " .legend", "p99");
	}

	@Test
	void alertsAreOneLineForEachKindTheWorstFirst() {
		dieInTwoQueues();
		this.client.enqueue("nobody-has-a-handler");
		open("overview");
		this.browser.awaitText(".alerts", "3 dead jobs in 2 queues", "1 job in “nobody-has-a-handler” has no worker");
		assertThat(texts(".alerts > ul > li > .alert > a"))
			.containsExactly("1 job in “nobody-has-a-handler” has no worker", "3 dead jobs in 2 queues");
		assertThat(this.browser.has(".affected")).isFalse();
		this.browser.click(".alerts [data-key=dead] [aria-expanded=false]");
		this.browser.awaitText(".affected", "fail 2 dead jobs", "fails-at-first 1 dead job");
		this.browser.click(".alerts [data-key=dead] [aria-expanded=true]");
		this.browser.awaitGone(".affected");
		this.browser.click(".alerts [data-key=dead] a");
		this.browser.awaitText("main h1", "Dead");
	}

	@Test
	void dismissedAlertComesBackOnceAnotherQueueIsConcerned() {
		die(1, "no paper");
		open("overview");
		this.browser.click(".alerts [data-key=dead] .dismiss");
		this.browser.awaitGone(".alerts [data-key=dead]");
		this.browser.awaitText(".alerts", "1 alert dismissed");
		open("overview");
		this.browser.awaitText(".alerts", "1 alert dismissed");
		this.client.enqueue("fails-at-first");
		this.browser.awaitText(".alerts [data-key=dead]", "2 dead jobs in 2 queues");
		this.browser.script("sessionStorage.clear()");
	}

	@Test
	void dismissedAlertComesBackOnceItsNumberHasDoubled() {
		die(2, "no paper");
		open("overview");
		this.browser.click(".alerts [data-key=dead] .dismiss");
		this.browser.awaitGone(".alerts [data-key=dead]");
		die(1, "no paper");
		this.browser.awaitText(".states .tile:last-of-type strong", "3");
		assertThat(this.browser.has(".alerts [data-key=dead]")).isFalse();
		die(1, "no paper");
		this.browser.awaitText(".alerts [data-key=dead]", "4 dead jobs in “fail”");
		this.browser.script("sessionStorage.clear()");
	}

	@Test
	void statesOfTheOverviewAddUpToAllJobs() {
		dieInTwoQueues();
		this.operations.queue("nightly").pause();
		this.client.enqueue("nightly");
		this.client
			.enqueueAll(IntStream.range(0, 4).mapToObj((i) -> JobRequest.named("nobody-has-a-handler")).toList());
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("overview");
		await().atMost(Duration.ofSeconds(30))
			.untilAsserted(
					() -> assertThat(texts(".states .tile strong")).containsExactly("9", "5", "1", "0", "0", "0", "3"));
	}

	@Test
	void oneCrosshairShowsTheValuesOfAllChartsAtOnce() {
		open("overview?range=1h");
		awaitCharts();
		assertThat(texts(".chart .at")).containsOnly("latest");
		this.browser.script("""
				const plot = document.querySelector('.plot');
				const box = plot.getBoundingClientRect();
				plot.dispatchEvent(new PointerEvent('pointermove', {bubbles: true, pointerType: 'mouse',
					clientX: box.left + 50 + (box.width - 64) * 0.4, clientY: box.top + 20}))""");
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(() -> assertThat(texts(".chart .at")).hasSize(3)
				.doesNotContain("latest")
				.allMatch((text) -> text.equals(texts(".chart .at").get(0)) && text.matches("\\d\\d:\\d\\d .+")));
		assertThat(texts(chart("Attempts per second") + " .legend b")).containsExactly("11", "0");
		assertThat(texts(chart("Run time") + " .legend b")).allMatch((text) -> text.matches("[\\d.]+ ms"));
		assertThat(texts(".cursor")).hasSize(3);
	}

	@Test
	void touchLeavesTheCrosshairWhereItWas() {
		open("overview?range=1h");
		awaitCharts();
		this.browser.script("""
				const plot = document.querySelector('.plot');
				const box = plot.getBoundingClientRect();
				const at = {bubbles: true, pointerType: 'touch', clientX: box.left + 100, clientY: box.top + 20};
				plot.dispatchEvent(new PointerEvent('pointerdown', at));
				document.querySelector('.charts').dispatchEvent(new PointerEvent('pointerleave', at))""");
		await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(texts(".cursor")).hasSize(3));
	}

	@Test
	void arrowKeysMoveTheCrosshairAndAreAnnounced() {
		open("overview?range=1h");
		awaitCharts();
		this.browser.script("document.querySelector('.plot').focus()");
		this.browser.keys(Keys.HOME);
		awaitAnnounced("succeeded 0, failed 0");
		for (int i = 0; i < 20; i++) {
			this.browser.keys(Keys.ARROW_RIGHT);
		}
		awaitAnnounced("succeeded 11, failed 0");
		assertThat(announced()).matches("\\d\\d:\\d\\d .+: succeeded 11, failed 0");
		assertThat(this.browser.script("return document.activeElement.getAttribute('aria-valuenow')")).isEqualTo("20");
		this.browser.keys(Keys.ESCAPE);
		this.browser.awaitGone(".cursor");
	}

	private void awaitAnnounced(String text) {
		await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertThat(announced()).contains(text));
	}

	private String announced() {
		return (String) this.browser.script("return document.activeElement.getAttribute('aria-valuetext')");
	}

	@Test
	void gapIsLeftOutAndShiftsNothing() {
		Instant minute;
		List<Number> xs;
		do {
			minute = Instant.now().truncatedTo(ChronoUnit.MINUTES);
			open("overview?range=1h");
			awaitCharts();
			xs = numbers("""
					return [...document.querySelectorAll('figure[data-key="Queue latency"] path.line.p50')]
						.flatMap((it) => it.getAttribute('d').match(/[\\d.]+(?= )/g)).map(Number)""");
		}
		while (!Instant.now().truncatedTo(ChronoUnit.MINUTES).equals(minute));
		List<Number> ends = numbers("""
				const grid = document.querySelector('figure[data-key="Queue latency"] line.grid');
				return ['x1', 'x2'].map((it) => Number(grid.getAttribute(it)))""");
		double left = ends.get(0).doubleValue();
		double step = (ends.get(1).doubleValue() - left) / 59;
		long passed = Duration.between(this.minute, minute).toMinutes();
		List<Long> agos = xs.stream()
			.map((x) -> 59 - Math.round((x.doubleValue() - left) / step) - passed)
			.filter((ago) -> ago > 1)
			.toList();
		assertThat(agos).containsExactlyElementsOf(IntStream.iterate(PAST, (ago) -> ago > 1, (ago) -> ago - 1)
			.filter((ago) -> ago <= 20 || ago > 30)
			.mapToObj((ago) -> (long) ago)
			.toList());
	}

	@ParameterizedTest
	@ValueSource(strings = { "15m", "1h", "3h", "12h", "2d" })
	void timeLabelsAreRoundAndEvenAndTheRightEndHasOne(String range) {
		this.browser.zone("Asia/Tokyo");
		open("overview?range=" + range);
		awaitCharts();
		List<String> labels = texts(chart("Run time") + " .tick.time");
		assertThat(labels).hasSizeBetween(2, 7)
			.allMatch((label) -> label
				.matches(range.equals("15m") ? "\\d\\d:\\d[05]" : "(\\w{3} )?\\d\\d:(00|15|30|45)"));
		List<Number> xs = numbers("""
				return [...document.querySelectorAll('figure[data-key="Run time"] .tick.time')]
					.map((it) => Number(it.getAttribute('x')))""");
		double gap = xs.get(1).doubleValue() - xs.get(0).doubleValue();
		for (int i = 1; i < xs.size(); i++) {
			assertThat(xs.get(i).doubleValue() - xs.get(i - 1).doubleValue()).isBetween(gap - 0.5, gap + 0.5);
		}
		assertThat(texts(chart("Run time") + " .tick.end")).containsExactly("now");
		this.browser.zone("");
	}

	@Test
	void rangeIsChosenAndKeptInTheAddressOfEachPage() {
		for (String page : List.of("overview", "queues/nightly")) {
			this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
			open(page + "?range=12h");
			awaitCharts();
			this.browser.click(".page-head .segments button:first-child");
			this.browser.awaitText(".page-head .segments [aria-pressed=true]", "15 min");
			Object address = this.browser.script("return location.hash");
			assertThat(address).asString().startsWith("#/" + page).contains("range=15m");
			open(address.toString().substring(2));
			this.browser.awaitText(".page-head .segments [aria-pressed=true]", "15 min");
			awaitCharts();
			assertThat(
					numbers("return [document.querySelectorAll('.plot')[0].getAttribute('aria-valuemax')].map(Number)"))
				.containsExactly(14L);
		}
	}

	@Test
	void throughputIsStackedByQueueOnDemand() {
		open("overview?range=1h");
		awaitCharts();
		this.browser.click(chart("Attempts per second") + " .toggle");
		this.browser.awaitText(chart("Attempts per second") + " .legend", "busy", "quiet");
		this.browser.script("document.querySelector('.plot').focus()");
		this.browser.keys(Keys.HOME);
		for (int i = 0; i < 20; i++) {
			this.browser.keys(Keys.ARROW_RIGHT);
		}
		awaitAnnounced("busy 10, quiet 1");
		List<Number> heights = numbers("return [...document.querySelectorAll('.cursor')].slice(0, 1)"
				+ ".flatMap((it) => [...it.querySelectorAll('circle')].map((one) => Number(one.getAttribute('cy'))))");
		assertThat(heights.get(1).doubleValue()).as("what is stacked lies above")
			.isLessThan(heights.get(0).doubleValue());
		this.browser.click(chart("Attempts per second") + " .toggle");
		this.browser.awaitText(chart("Attempts per second") + " .legend", "succeeded");
	}

	@Test
	void latencyIsShownOnALogarithmicScaleOnDemand() {
		open("overview?range=1h");
		awaitCharts();
		this.browser.click(chart("Queue latency") + " .toggle");
		await().atMost(Duration.ofSeconds(5))
			.untilAsserted(
					() -> assertThat(texts(chart("Queue latency") + " .tick:not(.time):not(.end)")).contains("1 min")
						.containsAnyOf("1 ms", "10 ms"));
		assertThat(this.browser.script("return location.hash")).asString().contains("scale=log");
		this.browser.click(chart("Queue latency") + " .toggle");
	}

	@Test
	void barsOfTheBacklogEndWhereTheyCanBeCompared() {
		this.client.enqueueAll(IntStream.range(0, 3000).mapToObj((i) -> JobRequest.named("nobody-a")).toList());
		this.client.enqueueAll(IntStream.range(0, 30).mapToObj((i) -> JobRequest.named("nobody-b")).toList());
		open("overview");
		this.browser.awaitText(".backlog", "nobody-a", "nobody-b", "Waiting", "Scheduled", "Retrying");
		assertThat(numbers("""
				return [...document.querySelectorAll('.backlog .track')]
					.map((it) => Math.round(it.getBoundingClientRect().right))""").stream().distinct()).hasSize(1);
		List<Number> widths = numbers(
				"""
						return [...document.querySelectorAll('.backlog .track i')].map((it) => it.getBoundingClientRect().width)""");
		assertThat(widths.get(0).doubleValue() / widths.get(1).doubleValue()).isBetween(80.0, 120.0);
	}

	@Test
	void queueShowsItsJobsByState() {
		this.operations.queue("nightly").pause();
		String waiting = this.client.enqueue("nightly").id();
		String scheduled = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("queues/nightly");
		this.browser.awaitText("[data-key=jobs] tbody", waiting);
		this.browser.awaitText("[data-key=jobs] [data-tab=ready]", "Waiting 1");
		this.browser.awaitText("[data-key=jobs] [data-tab=scheduled]", "Scheduled 1");
		this.browser.awaitText("[data-key=jobs] [data-tab=dead]", "Dead 0");
		this.browser.click("[data-tab=scheduled]");
		this.browser.awaitText("[data-key=jobs] tbody", scheduled);
		assertThat(this.browser.text("[data-key=jobs] tbody")).doesNotContain(waiting);
		open(this.browser.script("return location.hash").toString().substring(2));
		this.browser.awaitText("[data-key=jobs] tbody", scheduled);
		this.browser.click(".crumbs a");
		this.browser.awaitText("main h1", "Queues");
	}

	@Test
	void queueShowsItsJobsThatWereCancelledAndKept() {
		String id = run();
		end(id);
		open("queues/long?tab=cancelled");
		this.browser.awaitText("[data-key=jobs] tbody", id);
		assertThat(this.browser.text("[data-key=jobs] [data-tab=cancelled]")).isEqualTo("Cancelled");
		this.browser.click("[data-tab=succeeded]");
		this.browser.awaitText("[data-key=jobs]",
				"Jobs that succeeded or were cancelled are kept only if keep-history is set.");
	}

	@Test
	void tabOfAQueueStaysThoughItsNumbersChange() {
		String scheduled = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("queues/nightly");
		this.browser.awaitText("[data-key=jobs] tbody", scheduled);
		this.operations.queue("nightly").pause();
		this.client.enqueue("nightly");
		this.browser.awaitText("[data-key=jobs] [data-tab=ready]", "Waiting 1");
		assertThat(this.browser.text("[data-key=jobs] [aria-pressed=true]")).startsWith("Scheduled");
		assertThat(this.browser.text("[data-key=jobs] tbody")).contains(scheduled);
	}

	@Test
	void queueSaysWhyItsJobsWaitAndWhichSchedulesItHas() {
		this.operations.queue("nightly").pause();
		this.client.enqueue("nightly");
		open("queues/nightly");
		this.browser.awaitText(".why", "Its queue is paused.");
		this.browser.awaitText("[data-key=schedules]", "nightly", "0 30 2 * * MON-FRI", "daily");
	}

	@Test
	void queueSaysWhichPlaceSetsEachOfItsSettings() {
		this.client.enqueue("fails-at-first", (options) -> options.delay(Duration.ofHours(1)));
		open("queues/fails-at-first");
		this.browser.awaitText("[data-key=settings]", "failAtFirst");
		assertThat(setting("max-attempts")).contains("1", "Property", "jobs.handlers.fails-at-first.max-attempts");
		assertThat(setting("backoff.delay")).contains("1h", "Annotation");
		assertThat(setting("max-concurrency")).contains("7", "Default property", "jobs.defaults.max-concurrency");
		assertThat(setting("timeout")).contains("none", "Built in");
		this.operations.queue("fails-at-first").limit(3);
		try {
			open("queues/fails-at-first");
			this.browser.awaitText("[data-key=settings] [data-key=limit]", "3", "Operator");
			assertThat(setting("max-concurrency")).contains("overridden");
		}
		finally {
			this.operations.queue("fails-at-first").removeLimit();
		}
	}

	@Test
	void settingsOfAQueueShowWhatThePayloadTypeSets() {
		open("queues/import-file");
		this.browser.awaitText("[data-key=settings]", "max-waiting");
		assertThat(setting("max-waiting")).contains("50", "Payload type", "ImportFile");
		assertThat(setting("unique.on-duplicate")).contains("replace", "Payload type");
		assertThat(setting("tags")).contains("import, slow", "Payload type");
	}

	@ParameterizedTest
	@ValueSource(ints = { 1024, 390 })
	void settingsOfAQueueBreakNoWord(int width) {
		this.client.enqueue("fails-at-first", (options) -> options.delay(Duration.ofHours(1)));
		this.browser.size(width, 900);
		open("queues/fails-at-first");
		this.browser.awaitText("[data-key=settings]", "failAtFirst", "jobs.handlers.fails-at-first.max-attempts");
		assertThat((List<?>) this.browser
			.script("""
					const broken = [];
					const walker = document.createTreeWalker(document.querySelector('[data-key=settings]'), NodeFilter.SHOW_TEXT);
					while (walker.nextNode()) {
						for (const word of walker.currentNode.data.matchAll(/[^\\s-]+-?/g)) {
							const range = document.createRange();
							range.setStart(walker.currentNode, word.index);
							range.setEnd(walker.currentNode, word.index + word[0].length);
							if (new Set([...range.getClientRects()].map((it) => it.top)).size > 1) {
								broken.push(word[0]);
							}
						}
					}
					return broken;
					"""))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { 1440, 1024, 390 })
	void nothingOfAQueueIsCutOrBrokenOrAlone(int width) {
		die(2, "no paper");
		this.browser.size(width, 900);
		open("queues/fail?tab=dead");
		awaitCharts();
		this.browser.awaitText("[data-key=jobs] tbody", "no paper");
		assertThat(texts(".tabs button")).hasSize(8);
		assertThat(numbers("""
				const card = document.querySelector('.tabs').getBoundingClientRect();
				return [...document.querySelectorAll('.tabs button')].map((it) => it.getBoundingClientRect())
					.filter((it) => it.left < card.left || it.right > card.right).map(() => 1)""")).as("tabs cut")
			.isEmpty();
		assertThat(numbers("""
				return [...document.querySelectorAll('.legend, td.name a.id, .chart-title')]
					.filter((it) => it.getBoundingClientRect().height > 26).map(() => 1)""")).as("lines broken")
			.isEmpty();
		assertThat(numbers("""
				const tops = [...document.querySelectorAll('.tiles .tile')].map((it) => it.getBoundingClientRect().top);
				return [...new Set(tops)].map((top) => tops.filter((it) => it === top).length)"""))
			.as("tiles of each row")
			.allMatch((count) -> count.intValue() > 1);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1440, 1024, 390 })
	void allStatesOfJobsAreInSight(int width) {
		die(1, "no paper");
		this.browser.size(width, 900);
		open("jobs");
		this.browser.awaitText(".views .dead .count", "1");
		assertThat(numbers("""
				return [...document.querySelectorAll('.views a')].map((it) => it.getBoundingClientRect())
					.filter((it) => it.left < 0 || it.right > innerWidth).map(() => 1)""")).isEmpty();
	}

	@Test
	void statesHaveTheSameColourOnAllPages() {
		this.operations.queue("nightly").pause();
		String waiting = this.client.enqueue("nightly").id();
		open("overview");
		this.browser.awaitText(".states", "Waiting");
		Object colour = this.browser
			.script("return getComputedStyle(document.querySelector('.swatch.ready')).backgroundColor");
		Object later = this.browser
			.script("return getComputedStyle(document.querySelector('.swatch.scheduled')).backgroundColor");
		open("job?id=" + waiting);
		this.browser.awaitText(".timeline", "Waiting");
		assertThat(this.browser
			.script("return getComputedStyle(document.querySelector('.track i.waited')).backgroundColor"))
			.isEqualTo(colour);
		String scheduled = this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1))).id();
		open("job?id=" + scheduled);
		this.browser.awaitText(".timeline", "Scheduled");
		assertThat(
				this.browser.script("return getComputedStyle(document.querySelector('.track i.due')).backgroundImage")
					.toString())
			.contains(later.toString());
	}

	private String setting(String name) {
		return this.browser.text("[data-key=settings] [data-key='" + name + "']");
	}

	/** What the tests run in may have one of its own. */
	private String version() {
		return this.server.context().getEnvironment().getRequiredProperty("spring.application.version");
	}

	@Test
	void chartsMarkVersionsAndWhatOperatorsChanged() {
		this.server.act("limit", "{\"queue\":\"long\",\"limit\":3}");
		try {
			open("queues/long?range=1h");
			this.browser.awaitText(".marks", "version " + version() + " started", "127.0.0.1 limited long to 3");
			assertThat(this.browser.script("return document.querySelectorAll('.plot path.mark').length")).isEqualTo(6L);
			open("queues/fail?range=1h");
			this.browser.awaitText(".marks", "version " + version() + " started");
			assertThat(this.browser.text(".marks")).doesNotContain("limited");
			this.browser.click(".marks a");
			this.browser.awaitText("main tbody tr:nth-child(1)", "limited queue long to 3");
			this.browser.awaitText("main tbody", "started version " + version());
		}
		finally {
			this.operations.queue("long").removeLimit();
		}
	}

	@Test
	void queueWithoutHandlerHereSaysThatItsSettingsAreNotKnown() {
		this.client.enqueue("nobody-has-a-handler");
		open("queues/nobody-has-a-handler");
		this.browser.awaitText("[data-key=settings]", "The process that shows this page has no handler for this queue");
		this.browser.awaitText("[data-key=workers]", "No workers");
	}

	@Test
	void limitThatIsInForceIsShownAndNoneBelowOneIsTaken() {
		this.client.enqueue("nightly", (options) -> options.delay(Duration.ofHours(1)));
		open("queues/nightly");
		this.browser.click("[data-act=limit]");
		this.browser.awaitText("dialog[open] #limit-now", "The limit is 7, set by the workers.");
		this.browser.type("#limit", "0");
		this.browser.awaitText("dialog[open] #limit-error",
				"The limit must be at least 1. To keep jobs from starting, pause the queue.");
		assertThat(numbers("""
				const label = document.querySelector('dialog label').getBoundingClientRect();
				return [document.querySelector('#limit').getBoundingClientRect().left - label.right]""").get(0)
			.doubleValue()).isGreaterThan(6);
		this.browser.type("#limit", "4");
		this.browser.awaitText("#toasts", "Limit of nightly set to 4");
		this.browser.awaitText("section.tiles", "set by 127.0.0.1");
		this.browser.click("[data-act=limit]");
		this.browser.awaitText("dialog[open] #limit-now", "The limit is 4, set by 127.0.0.1");
		this.browser.click("#dialog-remove");
		this.browser.awaitText("#toasts", "Limit of nightly removed");
		this.operations.by("ada").queue("nightly").pause();
		this.browser.awaitText("main .pill.paused", "Paused");
		assertThat(this.browser.script("return document.querySelector('main .pill.paused').title")).asString()
			.matches("By ada (now|\\d+ s ago)");
	}

	@Test
	void workerShowsItsProcessAndWhatItRuns() {
		String running = run();
		open("workers");
		this.browser.awaitText(".workers", "Application " + version(), "Java " + Runtime.version().feature(), "Heap",
				"B of ", "Java threads", "Uptime", "Running now", "long");
		assertThat(numbers("""
				return [...document.querySelectorAll('.meter b, .progress span')].filter((it) =>
					it.getBoundingClientRect().height > 26).map(() => 1)""")).isEmpty();
		end(running);
	}

	@Test
	void workerThatReportsNoProcessIsShownToo() {
		this.server.bean(JobStore.class)
			.beat(new WorkerBeat("other", Duration.ofSeconds(20),
					new WorkerInfo("elsewhere", 7, "", Instant.now(), List.of(), List.of()), List.of(), false,
					Instant.now()));
		open("workers");
		this.browser.awaitText("[data-key=other]", "elsewhere, process 7");
		assertThat(this.browser.text("[data-key=other]")).doesNotContain("Heap", "undefined", "null");
	}

	@Test
	void laneIsPausedLimitedAndResumed() throws IOException {
		String queue = "nobody-has-a-handler";
		for (String lane : List.of("tenant:42", "tenant:42", "tenant:42", "b")) {
			this.client.enqueue(queue, (options) -> options.lane(lane));
		}
		open("queues/" + queue);
		String row = "[data-key=lanes] [data-key='tenant:42']";
		this.browser.awaitText(row + " [data-label=Waiting]", "3");
		this.browser.click(row + " [data-act=pause]");
		assertThat(this.browser.confirm()).isEqualTo("Pause tenant:42?");
		this.browser.awaitText(row + " .pill", "Paused");
		this.browser.click(row + " [data-act=limit]");
		this.browser.type("#limit", "2");
		this.browser.awaitText(row + " [data-label=Limit]", "2", "by 127.0.0.1");
		this.browser.click(row + " [data-act=weight]");
		this.browser.awaitText("dialog[open] h2", "Which weight does lane tenant:42 have?");
		this.browser.type("#weight", "4");
		this.browser.awaitText(row + " [data-label=Weight]", "4");
		assertThat(this.operations.queue(queue).lane("tenant:42").status().limit()).isEqualTo(2);
		for (String theme : List.of("light", "dark")) {
			for (int width : List.of(1280, 390)) {
				this.browser.size(width, 844);
				this.browser.script("document.documentElement.dataset.theme = arguments[0]", theme);
				this.browser.awaitText(row, "tenant:42");
				assertThat(this.browser.axe()).as(theme + " " + width).isEmpty();
				assertThat(this.browser
					.script("return document.documentElement.scrollWidth > document.documentElement.clientWidth"))
					.isEqualTo(false);
			}
		}
		this.browser.size(1280, 844);
		this.browser.click(row + " [data-act=resume]");
		this.browser.awaitText("#toasts", "tenant:42 resumed");
		this.browser.awaitGone(row + " .pill");
		open("activity");
		this.browser.awaitText("main", "paused lane tenant:42 of " + queue, "set the weight of lane tenant:42");
		open("jobs?queue=" + queue + "&lane=tenant%3A42");
		await().atMost(Duration.ofSeconds(10)).untilAsserted(() -> assertThat(texts("main tbody tr")).hasSize(3));
		this.browser.click("main tbody tr a");
		this.browser.awaitText("main .facts", "Lane", "tenant:42");
		this.operations.queue(queue).lane("tenant:42").removeLimit();
		this.operations.queue(queue).lane("tenant:42").removeWeight();
	}

	@Test
	void schedulesHaveNoControlInASummaryAndEachRunOnOneLine() {
		this.operations.schedule("nightly").runNow();
		open("schedules");
		this.browser.awaitText("tr[data-key=daily]", "@every 24h");
		assertThat(this.browser.text("tr[data-key=daily]")).doesNotContain("UTC");
		assertThat(this.browser.text("tr[data-key=nightly]")).contains("Europe/Vienna");
		this.browser.awaitTextWithin("tr[data-key=nightly] [data-label=Next] details", ":30:00");
		assertThat(this.browser.has("summary a, summary button")).isFalse();
		assertThat(numbers("""
				return [...document.querySelectorAll('.ticks li')].filter((it) =>
					it.getBoundingClientRect().height > 28).map(() => 1)""")).isEmpty();
	}

	@Test
	void overrideIsMarkedAndResetAndAScheduleThatWasPutIsDropped() throws IOException {
		this.operations.schedule("nightly").put((put) -> put.cron("0 0 4 * * *").job("nightly", null));
		this.operations.schedule("report:42").put((put) -> put.cron("0 0 7 1 1 *").job("nightly", null));
		open("schedules");
		this.browser.awaitText("tr[data-key=nightly]", "Overridden", "0 0 4 * * *");
		assertThat(this.browser.axe()).isEmpty();
		this.browser.click("tr[data-key=nightly] [data-act=drop]");
		assertThat(this.browser.confirm()).isEqualTo("Reset the schedule nightly?");
		this.browser.awaitText("#toasts", "nightly is reset");
		this.browser.awaitText("tr[data-key=nightly]", "0 30 2 * * MON-FRI");
		assertThat(this.browser.has("tr[data-key=nightly] [data-act=drop]")).isFalse();
		this.browser.click("tr[data-key='report:42'] [data-act=drop]");
		assertThat(this.browser.confirm()).isEqualTo("Drop the schedule report:42?");
		this.browser.awaitGone("tr[data-key='report:42']");
		assertThat(this.operations.schedule("report:42").status()).isEmpty();
	}

	@Test
	void runWhoseJobIsNoLongerKeptSaysSoAndIsNotShownAsASuccess() {
		Instant tick = Instant.now().truncatedTo(ChronoUnit.MILLIS).plus(1, ChronoUnit.DAYS);
		this.server.bean(JobStore.class)
			.fireTicks(List.of(Tick.of(new NewSchedule("nightly", "Europe/Vienna 0 30 2 * * MON-FRI", "nightly"), tick,
					NewJob.of("ended", "nightly", new byte[0], tick).withDueAt(tick.plusSeconds(3600)))), tick);
		this.operations.job("ended").delete();
		open("schedules");
		this.browser.awaitText("tr[data-key=nightly] [data-label='Last runs']", "Ended", "job no longer kept");
		assertThat(this.browser.script(
				"return document.querySelector('tr[data-key=nightly] [data-label=\"Last runs\"] .pill').className.trim()"))
			.isEqualTo("pill");
	}

	@ParameterizedTest
	@ValueSource(strings = { "overview", "queues", "queues/fail", "jobs", "workers", "schedules", "dead" })
	void numberOfDeadJobsIsInSightOnAPhone(String page) {
		die(1, "no paper");
		for (int width : List.of(390, 360)) {
			this.browser.size(width, 844);
			open(page);
			this.browser.awaitText(".nav .count", "1");
			assertThat(this.browser.script("""
					const count = document.querySelector('.nav .count');
					count.textContent = '9,999';
					const box = count.getBoundingClientRect();
					return box.width > 0 && box.left >= 0 && box.right <= innerWidth""")).as(page + " at " + width)
				.isEqualTo(true);
		}
	}

	@Test
	void keptJobShowsWhenAndWhereItsLastAttemptRan() {
		String cancelled = run();
		end(cancelled);
		open("job?id=" + cancelled);
		this.browser.awaitText(".timeline li:last-child", "Attempt 1", "Cancelled", "waited", "ran", "working on ");
		assertThat(this.browser.text(".facts")).contains("Attempts", "1 of 12");
		this.browser.awaitText(".timeline li:last-child a.worker", ", process " + ProcessHandle.current().pid());
		assertThat(
				numbers("""
						return [...document.querySelectorAll('.timeline .ran')].map((it) => it.getBoundingClientRect().width)"""))
			.hasSize(1);
		String succeeded = this.client.enqueue("brief").id();
		awaitCount(JobFilter.of((only) -> only.states(JobState.SUCCEEDED)), 1);
		open("job?id=" + succeeded);
		this.browser.awaitText(".timeline li:last-child", "Attempt 1", "Succeeded", "waited", "ran");
	}

	@Test
	void timelineShowsThatADeadJobWasRetried() {
		die(1, "no paper");
		this.operations.queue("fail").pause();
		String id = this.operations.jobs(JobFilter.of((only) -> only.states(JobState.DEAD)))
			.page(PageRequest.newestFirst(1))
			.jobs()
			.get(0)
			.id();
		this.operations.job(id).retry();
		open("job?id=" + id);
		this.browser.awaitText(".timeline li:nth-child(2)", "Attempt 1", "Failed");
		this.browser.awaitText(".timeline li:nth-child(3)", "Retried");
		this.browser.awaitText(".timeline li:nth-child(4)", "Attempt 1", "Waiting");
		this.operations.job(id).delete();
		this.operations.queue("fail").resume();
	}

	@Test
	void unknownPageSaysSo() {
		open("nothing-here?range=1h");
		this.browser.awaitText("main h1", "Page not found");
		this.browser.awaitText("main", "nothing-here");
		this.browser.click("main .empty a");
		this.browser.awaitText("main h1", "Overview");
	}

	@Test
	void spanOfTwoMinutesIsNotWordedInSeconds() {
		Instant due = Instant.now().minusSeconds(100).truncatedTo(ChronoUnit.MILLIS);
		this.server.bean(JobStore.class)
			.enqueue(List.of(NewJob.of("late", "nobody-has-a-handler", new byte[0], due)), due);
		open("queues");
		this.browser.awaitText("tr[data-key=nobody-has-a-handler] [data-label='Longest wait']", "1 min");
	}

}
