package dev.jobs.sample;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import dev.jobs.build.Ports;
import dev.jobs.engine.JobEngine;
import dev.jobs.store.JobStore;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the shop does while nothing can be reached that keeps jobs.
 */
abstract class StoreDownSuite {

	@LocalServerPort
	private int port;

	@Autowired
	private JobStore store;

	@Autowired
	private JobEngine engine;

	abstract Class<? extends JobStore> expectedStore();

	final HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
	}

	final HttpRequest.Builder request(String path) {
		return HttpRequest.newBuilder(URI.create("http://localhost:" + this.port + path));
	}

	@Test
	void applicationStarts() {
		assertThat(this.store).isInstanceOf(expectedStore());
		assertThat(this.engine.isRunning()).isTrue();
	}

	@Test
	void pageThatNeedsNoJobsWorks() throws Exception {
		HttpResponse<String> mails = send(request("/mails"));
		assertThat(mails.statusCode()).isEqualTo(200);
		assertThat(mails.body()).isEqualTo("[]");
	}

	@Test
	void pageThatShowsJobsSaysThatTheyAreOutOfReach() throws Exception {
		HttpResponse<String> queues = send(request("/queues"));
		assertThat(queues.statusCode()).isEqualTo(503);
		assertThat(queues.headers().firstValue("Retry-After")).contains("5");
		assertThat(queues.body()).contains("Jobs are out of reach");
	}

	@Test
	void enqueueSaysThatJobsAreOutOfReach() throws Exception {
		HttpResponse<String> order = send(request("/exports/2026").POST(BodyPublishers.noBody()));
		assertThat(order.statusCode()).isEqualTo(503);
		assertThat(order.body()).contains("Nothing was done");
	}

}
