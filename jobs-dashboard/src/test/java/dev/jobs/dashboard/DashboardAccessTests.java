package dev.jobs.dashboard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.Inet4Address;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.jobs.JobClient;
import dev.jobs.JobStoreException;
import dev.jobs.audit.OperatorActionEvent;
import dev.jobs.audit.OperatorRefusalEvent;
import dev.jobs.store.JobStore;
import dev.jobs.store.contract.engine.FaultyStore;
import dev.jobs.store.memory.InMemoryJobStore;
import dev.jobs.store.view.JobInspector;
import dev.jobs.test.ExpectsFaults;
import org.apache.catalina.connector.Connector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

/**
 * Tests for who gets in.
 */
@ExpectsFaults("failing with")
class DashboardAccessTests {

	private static final List<String> PATHS = List.of("/", "/assets/app.js", "/api/overview", "/api/jobs", "/api/stats",
			"/api/none");

	private static final Pattern FOREIGN = Pattern
		.compile("&quot;header&quot;:&quot;([^&]+)&quot;,&quot;value&quot;:&quot;([^&]+)&quot;");

	private static final String ROLES = "jobs.dashboard.roles.view=JOBS_VIEWER";

	private static String[] as(String user) {
		return as(user, "secret");
	}

	private static String[] as(String user, String password) {
		String basic = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
		return new String[] { "Authorization", "Basic " + basic };
	}

