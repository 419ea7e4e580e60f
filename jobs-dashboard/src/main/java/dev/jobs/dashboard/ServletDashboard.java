package dev.jobs.dashboard;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.http.HttpHeaders;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.servlet.HandlerMapping;

/**
 * The dashboard on Spring MVC.
 */
class ServletDashboard implements HttpRequestHandler, DisposableBean {

	private final Dashboard dashboard;

	/** Writes to streams, each of which may be slow. There are no more than streams. */
	private final ExecutorService executor = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 10, TimeUnit.SECONDS,
			new SynchronousQueue<>(), ServletDashboard::thread);

	ServletDashboard(Dashboard dashboard) {
		this.dashboard = dashboard;
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "jobs-dashboard-stream");
		thread.setDaemon(true);
		return thread;
	}

	@Override
	public void destroy() {
		this.executor.shutdownNow();
	}

	@Override
	public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
		DashboardRequest read = read(request);
		if (this.dashboard.wantsBody(read)) {
			read = read.with(request.getInputStream().readNBytes(DashboardRequest.LONGEST_BODY + 1));
		}
		DashboardReply reply = this.dashboard.handle(read);
		if (reply.streamOf() != null) {
			stream(reply, reply.streamOf(), request, response);
		}
		else {
			write(reply, request, response);
		}
	}

	private void stream(DashboardReply reply, String user, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		AsyncContext context = request.startAsync(request, response);
		context.setTimeout(0);
		EventStream stream = new EventStream(context, response);
		if (stream.open(user)) {
			writeHead(reply, response);
			response.flushBuffer();
			stream.begin();
		}
		else {
			write(DashboardReply.tooManyStreams(), request, response);
			context.complete();
		}
	}

	private static void write(DashboardReply reply, HttpServletRequest request, HttpServletResponse response)
			throws IOException {
		writeHead(reply, response);
		response.setContentLength(reply.body().length);
		if (!request.getMethod().equals("HEAD")) {
			response.getOutputStream().write(reply.body());
		}
	}

	private static void writeHead(DashboardReply reply, HttpServletResponse response) {
		response.setStatus(reply.status().value());
		reply.headers().forEach((name, values) -> values.forEach((value) -> {
			// The application has cookies of its own.
			if (name.equalsIgnoreCase(HttpHeaders.SET_COOKIE)) {
				response.addHeader(name, value);
			}
			else {
				response.setHeader(name, value);
			}
		}));
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
		// To ask for the token may begin the session in which it is kept.
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
	 * Return the address of the other end of the connection. A valve of Tomcat that takes
	 * another from the headers also takes these away, and leaves a note.
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

	/** Of a request of HTTP/1 without a host the server would name one. */
	private static String host(HttpServletRequest request, HttpServletRequest wire) {
		if (wire.getProtocol().startsWith("HTTP/1") && wire.getHeader(HttpHeaders.HOST) == null) {
			return "";
		}
		int port = request.getServerPort();
		boolean usual = port == (request.isSecure() ? 443 : 80);
		return usual ? request.getServerName() : request.getServerName() + ":" + port;
	}

	/**
	 * Return the request as the server read it: filters may have taken its address from
	 * its headers, and these away.
	 */
	private static HttpServletRequest unwrap(HttpServletRequest request) {
		ServletRequest wire = request;
		while (wire instanceof ServletRequestWrapper wrapper) {
			wire = wrapper.getRequest();
		}
		return (wire instanceof HttpServletRequest found) ? found : request;
	}

	/**
	 * A stream of events. While one is being written, and before the first, only the
	 * latest is kept.
	 */
	private final class EventStream implements Sampler.Listener, AsyncListener {

		private static final String BUSY = "";

		private final AsyncContext context;

		private final HttpServletResponse response;

		private final AtomicReference<@Nullable String> next = new AtomicReference<>(BUSY);

		private volatile Sampler.@Nullable Stream stream;

		EventStream(AsyncContext context, HttpServletResponse response) {
			this.context = context;
			this.response = response;
		}

		boolean open(String user) {
			this.context.addListener(this);
			this.stream = ServletDashboard.this.dashboard.sampler().open(user, this);
			return this.stream != null;
		}

		/** Write the events that came while the head of the response was written. */
		void begin() {
			if (!this.next.compareAndSet(BUSY, null)) {
				ServletDashboard.this.executor.execute(this::write);
			}
		}

		@Override
		public void send(String event) {
			if (this.next.getAndSet(event) == null) {
				ServletDashboard.this.executor.execute(this::write);
			}
		}

		private void write() {
			try {
				String event = this.next.getAndSet(BUSY);
				while (event != null && !event.isEmpty()) {
					this.response.getOutputStream().write(event.getBytes(StandardCharsets.UTF_8));
					this.response.flushBuffer();
					event = this.next.compareAndSet(BUSY, null) ? null : this.next.getAndSet(BUSY);
				}
			}
			catch (IOException | RuntimeException ex) {
				close();
			}
		}

		private void close() {
			Sampler.Stream stream = this.stream;
			if (stream != null) {
				stream.close();
			}
		}

		@Override
		public void ended() {
			try {
				this.context.complete();
			}
			catch (RuntimeException ex) {
				// It has ended by itself.
			}
		}

		@Override
		public void onComplete(AsyncEvent event) {
			close();
		}

		@Override
		public void onTimeout(AsyncEvent event) {
			close();
		}

		@Override
		public void onError(AsyncEvent event) {
			close();
		}

		@Override
		public void onStartAsync(AsyncEvent event) {
		}

	}

}
