package dev.jobs.autoconfigure.dashboard;

import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Decides who gets in and which acts are meant by those who seem to do them.
 */
final class Gate {

	/** The header in which acts carry the token of their page. */
	static final String TOKEN_HEADER = "X-Jobs-Csrf";

	private static final List<String> FORWARDED = List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host",
			"X-Forwarded-Proto", "X-Forwarded-Prefix", "X-Forwarded-Port", "X-Real-IP", "X-Client-IP", "True-Client-IP",
			"CF-Connecting-IP", "Via");

	private static final Set<String> LOCAL_HOSTS = Set.of("localhost", "127.0.0.1", "[::1]");

	private final DashboardProperties properties;

	private final boolean believesForwarded;

	/**
	 * Create a gate.
	 * @param properties who gets in
	 * @param believesForwarded whether the application takes addresses from headers, so
	 * that no address says where a request comes from
	 */
	Gate(DashboardProperties properties, boolean believesForwarded) {
		this.properties = properties;
		this.believesForwarded = believesForwarded;
	}

	Rights rights(DashboardRequest request) {
		return byRole(request.caller()).or(byAccess(request));
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
	 * The name of the host counts too: a page elsewhere may have its own name lead to
	 * this machine.
	 */
	private boolean isLocal(DashboardRequest request) {
		InetAddress address = request.caller().address();
		return !this.believesForwarded && address != null && address.isLoopbackAddress()
				&& FORWARDED.stream().noneMatch(request.headers()::containsHeader)
				&& LOCAL_HOSTS.contains(hostName(request.host()));
	}

	private static String hostName(String host) {
		int port = host.lastIndexOf(':');
		String name = (port > host.lastIndexOf(']')) ? host.substring(0, port) : host;
		return name.toLowerCase(Locale.ROOT);
	}

	/**
	 * Require that an act comes from a page of this dashboard.
	 * @param request the act
	 * @throws RefusedException if it does not
	 */
	void requireOwnPage(DashboardRequest request) {
		if (!isSameOrigin(request)) {
			throw new RefusedException(HttpStatus.FORBIDDEN, "This act was sent by a page of another site.");
		}
		String cookie = request.cookie();
		String token = request.headers().getFirst(TOKEN_HEADER);
		if (cookie == null || cookie.length() < 32 || token == null || !equal(cookie, token)) {
			throw new RefusedException(HttpStatus.FORBIDDEN, "The token of the page is missing or old. Load it again.");
		}
	}

	private static boolean equal(String one, String other) {
		return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * What the browser says of the site goes before the comparison with the host, which a
	 * proxy may have replaced.
	 */
	private static boolean isSameOrigin(DashboardRequest request) {
		String site = request.headers().getFirst("Sec-Fetch-Site");
		if (site != null) {
			return site.equals("same-origin");
		}
		String origin = request.headers().getFirst(HttpHeaders.ORIGIN);
		return origin != null && isHost(origin, request.host());
	}

	private static boolean isHost(String origin, String host) {
		try {
			URI uri = new URI(origin);
			return uri.getHost() != null
					&& authority(uri.getHost(), uri.getPort(), uri.getScheme()).equals(withPort(host, uri.getScheme()));
		}
		catch (URISyntaxException ex) {
			return false;
		}
	}

	private static String withPort(String host, @Nullable String scheme) {
		boolean hasPort = host.lastIndexOf(':') > host.lastIndexOf(']');
		return hasPort ? host.toLowerCase(Locale.ROOT) : authority(host, -1, scheme);
	}

	private static String authority(String host, int port, @Nullable String scheme) {
		int known = (port >= 0) ? port : ("https".equals(scheme) ? 443 : 80);
		return host.toLowerCase(Locale.ROOT) + ":" + known;
	}

}
