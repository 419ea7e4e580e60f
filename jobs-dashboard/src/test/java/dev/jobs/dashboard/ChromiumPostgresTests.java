package dev.jobs.dashboard;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import javax.sql.DataSource;

import dev.jobs.JobRequest;
import dev.jobs.build.Ports;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Tests for the dashboard in a real browser, with jobs in PostgreSQL.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ChromiumPostgresTests extends ChromiumSuite {

	private EmbeddedPostgres postgres;

	@Override
	Class<?> application() {
		return Application.class;
	}

	@Override
	List<String> properties() throws IOException {
		this.postgres = EmbeddedPostgres.builder()
			.setPort(Ports.reserve())
			.setServerConfig("fsync", "off")
			.setServerConfig("autovacuum", "off")
			.start();
		return List.of("jobs.store=jdbc", "spring.datasource.url=" + this.postgres.getJdbcUrl("postgres", "postgres"),
				"jobs.jdbc.initialize-schema=always", "jobs.dashboard.access=local", "jobs.dashboard.refresh=500ms",
				"jobs.handlers.fail.max-attempts=1", "jobs.worker.lease=3s", "jobs.worker.beat=500ms");
	}

	@Test
	void numberThatWasCountedToABoundIsTheSameEverywhereAndPlainlyABoundOrAnEstimate() {
		this.client.enqueueAll(IntStream.range(0, 11_000).mapToObj((i) -> JobRequest.named("nobody")).toList());
		open("overview");
		this.browser.awaitText(".states .tile:nth-child(2) strong", "\u2265 10,000");
		this.browser.awaitText(".alerts", "At least 10,000 jobs in \u201cnobody\u201d have no worker");
		open("queues");
		this.browser.awaitText("main .page-head", "\u2265 10,000 jobs waiting");
		this.browser.awaitText("tr[data-key=nobody] [data-label=Waiting]", "\u2265 10,000");
		for (String filter : List.of("", "&queue=nobody")) {
			open("jobs?state=ready" + filter);
			this.browser.awaitText("main .page-head p", "\u2265 10,000 jobs");
			this.browser.awaitText(".views .ready .count", "\u2265 10,000");
		}
		new JdbcTemplate(this.server.bean(DataSource.class)).execute("analyze jobs_job");
		open("overview");
		this.browser.awaitText(".states .tile:nth-child(2) strong", "about 11,000");
		open("queues");
		this.browser.awaitText("main .page-head", "about 11,000 jobs waiting");
		this.browser.awaitText("tr[data-key=nobody] [data-label=Waiting]", "\u2265 10,000");
		open("jobs?state=ready");
		this.browser.awaitText("main .page-head p", "about 11,000 jobs");
		this.browser.awaitText(".views .ready .count", "about 11,000");
	}

	/** The last one, as of so many queues fewer jobs are counted. */
	@Test
	@Order(Integer.MAX_VALUE)
	void sumOfQueuesThatAreCountedToABoundIsCountedIfItCanBe() {
		List<JobRequest> jobs = new ArrayList<>();
		IntStream.range(0, 1_200).forEach((i) -> jobs.add(JobRequest.named("nobody")));
		IntStream.range(0, 160).forEach((i) -> jobs.add(JobRequest.named("tenant-" + i)));
		this.client.enqueueAll(jobs);
		open("queues");
		this.browser.awaitText("main .page-head", "1,360 jobs waiting");
		this.browser.awaitText("tr[data-key=nobody] [data-label=Waiting]", "1,200");
		open("jobs?state=ready&queue=nobody");
		this.browser.awaitText("main .page-head p", "1,200 jobs");
	}

	@Override
	void stopStore() throws IOException {
		this.postgres.close();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	@ImportAutoConfiguration({ DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class })
	static class Application {

	}

}
