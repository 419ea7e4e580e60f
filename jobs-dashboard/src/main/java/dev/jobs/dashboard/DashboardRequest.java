package dev.jobs.dashboard;

import java.net.InetAddress;
import java.security.Principal;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

import dev.jobs.audit.Operator;
import dev.jobs.query.RefusedException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A request, whichever web stack it came by.
 *
 * @param method its method
 * @param path its path below the dashboard's; empty without a slash at the end
 * @param query the first value of each parameter
 * @param headers its headers as they came over the wire
 * @param body its body, empty until it is {@linkplain Dashboard#wantsBody wanted}
 * @param caller who sent it
 * @param host the host and port it was sent to, as far as the application knows, or an
 * empty text if it has no host
 * @param secure whether it was sent by TLS
 * @param csrf the application's own token against forged requests, or {@code null} if it
 * needs no token
 */
record DashboardRequest(String method, String path, Map<String, String> query, HttpHeaders headers, byte[] body,
		Caller caller, String host, boolean secure, @Nullable ForeignToken csrf) {

	/** The longest body. */
	static final int LONGEST_BODY = 256 * 1024;

	private static final String COOKIE = "jobs-csrf";

	private static final Pattern JSON = Pattern.compile("\\s*application/json\\s*(;.*)?", Pattern.CASE_INSENSITIVE);

	private static final Pattern SECRET = Pattern.compile("[A-Za-z0-9_-]{43}");

	DashboardRequest with(byte[] body) {
		return new DashboardRequest(this.method, this.path, this.query, this.headers, body, this.caller, this.host,
				this.secure, this.csrf);
	}

	boolean isJson() {
		String type = this.headers.getFirst(HttpHeaders.CONTENT_TYPE);
		return type != null && JSON.matcher(type).matches();
	}

	@Nullable String parameter(String name) {
		String value = this.query.get(name);
		return (value != null && !value.isBlank()) ? requireText(name, value) : null;
	}

	/**
	 * Require a text without the character 0. No store keeps it in a name, and some fail
	 * when asked for it.
	 */
	static String requireText(String name, String value) {
		if (value.indexOf('\0') >= 0) {
			throw RefusedException.badRequest("'" + name + "' must not contain the character 0.");
		}
		return value;
	}

	/**
	 * Return the name of the cookie with the secret of this browser. Browsers accept a
	 * cookie with this prefix only over TLS and from this very host, so that no
	 * neighbouring host can set one.
	 */
	String cookieName() {
		return this.secure ? "__Host-" + COOKIE : COOKIE;
	}

	/**
	 * Return the secret of this browser, from which the tokens of its pages are made.
	 */
	@Nullable String secret() {
		String begin = cookieName() + "=";
		for (String header : this.headers.getOrEmpty(HttpHeaders.COOKIE)) {
			for (String cookie : header.split(";")) {
				String value = cookie.strip();
				if (value.startsWith(begin) && SECRET.matcher(value.substring(begin.length())).matches()) {
					return value.substring(begin.length());
				}
			}
		}
		return null;
	}

	/**
	 * Who sent a request.
	 *
	 * @param name the user's name, or {@code null} if there is no user
	 * @param roles whether the user has a role
	 * @param address the address of the other end of the connection, or {@code null} if
	 * it is not certain
	 * @param reached the address of this end
	 * @param login what identifies the user in each request, such as the id of a session,
	 * or {@code null} if nothing does
	 */
	record Caller(@Nullable String name, Predicate<String> roles, @Nullable InetAddress address,
			@Nullable InetAddress reached, @Nullable String login) {

		/**
		 * Return what identifies a user who has a session or sends credentials with each
		 * request.
		 */
		static @Nullable String login(@Nullable Principal user, HttpHeaders headers, @Nullable String session) {
			String credentials = headers.getFirst(HttpHeaders.AUTHORIZATION);
			boolean basic = credentials != null && credentials.regionMatches(true, 0, "Basic ", 0, 6);
			return (user == null) ? null : (basic ? credentials : session);
		}

		Operator operator() {
			return new Operator("dashboard", (this.name != null) ? this.name : shownAddress());
		}

		private String shownAddress() {
			return (this.address != null) ? this.address.getHostAddress() : "somebody";
		}

	}

	/**
	 * A token that a filter in front of the dashboard asks for.
	 *
	 * @param header the header to send it in
	 * @param value the token
	 */
	record ForeignToken(String header, String value) {

	}

}
