package dev.jobs.dashboard;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import dev.jobs.query.RefusedException;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;

/**
 * Decides who gets in, and which requests come from a page of this dashboard.
 *
 * @param properties who gets in
 * @param listensHereOnly whether the server can be reached only from this machine
 */
record Gate(DashboardProperties properties, BooleanSupplier listensHereOnly) {

	/** The header in which actions carry the token of their page. */
	static final String TOKEN_HEADER = "X-Jobs-Csrf";

	private static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

	Rights rights(DashboardRequest request) {
		return byRole(request.caller()).or(byAccess(request));
	}

	/**
	 * Return the roles that let a user view.
	 */
	Set<String> viewers() {
		return this.properties.roles().viewers();
	}

	private Rights byRole(DashboardRequest.Caller caller) {
		if (caller.name() == null) {
			return Rights.NONE;
		}
		DashboardProperties.Roles roles = this.properties.roles();
		boolean operate = any(caller, roles.operate());
		boolean view = operate || any(caller, roles.view());
		return new Rights(view, operate, view && any(caller, roles.payloads()));
	}

	private static boolean any(DashboardRequest.Caller caller, Set<String> roles) {
		return roles.stream().anyMatch(caller.roles());
	}

	private Rights byAccess(DashboardRequest request) {
		return switch (this.properties.access()) {
			case SECURED -> Rights.NONE;
			case READ_ONLY -> new Rights(true, false, any(request.caller(), this.properties.roles().payloads()));
			case OPERATE -> Rights.ALL;
			case LOCAL -> isLocal(request) ? Rights.ALL : Rights.NONE;
		};
	}

	/**
	 * The host name counts too, since a page elsewhere may make its own name resolve to
	 * this machine.
	 */
	private boolean isLocal(DashboardRequest request) {
		return this.listensHereOnly.getAsBoolean() && isLoopback(request.caller().address())
				&& isLoopback(request.caller().reached()) && request.headers().getOrEmpty(HttpHeaders.HOST).size() <= 1
				&& LOCAL_HOSTS.contains(hostName(request.host()));
	}

	private static boolean isLoopback(@Nullable InetAddress address) {
		return address != null && address.isLoopbackAddress();
	}

	private static String hostName(String host) {
		int port = host.lastIndexOf(':');
		String name = (port > host.lastIndexOf(']')) ? host.substring(0, port) : host;
		return name.toLowerCase(Locale.ROOT);
	}

	/**
	 * Require that an action comes from a page of this dashboard.
	 * @param request the request
	 * @throws RefusedException if it does not
	 */
	void requireOwnPage(DashboardRequest request) {
		if (!isSameOrigin(request)) {
			throw RefusedException.forbidden(
					"This request came from a page of another site, or from a program. Programs act by Actuator, JobClient or JobOperations.");
		}
		String secret = request.secret();
		String token = request.headers().getFirst(TOKEN_HEADER);
		if (secret == null || token == null || !equal(token(secret, request.caller()), token)) {
			throw RefusedException.forbidden("The token of the page is missing or old. Reload the page.");
		}
	}

	/**
	 * Return the token of the pages that a caller opens in a browser. It is made from the
	 * secret of the browser, which scripts cannot read, and from the caller's login: so a
	 * planted secret is not enough to make a token, and the token ends with the login.
	 * All processes of an application make the same token.
	 */
	static String token(String secret, DashboardRequest.Caller caller) {
		try {
			Mac mac = Mac.getInstance("HmacSHA256");
			mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), mac.getAlgorithm()));
			mac.update(Objects.requireNonNullElse(caller.name(), "").getBytes(StandardCharsets.UTF_8));
			mac.update((byte) 0);
			mac.update(Objects.requireNonNullElse(caller.login(), "").getBytes(StandardCharsets.UTF_8));
			return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Every Java has HmacSHA256", ex);
		}
	}

	private static boolean equal(String one, String other) {
		return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * The browser's own report about the site outweighs the comparison with the host,
	 * which a proxy may have replaced.
	 */
	private static boolean isSameOrigin(DashboardRequest request) {
		String site = request.headers().getFirst("Sec-Fetch-Site");
		if (site != null) {
			return site.equals("same-origin");
		}
		String origin = request.headers().getFirst(HttpHeaders.ORIGIN);
		return origin != null && origin.equalsIgnoreCase(origin(request));
	}

	/**
	 * Return the origin of this dashboard's pages as browsers write it, without a default
	 * port.
	 */
	private static String origin(DashboardRequest request) {
		String usual = request.secure() ? ":443" : ":80";
		String host = request.host();
		return (request.secure() ? "https://" : "http://")
				+ (host.endsWith(usual) ? host.substring(0, host.length() - usual.length()) : host);
	}

}
