package dev.jobs.docs.operations;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for the rights that the pages of Actuator and of the dashboard describe.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "jobs.store=memory", "management.endpoints.web.exposure.include=health,jobs",
				"management.endpoint.jobs.access=unrestricted", "management.endpoint.health.show-details=always",
				"jobs.dashboard.enabled=true", "jobs.dashboard.roles.view=VIEWER,OPERATOR",
				"jobs.dashboard.roles.operate=OPERATOR" })
class SecuredApplicationTests {

	private final HttpClient http = HttpClient.newHttpClient();

	@Value("${local.server.port}")
	private int port;

	private int status(String user, String method, String path) throws IOException, InterruptedException {
		return status(this.port, user, method, path);
	}

	private int status(int port, String user, String method, String path) throws IOException, InterruptedException {
		String credentials = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
			.header("Authorization", "Basic " + credentials)
			.header("Content-Type", "application/json")
			.method(method, HttpRequest.BodyPublishers.ofString("{\"action\":\"pause\"}"))
			.build();
		return this.http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
	}

	@Test
	void viewerReadsAndOperatorActsByActuator() throws Exception {
		assertThat(status("ben", "GET", "/actuator/jobs")).isEqualTo(200);
		assertThat(status("ben", "POST", "/actuator/jobs/queues/charge")).isEqualTo(403);
		assertThat(status("ada", "POST", "/actuator/jobs/queues/charge")).isEqualTo(200);
		assertThat(status("eve", "GET", "/actuator/jobs")).isEqualTo(403);
	}

	@Test
	void chainAlsoProtectsASeparatePort() throws Exception {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(SecuredApplication.class).run(
				"--jobs.store=memory", "--server.port=0", "--management.server.port=0",
				"--management.endpoints.web.exposure.include=health,jobs",
				"--management.endpoint.jobs.access=unrestricted")) {
			int port = context.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
			assertThat(port).isNotEqualTo(this.port);
			assertThat(status(port, "ben", "POST", "/actuator/jobs/queues/charge")).isEqualTo(403);
			assertThat(status(port, "ada", "POST", "/actuator/jobs/queues/charge")).isEqualTo(200);
			assertThat(status(port, "eve", "GET", "/actuator/jobs")).isEqualTo(403);
		}
	}

	@Test
	void partsOfTheHealthAreShownToProbes() throws Exception {
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:" + this.port + "/actuator/health/jobs"))
			.build();
		assertThat(this.http.send(request, HttpResponse.BodyHandlers.ofString()).body()).contains("\"served\"");
	}

	@Test
	void dashboardAsksForItsOwnRoles() throws Exception {
		assertThat(status("ben", "GET", "/jobs/api/overview")).isEqualTo(200);
		assertThat(status("eve", "GET", "/jobs/api/overview")).isEqualTo(403);
	}

}
