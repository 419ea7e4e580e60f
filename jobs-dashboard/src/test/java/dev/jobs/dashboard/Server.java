package dev.jobs.dashboard;

import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application with a dashboard on a web server, and a browser of sorts that asks it.
 */
final class Server implements AutoCloseable {

	private static final Pattern TOKEN = Pattern.compile("&quot;token&quot;:&quot;([^&]+)&quot;");

	private final ConfigurableApplicationContext context;

	private final HttpClient client = HttpClient.newBuilder().cookieHandler(new CookieManager()).build();

	private final String base;

	private @Nullable String token;

	private Server(ConfigurableApplicationContext context, String base) {
		this.context = context;
		this.base = base;
	}

	/** Reactor Netty may stop reading from a connection that is used again. */
	static Server start(WebApplicationType type, Class<?> application, String... properties) {
		List<String> all = new ArrayList<>(List.of("server.port=0", "jobs.store=memory", "jobs.shutdown.grace=0s",
				"jobs.dashboard.enabled=true", "spring.application.name=shop", "spring.main.banner-mode=off",
				"server.address=127.0.0.1", "server.netty.max-keep-alive-requests=1"));
		all.addAll(List.of(properties));
		ConfigurableApplicationContext context = new SpringApplicationBuilder(application).web(type)
			.properties(all.toArray(String[]::new))
			.run();
		String prefix = context.getEnvironment().getProperty("server.servlet.context-path", "")
				+ context.getEnvironment().getProperty("spring.webflux.base-path", "");
		return new Server(context, "http://localhost:" + context.getEnvironment().getProperty("local.server.port")
				+ prefix + context.getEnvironment().getProperty("jobs.dashboard.path", "/jobs"));
	}

	ConfigurableApplicationContext context() {
		return this.context;
	}

	<T> T bean(Class<T> type) {
		return this.context.getBean(type);
	}

	URI uri(String path) {
		return URI.create(this.base + path);
	}

	String origin() {
		return "http://" + uri("").getAuthority();
	}

	HttpResponse<String> get(String path, String... headers) {
		return send(request(path, headers).GET());
	}

	JsonNode json(String path) {
		return json(get(path));
	}

	static JsonNode json(HttpResponse<String> response) {
		return JsonMapper.shared().readTree(response.body());
	}

	/** Acts as the page would. */
	HttpResponse<String> act(String act, String body, String... headers) {
		List<String> all = new ArrayList<>(
				List.of("Origin", origin(), "Sec-Fetch-Site", "same-origin", Gate.TOKEN_HEADER, token(headers)));
		all.addAll(List.of(headers));
		return post("/api/" + act, body, all.toArray(String[]::new));
	}

	HttpResponse<String> post(String path, String body, String... headers) {
		return send(
				request(path, headers).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
	}

	String token(String... headers) {
		String known = this.token;
		if (known == null || headers.length > 0) {
			known = tokenOf(get("/", headers));
			this.token = known;
		}
		return known;
	}

	static String tokenOf(HttpResponse<String> page) {
		Matcher matcher = TOKEN.matcher(page.body());
		return matcher.find() ? matcher.group(1) : "none";
	}

	/** Sends a request as a browser would that keeps no cookies. */
	HttpResponse<String> getWithoutCookies(String path, String... headers) {
		return send(HttpClient.newHttpClient(), request(path, headers).GET());
	}

	/** Sends a request as a browser would that keeps no cookies. */
	HttpResponse<String> postWithoutCookies(String path, String body, String... headers) {
		return send(HttpClient.newHttpClient(),
				request(path, headers).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
	}

	private HttpRequest.Builder request(String path, String... headers) {
		HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
		return (headers.length > 0) ? request.headers(headers) : request;
	}

	HttpResponse<String> send(HttpRequest.Builder request) {
		return send(this.client, request);
	}

	private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) {
		try {
			return client.send(request.build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
	}

}
