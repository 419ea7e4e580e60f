package dev.jobs.dashboard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.zip.GZIPOutputStream;

import dev.jobs.query.RefusedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.util.DigestUtils;
import org.springframework.web.util.HtmlUtils;

/**
 * The page and its files. All its links are relative, so any prefix of its path works.
 */
final class Page {

	private static final String FOLDER = "/dev/jobs/dashboard/";

	private static final Pattern NAME = Pattern.compile("[a-z-]+\\.(js|css|svg)");

	private static final Map<String, String> TYPES = Map.of("js", "text/javascript;charset=UTF-8", "css",
			"text/css;charset=UTF-8", "svg", "image/svg+xml");

	/** Text that only readers of the source need. */
	private static final Pattern LAYOUT = Pattern.compile("(?m)^[\\t ]+(?:// .*\\R)?|^// .*\\R");

	private static final Pattern CSS_LAYOUT = Pattern.compile("(?<=[{};:,])\\s+|;?\\s+(?=[{}])");

	private final SecureRandom random = new SecureRandom();

	private final DashboardProperties properties;

	private final Map<String, Asset> assets = new ConcurrentHashMap<>();

	private final String template = new String(read("index.html"), StandardCharsets.UTF_8);

	private final String closed = new String(read("closed.html"), StandardCharsets.UTF_8);

	/**
	 * Create a page.
	 * @param properties set how often it polls, and the place of traces
	 */
	Page(DashboardProperties properties) {
		this.properties = properties;
	}

	/**
	 * Return the page with a token for the actions of this browser.
	 */
	DashboardReply page(DashboardUser user) {
		DashboardRequest request = user.request();
		String nonce = random(16);
		String known = request.secret();
		String secret = (known != null) ? known : random(32);
		String token = Gate.token(secret, request.caller());
		String html = this.template.replace("{nonce}", nonce)
			.replace("{config}", HtmlUtils.htmlEscape(config(user, token).toString(), "UTF-8"));
		DashboardReply reply = DashboardReply.of(HttpStatus.OK, "text/html;charset=UTF-8",
				html.getBytes(StandardCharsets.UTF_8));
		if (known == null) {
			reply.with(HttpHeaders.SET_COOKIE, request.cookieName() + "=" + secret + "; HttpOnly; SameSite=Strict"
					+ (request.secure() ? "; Secure; Path=/" : ""));
		}
		return reply.with("Content-Security-Policy",
				"default-src 'none'; script-src 'nonce-" + nonce + "'; style-src 'nonce-" + nonce
						+ "'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
						+ "frame-ancestors 'none'; require-trusted-types-for 'script'");
	}

	/**
	 * Return the page for users without access. To those who have logged in it names the
	 * roles that have access, so that they know what to ask for.
	 */
	DashboardReply closed(DashboardRequest request, Set<String> viewers) {
		String nonce = random(16);
		String name = request.caller().name();
		String html = this.closed.replace("{nonce}", nonce)
			.replace("{who}",
					HtmlUtils.htmlEscape(
							(name != null) ? "You are logged in as " + name + ", but none of your roles has access."
									: "You are not logged in.",
							"UTF-8"))
			.replace("{ask}", HtmlUtils.htmlEscape(ask(name, viewers), "UTF-8"));
		return DashboardReply.of(HttpStatus.FORBIDDEN, "text/html;charset=UTF-8", html.getBytes(StandardCharsets.UTF_8))
			.with("Content-Security-Policy", "default-src 'none'; style-src 'nonce-" + nonce
					+ "'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
	}

	private static String ask(@Nullable String name, Set<String> viewers) {
		if (name == null) {
			return "Log in to the application first, then open this page again.";
		}
		return viewers.isEmpty() ? "No role has access yet. Ask the developers of this application to name one."
				: "Ask the administrators of this application for "
						+ ((viewers.size() == 1) ? "the role " : "one of the roles ") + String.join(", ", viewers)
						+ ".";
	}

	private ObjectNode config(DashboardUser user, String token) {
		ObjectNode config = JsonNodeFactory.instance.objectNode()
			.put("token", token)
			.put("refresh", this.properties.refresh().toMillis())
			.put("trace", this.properties.traceUrl())
			.put("user", user.request().caller().name())
			.put("operate", user.rights().operate())
			.put("payloads", user.rights().payloads());
		DashboardRequest.ForeignToken csrf = user.request().csrf();
		if (csrf != null) {
			config.putObject("csrf").put("header", csrf.header()).put("value", csrf.value());
		}
		return config;
	}

	private String random(int size) {
		byte[] bytes = new byte[size];
		this.random.nextBytes(bytes);
		return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
	}

	DashboardReply asset(String name, DashboardRequest request) {
		if (!NAME.matcher(name).matches() || Page.class.getResource(FOLDER + name) == null) {
			throw RefusedException.notFound("There is no such file.");
		}
		Asset asset = this.assets.computeIfAbsent(name, Asset::of);
		boolean known = asset.tag().equals(request.headers().getFirst(HttpHeaders.IF_NONE_MATCH));
		boolean zip = accepts(request.headers().getFirst(HttpHeaders.ACCEPT_ENCODING));
		DashboardReply reply = DashboardReply.of(known ? HttpStatus.NOT_MODIFIED : HttpStatus.OK,
				TYPES.getOrDefault(name.substring(name.lastIndexOf('.') + 1), "application/octet-stream"),
				known ? new byte[0] : (zip ? asset.zipped() : asset.plain()));
		if (zip && !known) {
			reply.with(HttpHeaders.CONTENT_ENCODING, "gzip");
		}
		return reply.with(HttpHeaders.CACHE_CONTROL, "private, no-cache")
			.with(HttpHeaders.ETAG, asset.tag())
			.with(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
	}

	private static boolean accepts(@Nullable String encodings) {
		return encodings != null && encodings.contains("gzip");
	}

	/**
	 * Return a file in the form that is sent, without indentation and comments.
	 */
	static byte[] sent(String name) {
		if (name.endsWith(".svg")) {
			return read(name);
		}
		String text = LAYOUT.matcher(new String(read(name), StandardCharsets.UTF_8)).replaceAll("");
		return (name.endsWith(".css") ? CSS_LAYOUT.matcher(text).replaceAll("") : text)
			.getBytes(StandardCharsets.UTF_8);
	}

	private static byte[] read(String name) {
		try (InputStream stream = Page.class.getResourceAsStream(FOLDER + name)) {
			if (stream == null) {
				throw new IOException(name + " is missing");
			}
			return stream.readAllBytes();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * A file of the page.
	 *
	 * @param plain its bytes
	 * @param zipped its bytes, compressed
	 * @param tag changes whenever the content does
	 */
	private record Asset(byte[] plain, byte[] zipped, String tag) {

		static Asset of(String name) {
			byte[] plain = sent(name);
			ByteArrayOutputStream zipped = new ByteArrayOutputStream();
			try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
				gzip.write(plain);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			return new Asset(plain, zipped.toByteArray(), "W/\"" + DigestUtils.md5DigestAsHex(plain) + "\"");
		}

	}

}
