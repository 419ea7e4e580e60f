package dev.jobs.dashboard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.Principal;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The dashboard on Spring MVC.
 */
class ServletDashboard implements HttpRequestHandler {

	private final Dashboard dashboard;

	ServletDashboard(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	@Override
	public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
		DashboardRequest read = read(request);
		if (this.dashboard.wantsBody(read)) {
			read = read.with(request.getInputStream().readNBytes(DashboardRequest.LONGEST_BODY + 1));
		}
		write(this.dashboard.handle(read), request, response);
	}

	private static void write(DashboardReply reply, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		response.setStatus(reply.status().value());
		reply.headers().forEach((name, values) -> values.forEach((value) -> {
			// The application also has its own cookies.
			if (name.equalsIgnoreCase(HttpHeaders.SET_COOKIE)) {
				response.addHeader(name, value);
			}
			else {
				response.setHeader(name, value);
			}
		}));
		response.setContentLength(reply.body().length);
		if (!request.getMethod().equals("HEAD")) {
			response.getOutputStream().write(reply.body());
		}
	}

	private static DashboardRequest read(HttpServletRequest request) throws IOException {
		HttpHeaders headers = new HttpHeaders();
		HttpServletRequest wire = unwrap(request);
		for (String name : Collections.list(wire.getHeaderNames())) {
			headers.addAll(name, Collections.list(wire.getHeaders(name)));
		}
		Map<String, String> query = new HashMap<>();
		if (request.getMethod().equals("GET")) {
			request.getParameterMap().forEach((name, values) -> query.put(name, values[0]));
		}
		// Asking for the token may begin the session that keeps it.
		DashboardRequest.ForeignToken csrf = SpringSecurity
			.token(request.getAttribute("org.springframework.security.web.csrf.CsrfToken"));
		return new DashboardRequest(request.getMethod(), path(request), query, headers, new byte[0],
				caller(request, wire, headers), host(request, wire), request.isSecure(), csrf);
	}

	private static String path(HttpServletRequest request) {
		Object within = request.getAttribute(HandlerMapping.PATH_WITHIN_HANDLER_MAPPING_ATTRIBUTE);
		String path = (within != null) ? within.toString() : "";
		return (path.isEmpty() && request.getRequestURI().endsWith("/")) ? "/" : path;
	}

	private static DashboardRequest.Caller caller(HttpServletRequest request, HttpServletRequest wire,
			HttpHeaders headers) {
		Principal user = request.getUserPrincipal();
		Predicate<String> roles = (user != null) ? SpringSecurity.roles(user).or(request::isUserInRole)
				: (role) -> false;
		HttpSession session = request.getSession(false);
		return new DashboardRequest.Caller((user != null) ? user.getName() : null, roles, address(wire),
				address(wire.getLocalAddr()),
				DashboardRequest.Caller.login(user, headers, (session != null) ? session.getId() : null));
	}

	/**
	 * Return the address of the other end of the connection. A Tomcat valve that replaces
	 * it from the headers removes these, and leaves a note.
	 */
	private static @Nullable InetAddress address(HttpServletRequest wire) {
		if (wire.getAttribute("org.apache.tomcat.request.forwarded") != null) {
			return null;
		}
		Object peer = wire.getAttribute("org.apache.tomcat.peerAddr");
		return address((peer != null) ? peer.toString() : wire.getRemoteAddr());
	}

	private static @Nullable InetAddress address(@Nullable String text) {
		try {
			return (text != null) ? InetAddress.getByName(text) : null;
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	/** For an HTTP/1 request without a host the server would make one up. */
	private static String host(HttpServletRequest request, HttpServletRequest wire) {
		if (wire.getProtocol().startsWith("HTTP/1") && wire.getHeader(HttpHeaders.HOST) == null) {
			return "";
		}
		int port = request.getServerPort();
		boolean usual = port == (request.isSecure() ? 443 : 80);
		return usual ? request.getServerName() : request.getServerName() + ":" + port;
	}

	/**
	 * Return the request as the server read it: filters may have replaced its address
	 * from its headers, and removed these.
	 */
	private static HttpServletRequest unwrap(HttpServletRequest request) {
		ServletRequest wire = request;
		while (wire instanceof ServletRequestWrapper wrapper) {
			wire = wrapper.getRequest();
		}
		return (wire instanceof HttpServletRequest found) ? found : request;
	}

}
