package dev.jobs.autoconfigure.dashboard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.jobs.EnqueueOptions;
import dev.jobs.JobClient;
import dev.jobs.autoconfigure.JobsAutoConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.web.servlet.DispatcherServlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for who gets in. G64, L22, L24.
 */
class DashboardAccessTests {

	private static final List<String> PATHS = List.of("/", "/assets/app.js", "/api/overview", "/api/jobs",
			"/api/stream", "/api/stats", "/api/none");

	private static final Pattern FOREIGN = Pattern
		.compile("&quot;header&quot;:&quot;([^&]+)&quot;,&quot;value&quot;:&quot;([^&]+)&quot;");

	private static final String ROLES = "jobs.dashboard.roles.view=JOBS_VIEWER";

	private static String[] as(String user) {
		String basic = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
		return new String[] { "Authorization", "Basic " + basic };
	}

	private static String id(Server server) {
		return server.bean(JobClient.class)
			.enqueue("nightly", "hidden-text", EnqueueOptions.in(Duration.ofHours(1)))
			.id();
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void thereIsNoneUnlessItIsEnabled(Stack stack) {
		try (Server server = stack.plain("jobs.dashboard.enabled=false", "jobs.dashboard.access=operate")) {
			assertThat(server.get("/").statusCode()).isEqualTo(404);
			assertThat(server.context().getBeansOfType(Dashboard.class)).isEmpty();
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void nobodyGetsInUnlessItIsOpened(Stack stack) {
		try (Server server = stack.plain()) {
			for (String path : PATHS) {
				HttpResponse<String> response = server.get(path);
				assertThat(response.statusCode()).as(path).isEqualTo(403);
				assertThat(response.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
			}
			assertThat(server.act("pause", "{\"queue\":\"nightly\"}").statusCode()).isEqualTo(403);
			assertThat(server.bean(Applications.Work.class).refusals).singleElement()
				.returns("127.0.0.1", DashboardRefusalEvent::user)
				.returns("pause", DashboardRefusalEvent::act)
				.returns("{\"queue\":\"nightly\"}", DashboardRefusalEvent::wish)
				.returns("You may not see the dashboard.", DashboardRefusalEvent::reason);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void readersMayLookButNeitherActNorSeePayloads(Stack stack) {
		try (Server server = stack.plain("jobs.dashboard.access=read-only")) {
			String id = id(server);
			assertThat(server.get("/").body()).contains("&quot;operate&quot;:false");
			JsonNode job = server.json("/api/job?id=" + id);
			assertThat(job.toString()).doesNotContain("hidden-text");
			assertThat(job.path("size").asInt()).isPositive();
			assertThat(server.get("/api/jobs").body()).contains(id).doesNotContain("hidden-text");
			assertThat(server.get("/api/jobs?text=hidden").statusCode()).isEqualTo(403);
			String failed = server.bean(JobClient.class).enqueue("fail", "x").id();
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(
						() -> assertThat(server.json("/api/job?id=" + failed).path("attempts").path(0).has("log"))
							.isTrue());
			assertThat(server.get("/api/job?id=" + failed).body()).contains("IllegalStateException")
				.doesNotContain("failing with");
			for (String act : Acts.NAMES) {
				assertThat(server.act(act, "{\"ids\":[\"" + id + "\"],\"queue\":\"nightly\",\"schedule\":\"nightly\"}")
					.statusCode()).as(act).isEqualTo(403);
			}
			assertThat(server.bean(JobClient.class).find(id)).isPresent();
			assertThat(server.bean(Applications.Work.class).refusals).extracting(DashboardRefusalEvent::act)
				.containsExactlyInAnyOrderElementsOf(Acts.NAMES);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void localIsWhoSitsAtThisMachineAndNobodyElse(Stack stack) throws IOException {
		try (Server server = stack.plain("jobs.dashboard.access=local", "server.address=0.0.0.0")) {
			assertThat(server.get("/").body()).contains("&quot;operate&quot;:true", "&quot;payloads&quot;:true");
			for (String header : List.of("X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Client-IP", "True-Client-IP",
					"CF-Connecting-IP", "X-Forwarded-Host", "Via")) {
				assertThat(server.get("/api/overview", header, "127.0.0.1").statusCode()).as(header).isEqualTo(403);
			}
			int port = server.uri("").getPort();
			assertThat(statusLine("127.0.0.1", port, "localhost:" + port)).contains("200");
			assertThat(statusLine("127.0.0.1", port, "evil.example:" + port)).contains("403");
			assertThat(statusLine(otherAddress(), port, "localhost:" + port)).contains("403");
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void localIsNobodyWhereAddressesAreTakenFromHeaders(Stack stack) {
		for (String strategy : List.of("framework", "native")) {
			try (Server server = stack.plain("jobs.dashboard.access=local",
					"server.forward-headers-strategy=" + strategy)) {
				assertThat(server.get("/api/overview", "X-Forwarded-For", "127.0.0.1").statusCode()).isEqualTo(403);
				assertThat(server.get("/api/overview").statusCode()).isEqualTo(403);
			}
		}
	}

	private static String statusLine(String address, int port, String host) throws IOException {
		try (Socket socket = new Socket(address, port)) {
			socket.setSoTimeout(30_000);
			socket.getOutputStream()
				.write(("GET /jobs/api/overview HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
					.getBytes(StandardCharsets.UTF_8));
			return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))
				.readLine();
		}
	}

	private static String otherAddress() throws SocketException {
		return NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> address instanceof Inet4Address && !address.isLoopbackAddress())
			.findFirst()
			.orElseThrow()
			.getHostAddress();
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void rolesOfSpringSecuritySayWhoMayDoWhat(Stack stack) {
		try (Server server = stack.secured(ROLES, "jobs.dashboard.roles.operate=ROLE_JOBS_OPERATOR",
				"jobs.dashboard.roles.payloads=JOBS_PAYLOADS")) {
			String id = id(server);
			assertThat(server.get("/api/overview").statusCode()).isEqualTo(401);
			assertThat(server.get("/api/overview", as("clerk")).statusCode()).isEqualTo(403);
			assertThat(server.get("/api/job?id=" + id, as("viewer")).body()).contains(id).doesNotContain("hidden-text");
			assertThat(server.get("/api/job?id=" + id, as("operator")).body()).doesNotContain("hidden-text");
			assertThat(server.get("/api/job?id=" + id, as("boss")).body()).contains("hidden-text");
			assertThat(server.get("/api/jobs?text=hidden", as("boss")).body()).contains(id);
			assertThat(delete(server, id, "viewer", true)).isEqualTo(403);
			assertThat(server.bean(JobClient.class).find(id)).isPresent();
			assertThat(delete(server, id, "operator", false)).isEqualTo(403);
			assertThat(server.bean(JobClient.class).find(id)).isPresent();
			assertThat(delete(server, id, "operator", true)).isEqualTo(200);
			assertThat(server.bean(Applications.Work.class).acts).singleElement()
				.returns("operator", DashboardActEvent::user)
				.returns(1, DashboardActEvent::count);
			assertThat(server.bean(Applications.Work.class).refusals).singleElement()
				.returns("viewer", DashboardRefusalEvent::user)
				.returns("You may look, but not act.", DashboardRefusalEvent::reason);
		}
	}

	/** The token of Spring Security's own filter comes with the page. */
	private static int delete(Server server, String id, String user, boolean foreign) {
		String[] basic = as(user);
		Matcher token = FOREIGN.matcher(server.get("/", basic).body());
		assertThat(token.find()).isTrue();
		HttpRequest.Builder request = HttpRequest.newBuilder(server.uri("/api/delete"))
			.headers(basic)
			.headers("Origin", server.origin(), Gate.TOKEN_HEADER, server.token(basic), "Content-Type",
					"application/json")
			.POST(HttpRequest.BodyPublishers.ofString("{\"ids\":[\"" + id + "\"]}"));
		if (foreign) {
			request.header(token.group(1), token.group(2));
		}
		return server.send(request).statusCode();
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void pathMayBeAnother(Stack stack) {
		try (Server server = stack.plain("jobs.dashboard.access=operate", "jobs.dashboard.path=/ops/work")) {
			assertThat(server.get("").headers().firstValue("Location")).contains("work/");
			assertThat(server.get("/api/overview").statusCode()).isEqualTo(200);
			HttpRequest.Builder old = HttpRequest.newBuilder(URI.create(server.origin() + "/jobs/"));
			assertThat(server.send(old.GET()).statusCode()).isEqualTo(404);
		}
	}

	@Test
	void applicationWithoutAWebServerStarts() {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class, JobsDashboardAutoConfiguration.class))
			.withPropertyValues("jobs.dashboard.enabled=true", "jobs.store=memory")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Dashboard.class));
		new WebApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(JobsAutoConfiguration.class, JobsDashboardAutoConfiguration.class))
			.withPropertyValues("jobs.dashboard.enabled=true", "jobs.store=memory")
			.withClassLoader(new FilteredClassLoader(DispatcherServlet.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ServletDashboard.class));
	}

	@Test
	void pathThatIsNoneEndsTheStart() {
		assertThatThrownBy(() -> Stack.SERVLET.plain("jobs.dashboard.path=jobs/**"))
			.hasStackTraceContaining("'jobs.dashboard.path' must be a path such as /jobs");
	}

	enum Stack {

		SERVLET(WebApplicationType.SERVLET, Applications.Servlet.class, Applications.SecuredServlet.class),

		REACTIVE(WebApplicationType.REACTIVE, Applications.Reactive.class, Applications.SecuredReactive.class);

		private final WebApplicationType type;

		private final Class<?> plain;

		private final Class<?> secured;

		Stack(WebApplicationType type, Class<?> plain, Class<?> secured) {
			this.type = type;
			this.plain = plain;
			this.secured = secured;
		}

		Server plain(String... properties) {
			return Server.start(this.type, this.plain, properties);
		}

		Server secured(String... properties) {
			return Server.start(this.type, this.secured, properties);
		}

	}

}
