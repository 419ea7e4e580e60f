package dev.jobs.dashboard;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import dev.jobs.JobClient;
import dev.jobs.operations.JobOperations;
import dev.jobs.JobRequest;
import dev.jobs.engine.JobEngine;
import dev.jobs.test.ExpectsFaults;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests for pages of very many queues or running jobs in a real browser.
 */
@ExpectsFaults("failing with")
class ChromiumManyQueuesTests {

	@Test
	void queuesOfAnyNumberAreAllFoundAndShown() {
		try (Server server = Server.start(WebApplicationType.SERVLET, Applications.Servlet.class,
				"jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms"); Chromium browser = Chromium.start()) {
			List<JobRequest> jobs = IntStream.range(0, 900)
				.mapToObj((i) -> JobRequest.named("queue-" + (i % 300)))
				.toList();
			server.bean(JobClient.class).enqueueAll(jobs);
			server.bean(JobClient.class).enqueue("zebra");
			int queues = 301 + server.bean(JobEngine.class).handlers().size();
			browser.open(server.uri("/") + "#/queues");
			browser.awaitText("main .page-head", queues + " queues, 901 jobs waiting");
			browser.awaitText("main", "Showing 50 of " + queues + " queues.");
			assertThat(browser.has("tr[data-key=zebra]")).isFalse();
			await().atMost(Duration.ofSeconds(60)).until(() -> {
				browser.script("scrollTo(0, document.documentElement.scrollHeight)");
				return browser.script("return document.querySelectorAll('tbody tr').length").equals((long) queues);
			});
			browser.script("scrollTo(0, 0)");
			browser.click("[data-sort=name]");
			await().atMost(Duration.ofSeconds(30))
				.until(() -> names(browser).contains("queue-2, queue-3, queue-4, queue-5, queue-6, queue-7, queue-8, "
						+ "queue-9, queue-10, queue-11"));
			browser.type("main [data-search]", "zebra");
			browser.awaitText("tr[data-key=zebra]:only-child [data-label=Waiting]", "1");
			browser.click("tr[data-key=zebra] a");
			browser.awaitText("main h1", "zebra");
			browser.awaitText("main .tiles", "Waiting", "1");
			browser.awaitText("main", "No workers");
			assertThat(browser.complaints()).isEmpty();
		}
	}

	@Test
	void queuesInTroubleComeFirstThenThoseThatAreServed() {
		try (Server server = Server.start(WebApplicationType.SERVLET, Applications.Servlet.class,
				"jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms", "jobs.handlers.fail.max-attempts=1");
				Chromium browser = Chromium.start()) {
			JobClient client = server.bean(JobClient.class);
			List<JobRequest> jobs = IntStream.range(0, 250).mapToObj((i) -> JobRequest.named("tenant-" + i)).toList();
			client.enqueueAll(jobs);
			client.enqueue("fail", "no paper");
			server.bean(JobOperations.class).queue("nightly").pause();
			client.enqueue("nightly");
			browser.open(server.uri("/") + "#/queues");
			browser.awaitText("tr[data-key=fail] [data-label=Dead]", "1");
			await().atMost(Duration.ofSeconds(30))
				.until(() -> names(browser).startsWith("nightly, fail, tenant-0, tenant-1, tenant-2, tenant-3"));
			browser.click("[data-only=dead]");
			browser.awaitText("tr[data-key=fail]:only-child", "fail");
			browser.click("[data-only=paused]");
			browser.awaitText("tr[data-key=nightly]:only-child", "Paused");
			browser.click("[data-only=unserved]");
			browser.awaitText("tr[data-key=tenant-0]", "No worker");
			assertThat(names(browser)).doesNotContain("fail", "nightly");
			assertThat(browser.script("return location.hash")).isEqualTo("#/queues?only=unserved");
			assertThat(browser.complaints()).isEmpty();
		}
	}

	private static String names(Chromium browser) {
		return (String) browser
			.script("return [...document.querySelectorAll('tbody tr')].map((it) => it.dataset.key).join(', ')");
	}

	@Test
	void workersSayHowManyRunningJobsTheyDoNotShow() {
		try (Server server = Server.start(WebApplicationType.SERVLET, Applications.Servlet.class,
				"jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms", "jobs.concurrency=205");
				Chromium browser = Chromium.start()) {
			server.bean(JobClient.class)
				.enqueueAll(IntStream.range(0, 205).mapToObj((i) -> JobRequest.named("long").payload("x")).toList());
			browser.open(server.uri("/") + "#/workers");
			browser.awaitText("main .page-head", "205 of 205 threads busy");
			browser.awaitText("[data-key=running] .foot", "Showing 200 of 205.", "View all running jobs");
			browser.awaitText("[data-key=runs]", "and 200 more");
			browser.click("[data-key=running] .foot a");
			browser.awaitText("main .page-head", "205 jobs");
			assertThat(browser.script("return location.hash")).isEqualTo("#/jobs?state=running");
			server.bean(Applications.Work.class).mayEnd.countDown();
		}
	}

}