	private static String id(Server server) {
		return server.bean(JobClient.class)
			.enqueue("nightly", "hidden-text", (options) -> options.delay(Duration.ofHours(1)))
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
				.returns("127.0.0.1", OperatorRefusalEvent::user)
				.returns("pause", OperatorRefusalEvent::action)
				.returns("", OperatorRefusalEvent::wish)
				.returns("You do not have access to the dashboard.", OperatorRefusalEvent::reason);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void readersMayViewButNeitherActNorSeePayloads(Stack stack) {
		try (Server server = stack.plain("jobs.dashboard.access=read-only")) {
			String id = id(server);
			Instant due = server.bean(JobClient.class).find(id).orElseThrow().dueAt();
			assertThat(server.get("/").body()).contains("&quot;operate&quot;:false");
			JsonNode job = server.json("/api/job?id=" + id);
			assertThat(job.toString()).doesNotContain("hidden-text");
			assertThat(job.path("payloadSize").asInt()).isPositive();
			assertThat(server.get("/api/jobs").body()).contains(id).doesNotContain("hidden-text");
			assertThat(server.get("/api/jobs?text=hidden").statusCode()).isEqualTo(403);
			String failed = server.bean(JobClient.class).enqueue("fail", "x").id();
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(
						() -> assertThat(server.json("/api/job?id=" + failed).at("/trail/attempts/0").has("error"))
							.isTrue());
			assertThat(server.get("/api/job?id=" + failed).body()).contains("IllegalStateException")
				.doesNotContain("failing with");
			String saves = server.bean(JobClient.class).enqueue("saves", "hidden-text").id();
			await().atMost(Duration.ofSeconds(30))
				.untilAsserted(() -> assertThat(server.json("/api/job?id=" + saves).path("steps"))
					.extracting((step) -> step.path("name").asString())
					.contains("charge"));
			assertThat(server.json("/api/job?id=" + saves).path("steps").toString()).doesNotContain("hidden-text");
			for (String act : Wish.ACTIONS) {
				assertThat(server.act(act, "{\"ids\":[\"" + id + "\"],\"queue\":\"nightly\",\"schedule\":\"nightly\"}")
					.statusCode()).as(act).isEqualTo(403);
			}
			assertThat(server.bean(JobClient.class).find(id))
				.hasValueSatisfying((kept) -> assertThat(kept.dueAt()).isEqualTo(due));
			assertThat(server.bean(Applications.Work.class).refusals)
				.allSatisfy((refusal) -> assertThat(refusal.wish()).as(refusal.action()).isEmpty())
				.extracting(OperatorRefusalEvent::action)
				.as("further ones in a minute are counted")
				.hasSize(20)
				.doesNotHaveDuplicates()
				.isSubsetOf(Wish.ACTIONS);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void localIsWhoSitsAtThisMachineAndNobodyElse(Stack stack) throws IOException {
		try (Server server = stack.plain("jobs.dashboard.access=local")) {
			assertThat(server.get("/").body()).contains("&quot;operate&quot;:true", "&quot;payloads&quot;:true");
			int port = server.uri("").getPort();
			assertThat(statusLine("127.0.0.1", port, "localhost:" + port)).contains("200");
			assertThat(statusLine("127.0.0.1", port, "evil.example:" + port)).contains("403");
			assertThat(statusLine("127.0.0.1", port, "localhost:" + port + "\r\nHost: evil.example"))
				.containsAnyOf("403", "400");
			assertThat(statusLine("127.0.0.1", port, "evil.example\r\nHost: localhost:" + port)).containsAnyOf("403",
					"400");
			String other = otherAddress();
			assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> new Socket(other, port));
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void localIsNobodyWithoutAHost(Stack stack) throws IOException {
		try (Server server = stack.plain("jobs.dashboard.access=local")) {
			for (String version : List.of("HTTP/1.0", "HTTP/1.1")) {
				assertThat(firstLine("127.0.0.1", server.uri("").getPort(),
						"GET /jobs/api/overview " + version + "\r\nConnection: close\r\n\r\n"))
					.containsAnyOf("403", "400");
			}
		}
	}

	/** What else listens, such as a connector added in code, is not for everybody. */
	@Test
	void localIsNobodyWhoReachedAnotherAddressOfThisMachine() throws IOException {
		try (Server server = Server.start(WebApplicationType.SERVLET, ServletWithAnotherConnector.class,
				"jobs.dashboard.access=local")) {
			TomcatWebServer tomcat = (TomcatWebServer) ((WebServerApplicationContext) server.context()).getWebServer();
			int port = Stream.of(tomcat.getTomcat().getService().findConnectors())
				.mapToInt(Connector::getLocalPort)
				.filter((any) -> any != server.uri("").getPort())
				.findFirst()
				.orElseThrow();
			assertThat(statusLine("127.0.0.1", port, "localhost:" + port)).contains("200");
			assertThat(statusLine(otherAddress(), port, "localhost:" + port)).contains("403");
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	static class ServletWithAnotherConnector {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> connector() {
			return (factory) -> {
				Connector connector = new Connector();
				connector.setPort(0);
				factory.addAdditionalConnectors(connector);
			};
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

	@Test
	void localIsNobodyWhoseAddressAValveTookFromAHeader() {
		try (Server server = Server.start(WebApplicationType.SERVLET, Applications.ServletBehindAValve.class,
				"jobs.dashboard.access=local")) {
			for (String address : List.of("127.0.0.1", "::1", "127.0.0.1, 10.0.0.5", "192.0.2.7")) {
				assertThat(server.get("/api/overview", "X-Forwarded-For", address).statusCode()).as(address)
					.isEqualTo(403);
			}
		}
	}

	private static String statusLine(String address, int port, String host) throws IOException {
		return firstLine(address, port,
				"GET /jobs/api/overview HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
	}

	private static String firstLine(String address, int port, String request) throws IOException {
		try (Socket socket = new Socket(address, port)) {
			socket.setSoTimeout(30_000);
			socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
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
	void pageForThoseWithoutARoleNamesWhatToAskFor(Stack stack) {
		try (Server server = stack.secured(ROLES)) {
			HttpResponse<String> page = server.get("/", as("clerk"));
			assertThat(page.statusCode()).isEqualTo(403);
			assertThat(page.headers().firstValue("Content-Type"))
				.hasValueSatisfying((type) -> assertThat(type).startsWith("text/html"));
			assertThat(page.headers().firstValue("Content-Security-Policy")).hasValueSatisfying(
					(policy) -> assertThat(policy).contains("default-src 'none'").doesNotContain("unsafe"));
			assertThat(page.body()).contains("You are logged in as clerk", "JOBS_VIEWER", "jobs.dashboard.roles.view")
				.doesNotContain("<script");
			HttpResponse<String> call = server.get("/api/overview", as("clerk"));
			assertThat(call.statusCode()).isEqualTo(403);
			assertThat(Server.json(call).path("error").asString())
				.isEqualTo("You do not have access to the dashboard.");
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void pageForThoseWhoAreNotLoggedInNamesNoRole(Stack stack) {
		try (Server server = stack.plain("jobs.dashboard.roles.view=JOBS_VIEWER")) {
			HttpResponse<String> page = server.get("/");
			assertThat(page.statusCode()).isEqualTo(403);
			assertThat(page.body()).contains("You are not logged in", "jobs.dashboard.roles.view")
				.doesNotContain("JOBS_VIEWER");
		}
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
			assertThat(server.bean(Applications.Work.class).actions).singleElement()
				.returns("operator", OperatorActionEvent::user)
				.returns(List.of(id), OperatorActionEvent::jobs);
			assertThat(server.bean(Applications.Work.class).refusals).singleElement()
				.returns("viewer", OperatorRefusalEvent::user)
				.returns("You can view the dashboard, but not act.", OperatorRefusalEvent::reason);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void activityShowsWhatWasSearchedForToUsersWhoSeePayloadsOnly(Stack stack) {
		try (Server server = stack.secured(ROLES, "jobs.dashboard.roles.operate=ROLE_JOBS_OPERATOR",
				"jobs.dashboard.roles.payloads=JOBS_PAYLOADS")) {
			String id = id(server);
			assertThat(server.get("/api/activity", as("clerk")).statusCode()).isEqualTo(403);
			assertThat(act(server, "cancel", "{\"filter\":{\"text\":\"none-has-this\"}}", "boss", true)).isEqualTo(200);
			assertThat(act(server, "cancel", "{\"filter\":{\"text\":\"hidden-text\"}}", "boss", true)).isEqualTo(200);
			assertThat(server.bean(JobClient.class).find(id)).isEmpty();
			for (String user : List.of("viewer", "operator", "boss")) {
				HttpResponse<String> activity = server.get("/api/activity", as(user));
				assertThat(activity.statusCode()).isEqualTo(200);
				List<JsonNode> notes = Server.json(activity)
					.path("notes")
					.valueStream()
					.filter((note) -> note.path("action").asString().equals("cancel"))
					.toList();
				assertThat(notes).as(user).hasSize(1);
				assertThat(notes.get(0).path("by").asString()).isEqualTo("boss");
				assertThat(notes.get(0).path("target").asString()).as(user)
					.isEqualTo("all jobs of {\"text\":\"" + (user.equals("boss") ? "hidden-text" : "******")
							+ "\"}, 1 changed");
			}
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void onlyUsersWhoMayActAndSeePayloadsEnqueueAgain(Stack stack) {
		try (Server server = stack.secured(ROLES, "jobs.dashboard.roles.operate=ROLE_JOBS_OPERATOR",
				"jobs.dashboard.roles.payloads=JOBS_PAYLOADS")) {
			String id = id(server);
			String wish = "{\"id\":\"" + id + "\",\"payload\":\"\\\"edited-text\\\"\"}";
			assertThat(act(server, "enqueue", wish, "viewer", true)).isEqualTo(403);
			assertThat(act(server, "enqueue", wish, "operator", true)).isEqualTo(403);
			assertThat(act(server, "enqueue", wish, "boss", false)).isEqualTo(403);
			assertThat(server.bean(Applications.Work.class).actions).isEmpty();
			assertThat(server.bean(Applications.Work.class).refusals).hasSize(2)
				.extracting(OperatorRefusalEvent::user, OperatorRefusalEvent::wish)
				.containsExactly(tuple("viewer", ""), tuple("operator", wish.length() + " bytes with a payload"));
			assertThat(act(server, "enqueue", wish, "boss", true)).isEqualTo(200);
			assertThat(server.bean(Applications.Work.class).actions).singleElement()
				.returns("boss", OperatorActionEvent::user)
				.returns("enqueue", OperatorActionEvent::action);
		}
	}

	/** The token of Spring Security's own filter comes with the page. */
	private static int delete(Server server, String id, String user, boolean foreign) {
		return act(server, "delete", "{\"ids\":[\"" + id + "\"]}", user, foreign);
	}

	private static int act(Server server, String action, String body, String user, boolean foreign) {
		String[] basic = as(user);
		Matcher token = FOREIGN.matcher(server.get("/", basic).body());
		assertThat(token.find()).isTrue();
		HttpRequest.Builder request = HttpRequest.newBuilder(server.uri("/api/" + action))
			.headers(basic)
			.headers("Origin", server.origin(), Gate.TOKEN_HEADER, server.token(basic), "Content-Type",
					"application/json")
			.POST(HttpRequest.BodyPublishers.ofString(body));
		if (foreign) {
			request.header(token.group(1), token.group(2));
		}
		return server.send(request).statusCode();
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void firstPageKeepsTheCookiesOfTheApplicationAndCanAct(Stack stack) {
		try (Server server = stack.secured(ROLES, "jobs.dashboard.roles.operate=JOBS_OPERATOR")) {
			String id = id(server);
			String[] basic = as("operator");
			HttpResponse<String> page = server.get("/", basic);
			assertThat(page.headers().allValues("Set-Cookie")).hasSize(2)
				.anyMatch((cookie) -> cookie.startsWith("jobs-csrf="))
				.anyMatch((cookie) -> cookie.startsWith("JSESSIONID=") || cookie.startsWith("SESSION="));
			Matcher foreign = FOREIGN.matcher(page.body());
			assertThat(foreign.find()).isTrue();
			HttpResponse<String> act = server.post("/api/delete", "{\"ids\":[\"" + id + "\"]}", with(basic, "Origin",
					server.origin(), Gate.TOKEN_HEADER, Server.tokenOf(page), foreign.group(1), foreign.group(2)));
			assertThat(act.statusCode()).as(act.body()).isEqualTo(200);
			assertThat(server.bean(JobClient.class).find(id)).isEmpty();
		}
	}

	private static String[] with(String[] headers, String... more) {
		return Stream.of(headers, more).flatMap(Stream::of).toArray(String[]::new);
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void tokenIsThatOfItsUser(Stack stack) {
		try (Server server = stack.secured(ROLES, "jobs.dashboard.roles.operate=JOBS_OPERATOR")) {
			String id = id(server);
			assertThat(delete(server, id, "operator", server.token(as("boss")))).isEqualTo(403);
			assertThat(delete(server, id, "operator", "x".repeat(43))).isEqualTo(403);
			assertThat(server.bean(JobClient.class).find(id)).isPresent();
			assertThat(delete(server, id, "operator", server.token(as("operator")))).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void tokenEndsWithThePasswordThatItsPageWasOpenedWith(Stack stack) {
		try (Server server = stack.secured(ROLES, "jobs.dashboard.roles.operate=JOBS_OPERATOR")) {
			String id = id(server);
			String old = server.token(as("operator"));
			stack.changePassword(server, "operator", "changed");
			String[] basic = as("operator", "changed");
			assertThat(delete(server, id, basic, old)).isEqualTo(403);
			assertThat(server.bean(JobClient.class).find(id)).isPresent();
			assertThat(delete(server, id, basic, server.token(basic))).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void tokenEndsWithTheSessionThatItsPageWasOpenedIn(Stack stack) {
		try (Server server = stack.withSessions(ROLES, "jobs.dashboard.roles.operate=JOBS_OPERATOR")) {
			String id = id(server);
			String secret = cookies(server.getWithoutCookies("/", as("operator")), (name) -> name.equals("jobs-csrf"));
			String session = login(server, secret);
			String next = login(server, secret);
			assertThat(session).isNotEqualTo(next);
			String old = Server.tokenOf(server.getWithoutCookies("/", "Cookie", session));
			assertThat(deleteInSession(server, id, next, old)).isEqualTo(403);
			assertThat(server.bean(JobClient.class).find(id)).isPresent();
			assertThat(deleteInSession(server, id, session, old)).isEqualTo(200);
		}
	}

	private static String login(Server server, String secret) {
		HttpResponse<String> page = server.getWithoutCookies("/", with(as("operator"), "Cookie", secret));
		return secret + "; " + cookies(page, (name) -> name.contains("SESSION"));
	}

	/** Returns the cookies that a response sets, each as it was set last. */
	private static String cookies(HttpResponse<String> response, Predicate<String> names) {
		Map<String, String> cookies = new TreeMap<>();
		for (String cookie : response.headers().allValues("Set-Cookie")) {
			String pair = cookie.substring(0, cookie.indexOf(';'));
			cookies.put(pair.substring(0, pair.indexOf('=')), pair);
		}
		cookies.keySet().removeIf(names.negate());
		assertThat(cookies).isNotEmpty();
		return String.join("; ", cookies.values());
	}

	private static int deleteInSession(Server server, String id, String cookies, String token) {
		Matcher foreign = FOREIGN.matcher(server.getWithoutCookies("/", "Cookie", cookies).body());
		assertThat(foreign.find()).isTrue();
		return server
			.postWithoutCookies("/api/delete", "{\"ids\":[\"" + id + "\"]}", "Cookie", cookies, "Origin",
					server.origin(), Gate.TOKEN_HEADER, token, foreign.group(1), foreign.group(2))
			.statusCode();
	}

	private static int delete(Server server, String id, String user, String token) {
		return delete(server, id, as(user), token);
	}

	private static int delete(Server server, String id, String[] basic, String token) {
		Matcher foreign = FOREIGN.matcher(server.get("/", basic).body());
		assertThat(foreign.find()).isTrue();
		return server
			.post("/api/delete", "{\"ids\":[\"" + id + "\"]}",
					with(basic, "Origin", server.origin(), Gate.TOKEN_HEADER, token, foreign.group(1),
							foreign.group(2)))
			.statusCode();
	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void overTlsTheCookieIsOfThisHostAndTheOriginOfItsScheme(Stack stack) {
		try (Server server = stack.plain("jobs.dashboard.access=operate", "server.forward-headers-strategy=native")) {
			String[] tls = { "X-Forwarded-Proto", "https", "X-Forwarded-Host", "jobs.example", "X-Forwarded-Port",
					"443" };
			HttpResponse<String> page = server.get("/", tls);
			String cookie = page.headers().firstValue("Set-Cookie").orElseThrow();
			assertThat(cookie).startsWith("__Host-jobs-csrf=").endsWith("; HttpOnly; SameSite=Strict; Secure; Path=/");
			String secret = cookie.substring(0, cookie.indexOf(';'));
			assertThat(act(server, tls, secret, "https://jobs.example", Server.tokenOf(page))).isEqualTo(404);
			for (String origin : List.of("http://jobs.example", "https://jobs.example:80", "https://a@jobs.example",
					"https://jobs.example.evil.example", "null")) {
				assertThat(act(server, tls, secret, origin, Server.tokenOf(page))).as(origin).isEqualTo(403);
			}
			assertThat(act(server, tls, secret.substring("__Host-".length()), "https://jobs.example",
					Server.tokenOf(page)))
				.isEqualTo(403);
		}
	}

	private static int act(Server server, String[] headers, String cookie, String origin, String token) {
		return server
			.postWithoutCookies("/api/delete", "{\"ids\":[\"none\"]}",
					with(headers, "Cookie", cookie, "Origin", origin, Gate.TOKEN_HEADER, token))
			.statusCode();
	}

	@Test
	void userWhoIsNotAuthenticatedHasNoRoles() {
		List<SimpleGrantedAuthority> roles = List.of(new SimpleGrantedAuthority("ROLE_JOBS_VIEWER"));
		Authentication known = new TestingAuthenticationToken("ada", "", roles);
		known.setAuthenticated(true);
		assertThat(SpringSecurity.roles(known).test("JOBS_VIEWER")).isTrue();
		known.setAuthenticated(false);
		assertThat(SpringSecurity.roles(known).test("JOBS_VIEWER")).isFalse();
		assertThat(SpringSecurity.roles(() -> "ada").test("JOBS_VIEWER")).isFalse();
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

	@ParameterizedTest
	@EnumSource(Stack.class)
	void portOfItsOwnForActuatorHasNoDashboard(Stack stack) {
		Class<?> application = (stack == Stack.SERVLET) ? ServletWithActuator.class : ReactiveWithActuator.class;
		try (Server server = Server.start(stack.type, application, "jobs.dashboard.access=operate",
				"management.server.port=0", "management.server.address=127.0.0.1", "spring.autoconfigure.exclude="
						+ "org.springframework.boot.tomcat.autoconfigure.actuate.web.server.TomcatReactiveManagementContextAutoConfiguration")) {
			String port = server.context().getEnvironment().getProperty("local.management.port");
			assertThat(server.get("/api/overview").statusCode()).isEqualTo(200);
			for (String path : List.of("/jobs", "/jobs/", "/jobs/api/overview", "/jobs/assets/app.js")) {
				URI uri = URI.create("http://localhost:" + port + path);
				assertThat(server.send(HttpRequest.newBuilder(uri).GET()).statusCode()).as(path).isEqualTo(404);
			}
			assertThat(server.send(HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator")).GET())
				.statusCode()).isEqualTo(200);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Work.class)
	@EnableAutoConfiguration(exclude = { DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class })
	static class ServletWithActuator {

	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Work.class)
	@EnableAutoConfiguration(exclude = { DataSourceAutoConfiguration.class, DataRedisAutoConfiguration.class })
	static class ReactiveWithActuator {

	}

	@ParameterizedTest
	@EnumSource(Stack.class)
	void storeOutOfReachIsReportedAndActionsAreRefused(Stack stack) {
		Class<?> application = (stack == Stack.SERVLET) ? FaultyServlet.class : FaultyReactive.class;
		try (Server server = Server.start(stack.type, application, "jobs.dashboard.access=operate")) {
			String id = id(server);
			AtomicBoolean down = server.bean(AtomicBoolean.class);
			down.set(true);
			assertThat(server.get("/").statusCode()).isEqualTo(200);
			for (String path : List.of("/api/overview", "/api/jobs", "/api/job?id=" + id, "/api/dead", "/api/stats",
					"/api/statistics", "/api/schedules", "/api/queues", "/api/pools", "/api/activity")) {
				HttpResponse<String> answer = server.get(path);
				assertThat(answer.statusCode()).as(path).isEqualTo(503);
				assertThat(Server.json(answer).path("error").asString()).isEqualTo(Dashboard.OUT_OF_REACH);
			}
			String ids = "{\"ids\":[\"" + id + "\"]}";
			String schedule = "{\"schedule\":\"nightly\"}";
			Map<String, String> wishes = new HashMap<>(
					Map.of("retry", ids, "delete", ids, "cancel", ids, "pause", schedule, "resume", schedule, "trigger",
							schedule, "enqueue", "{\"id\":\"" + id + "\",\"payload\":\"1\"}", "resolve",
							"{\"cause\":\"a\"}", "reopen", "{\"cause\":\"a\"}", "quiet", "{\"worker\":\"w\"}"));
			for (String set : List.of("limit", "weight", "attempts")) {
				wishes.put(set, "{\"queue\":\"nightly\",\"" + set + "\":1}");
			}
			for (String set : List.of("rate", "lanes-rate")) {
				wishes.put(set, "{\"queue\":\"nightly\",\"rate\":\"1/1s\"}");
			}
			wishes.put("reschedule", "{\"ids\":[\"" + id + "\"],\"dueAt\":\"2999-01-01T00:00:00Z\"}");
			wishes.put("move", "{\"ids\":[\"" + id + "\"],\"toLane\":\"a\"}");
			wishes.put("drop", schedule);
			wishes.put("forget-step", "{\"id\":\"" + id + "\",\"step\":\"charge\"}");
			wishes.put("send-signal", "{\"id\":\"" + id + "\"}");
			wishes.put("stop", "{\"bulk\":\"b\"}");
			wishes.put("put", "{\"schedule\":\"nightly\",\"cron\":\"@hourly\"}");
			wishes.put("concurrency", "{\"pool\":\"default\",\"concurrency\":1}");
			assertThat(wishes.keySet()).isEqualTo(Wish.ACTIONS);
			wishes.forEach((act, wish) -> assertThat(server.act(act, wish).statusCode()).as(act).isEqualTo(503));
			assertThat(server.bean(Applications.Work.class).actions).extracting(OperatorActionEvent::action)
				.containsExactlyInAnyOrder("retry", "delete", "cancel", "limit", "pause", "resume", "trigger", "drop",
						"forget-step", "quiet", "weight", "attempts", "rate", "lanes-rate", "concurrency", "stop",
						"reschedule", "move");
			assertThat(server.bean(Applications.Work.class).actions)
				.allSatisfy((act) -> assertThat(act.complete()).isFalse())
				.allSatisfy((act) -> assertThat(act.jobs()).isEmpty());
			down.set(false);
			assertThat(server.json("/api/job?id=" + id).path("state").asString()).isEqualTo("SCHEDULED");
			assertThat(server.json("/api/queues?name=nightly").path("queues").path(0).path("paused").asBoolean())
				.isFalse();
		}
	}

	@Test
	void retryThatTheStoreRefusesLeavesTheJobAndMayBeTriedAgain() {
		try (Server server = Server.start(WebApplicationType.SERVLET, RefusingServlet.class,
				"jobs.dashboard.access=operate", "jobs.handlers.fail.max-attempts=1")) {
			String id = server.bean(JobClient.class).enqueue("fail", "x").id();
			await().atMost(Duration.ofSeconds(30)).until(() -> isDeadAfter(server, id, 1));
			server.bean(FaultyStore.class).failToSend(FaultyStore.Verb.CHANGE, 1);
			String wish = "{\"ids\":[\"" + id + "\"]}";
			HttpResponse<String> refused = server.act("retry", wish);
			assertThat(refused.statusCode()).isEqualTo(503);
			assertThat(Server.json(refused).path("error").asString()).isEqualTo(Dashboard.OUT_OF_REACH);
			assertThat(isDeadAfter(server, id, 1)).isTrue();
			assertThat(Server.json(server.act("retry", wish)).path("count").asInt()).isOne();
			await().atMost(Duration.ofSeconds(30)).until(() -> isDeadAfter(server, id, 2));
		}
	}

	@Test
	@ExpectsFaults("resolve by 127.0.0.1")
	void causeIsNotResolvedIfTheStoreDoesNotKeepThat() {
		try (Server server = Server.start(WebApplicationType.SERVLET, RefusingServlet.class,
				"jobs.dashboard.access=operate", "jobs.handlers.fail.max-attempts=1")) {
			String id = server.bean(JobClient.class).enqueue("fail", "x").id();
			await().atMost(Duration.ofSeconds(30)).until(() -> isDeadAfter(server, id, 1));
			String wish = "{\"cause\":\"" + group(server).path("id").asString() + "\"}";
			server.bean(FaultyStore.class).failToSend(FaultyStore.Verb.CHANGE, 1);
			assertThat(server.act("resolve", wish).statusCode()).isEqualTo(503);
			assertThat(server.bean(Applications.Work.class).actions).singleElement()
				.returns("resolve", OperatorActionEvent::action)
				.returns(false, OperatorActionEvent::complete);
			assertThat(group(server).has("resolvedAt")).isFalse();
			assertThat(server.get("/api/activity").body()).doesNotContain("resolve");
			assertThat(server.act("resolve", wish).statusCode()).isEqualTo(200);
			assertThat(group(server).path("resolvedAt").isString()).isTrue();
			assertThat(server.get("/api/activity").body()).containsOnlyOnce("resolve");
		}
	}

	private static JsonNode group(Server server) {
		return server.json("/api/dead").path("causes").path(0);
	}

	private static boolean isDeadAfter(Server server, String id, int attempts) {
		JsonNode job = server.json("/api/job?id=" + id);
		return job.path("state").asString().equals("DEAD") && job.path("trail").path("attempts").size() == attempts;
	}

	@Configuration(proxyBeanMethods = false)
	@Import(Applications.Servlet.class)
	static class RefusingServlet {

		@Bean
		FaultyStore jobStore() {
			return new FaultyStore(new InMemoryJobStore());
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Faults.class, Applications.Servlet.class })
	static class FaultyServlet {

	}

	@Configuration(proxyBeanMethods = false)
	@Import({ Faults.class, Applications.Reactive.class })
	static class FaultyReactive {

	}

	@Configuration(proxyBeanMethods = false)
	static class Faults {

		private final AtomicBoolean down = new AtomicBoolean();

		@Bean
		AtomicBoolean down() {
			return this.down;
		}

		@Bean
		JobStore jobStore() {
			return failing(JobStore.class, new InMemoryJobStore());
		}

		private <T> T failing(Class<T> type, T target) {
			return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type },
					(proxy, method, arguments) -> {
						if (method.getReturnType() == JobInspector.class) {
							return failing(JobInspector.class, ((JobStore) target).inspector());
						}
						if (this.down.get()) {
							throw new JobStoreException("no connection", new IOException(), true);
						}
						try {
							return method.invoke(target, arguments);
						}
						catch (InvocationTargetException ex) {
							throw ex.getCause();
						}
					}));
		}

	}

	enum Stack {

		SERVLET(WebApplicationType.SERVLET, Applications.Servlet.class, Applications.SecuredServlet.class,
				Applications.ServletWithSessions.class),

		REACTIVE(WebApplicationType.REACTIVE, Applications.Reactive.class, Applications.SecuredReactive.class,
				Applications.ReactiveWithSessions.class);

		private final WebApplicationType type;

		private final Class<?> plain;

		private final Class<?> secured;

		private final Class<?> withSessions;

		Stack(WebApplicationType type, Class<?> plain, Class<?> secured, Class<?> withSessions) {
			this.type = type;
			this.plain = plain;
			this.secured = secured;
			this.withSessions = withSessions;
		}

		Server plain(String... properties) {
			return Server.start(this.type, this.plain, properties);
		}

		Server secured(String... properties) {
			return Server.start(this.type, this.secured, properties);
		}

		Server withSessions(String... properties) {
			return Server.start(this.type, this.withSessions, properties);
		}

		void changePassword(Server server, String user, String password) {
			if (this == SERVLET) {
				InMemoryUserDetailsManager users = server.bean(InMemoryUserDetailsManager.class);
				users.updatePassword(users.loadUserByUsername(user), "{noop}" + password);
			}
			else {
				MapReactiveUserDetailsService users = server.bean(MapReactiveUserDetailsService.class);
				users.findByUsername(user).flatMap((found) -> users.updatePassword(found, "{noop}" + password)).block();
			}
		}

	}

}
