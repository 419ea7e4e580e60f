package dev.jobs.dashboard;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.operations.JobOperations;
import dev.jobs.store.view.JobInspector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

import org.springframework.boot.WebApplicationType;

import static org.awaitility.Awaitility.await;

/**
 * An application with a dashboard and a real browser, for tests of the page.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class BrowserTest {

	static final String ATTACK = "<script>window.attacked=1</script>\"><img src=x onerror=\"window.attacked=1\">";

	private static final String LONG_SCHEDULE = "jobs.schedules.a-schedule-with-a-name-that-has-grown-with-the-years";

	Server server;

	Chromium browser;

	JobClient client;

	JobOperations operations;

	abstract Class<?> application();

	abstract List<String> properties() throws IOException;

	abstract void stopStore() throws IOException;

	@BeforeAll
	void start() throws IOException {
		List<String> properties = new ArrayList<>(properties());
		properties.add(LONG_SCHEDULE + ".handler=nightly");
		properties.add(LONG_SCHEDULE
				+ ".cron=0 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28 0 29 2 *");
		properties.add("jobs.handlers.nightly.lanes.rate=3/1h");
		this.server = Server.start(WebApplicationType.SERVLET, application(), properties.toArray(String[]::new));
		this.client = this.server.bean(JobClient.class);
		this.operations = this.server.bean(JobOperations.class);
		this.browser = Chromium.start();
	}

	@AfterAll
	void stop() throws IOException {
		this.browser.close();
		this.server.bean(Applications.Work.class).mayEnd.countDown();
		this.server.close();
		stopStore();
	}

	@BeforeEach
	void clear() {
		JobFilter all = JobFilter
			.of((only) -> only.states(JobState.DEAD, JobState.SCHEDULED, JobState.READY, JobState.CANCELLED));
		this.operations.jobs(all).delete();
		for (String queue : List.of("fail", "fails-at-first", "in-order", "long", "nightly")) {
			this.operations.queue(queue).resume();
		}
		this.operations.jobs(all).delete();
		this.browser.complaints();
		this.browser.size(1280, 900);
	}

	void open(String page) {
		this.browser.open(this.server.uri("/") + "#/" + page);
		this.browser.awaitText("main h1", "");
	}

	void die(int count, String error) {
		JobFilter dead = JobFilter.of((only) -> only.states(JobState.DEAD).text(error));
		long before = count(dead);
		this.client
			.enqueueAll(IntStream.range(0, count).mapToObj((i) -> JobRequest.named("fail").payload(error)).toList());
		awaitCount(dead, before + count);
	}

	String run() {
		String id = this.client.enqueue("long", ATTACK).id();
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.client.find(id)
				.filter((job) -> job.run() != null && job.run().progress() != null)
				.isPresent());
		return id;
	}

	void end(String id) {
		this.client.cancel(id);
		await().atMost(Duration.ofSeconds(30))
			.until(() -> this.client.find(id).filter((job) -> job.state() == JobState.RUNNING).isEmpty());
	}

	void awaitCount(JobFilter filter, long count) {
		await().atMost(Duration.ofSeconds(30)).until(() -> count(filter) == count);
	}

	long count(JobFilter filter) {
		return this.server.bean(JobInspector.class).count(filter, 100_000, Instant.now()).number();
	}

}
