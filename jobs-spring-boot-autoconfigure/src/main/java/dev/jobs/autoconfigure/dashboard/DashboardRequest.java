package dev.jobs.autoconfigure.dashboard;

import java.net.InetAddress;
import java.util.Map;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * A request, whichever web stack it came by.
 *
 * @param method its method
 * @param path its path below that of the dashboard: empty without a slash at the end
 * @param query the first value of each parameter
 * @param headers its headers as they came over the wire
 * @param body its body
 * @param caller who sent it
 * @param host the host and port it was sent to, as far as the application knows
 * @param secure whether it was sent by TLS
 * @param csrf the application's own token against forged requests, or {@code null} if it
 * wants none
 */
record DashboardRequest(String method, String path, Map<String, String> query, HttpHeaders headers, byte[] body,
		Caller caller, String host, boolean secure, @Nullable ForeignToken csrf) {

	/** No body may be longer. */
	static final int LONGEST_BODY = 256 * 1024;

	/** Where pages keep the token that their acts must carry. */
	static final String COOKIE = "jobs-csrf";

	@Nullable String parameter(String name) {
		String value = this.query.get(name);
		return (value != null && !value.isBlank()) ? requireText(name, value) : null;
	}

	/**
	 * Require what a store can be asked for. None keeps the character 0 in a name, and
	 * some answer with a fault.
	 */
	static String requireText(String name, String value) {
		if (value.indexOf('\0') >= 0) {
			throw RefusedException.badRequest("'" + name + "' must not contain the character 0.");
		}
		return value;
	}

	@Nullable String cookie() {
		for (String header : this.headers.getOrEmpty(HttpHeaders.COOKIE)) {
			for (String cookie : header.split(";")) {
				if (cookie.strip().startsWith(COOKIE + "=")) {
					return cookie.strip().substring(COOKIE.length() + 1);
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
	 * @param address the address of the other end of the connection
	 */
	record Caller(@Nullable String name, Predicate<String> roles, @Nullable InetAddress address) {

		String shownName() {
			if (this.name != null) {
				return this.name;
			}
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
