package dev.jobs.dashboard;

import java.util.Map;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.JobStoreException;
import dev.jobs.audit.Audit;
import dev.jobs.audit.LogText;
import dev.jobs.audit.RefusedAction;
import dev.jobs.dashboard.view.Statistics;
import dev.jobs.dashboard.view.Overview;
import dev.jobs.dashboard.view.QueueDetails;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.RefusedException;
import dev.jobs.text.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Answers every request to the dashboard: for the page, its files, and reads and actions
 * below {@code api/}. The {@link Gate} decides who may use it.
 *
 * @param path where it is; a redirect has only its last part, so that it works behind a
 * proxy that adds a prefix
 * @param gate who gets in
 * @param page the page and its files
 * @param jobs the queries for jobs
 * @param shared the overview, for many pages
 * @param overview the current state
 * @param details the details of queues
 * @param statistics the statistics
 * @param actions the actions of operators
 * @param audit records refused actions
 */
record Dashboard(String path, Gate gate, Page page, JobQueries jobs, SharedOverview shared, Overview overview,
		QueueDetails details, Statistics statistics, Actions actions, Audit audit) {

	private static final Logger logger = LoggerFactory.getLogger(Dashboard.class);

	private static final Map<String, String> SAFETY = Map.of("X-Content-Type-Options", "nosniff", "Referrer-Policy",
			"no-referrer", "X-Frame-Options", "DENY", "Cross-Origin-Resource-Policy", "same-origin",
			"Cross-Origin-Opener-Policy", "same-origin");

	static final String OUT_OF_REACH = "The store is out of reach.";

	private static final String NO_CONTENT = "default-src 'none'; frame-ancestors 'none'";

	/**
	 * Return whether the body of a request must be read before it is handled. A caller
	 * who may not act cannot make a thread wait for a body.
	 */
	boolean wantsBody(DashboardRequest request) {
		try {
			if (actionOf(request) == null || !request.method().equals("POST")) {
				return false;
			}
			requireAction(new DashboardUser(request, this.gate.rights(request)));
			return true;
		}
		catch (RefusedException ex) {
			return false;
		}
	}

	DashboardReply handle(DashboardRequest request) {
		DashboardReply reply = answer(request);
		SAFETY.forEach(reply::with);
		if (!reply.headers().containsHeader("Content-Security-Policy")) {
			reply.with("Content-Security-Policy", NO_CONTENT);
		}
		return reply;
	}

	private DashboardReply answer(DashboardRequest request) {
		try {
			DashboardUser user = new DashboardUser(request, this.gate.rights(request));
			if (!user.rights().view()) {
				if (asksForPage(request)) {
					return this.page.closed(request, this.gate.viewers());
				}
				throw RefusedException.forbidden("You do not have access to the dashboard.");
			}
			return route(user);
		}
		catch (RefusedException ex) {
			String action = actionOf(request);
			if (action != null && request.method().equals("POST")) {
				refused(request, action, ex);
			}
			DashboardReply reply = DashboardReply.error(HttpStatus.valueOf(ex.getStatus()), ex.getMessage());
			if (ex.getStatus() == 503) {
				reply.with(HttpHeaders.RETRY_AFTER, "1");
			}
			return (ex instanceof MethodException other) ? reply.with(HttpHeaders.ALLOW, other.allowed) : reply;
		}
		catch (JobStoreException | EnqueueUnconfirmedException ex) {
			logger.debug("Could not answer {}", LogText.plain(request.path()), ErrorText.loggable(ex));
			boolean late = ex instanceof JobStoreException fault && fault.isLate();
			return DashboardReply.error(HttpStatus.SERVICE_UNAVAILABLE,
					late ? String.valueOf(ex.getMessage()) : OUT_OF_REACH);
		}
		catch (RuntimeException ex) {
			logger.error("Could not answer {} of the dashboard", LogText.plain(request.path()), ErrorText.loggable(ex));
			return DashboardReply.error(HttpStatus.INTERNAL_SERVER_ERROR, "Something went wrong. See the log.");
		}
	}

	private static boolean asksForPage(DashboardRequest request) {
		return (request.path().isEmpty() || request.path().equals("/")) && !request.method().equals("POST");
	}

	private void refused(DashboardRequest request, String action, RefusedException refusal) {
		this.audit.record(request.caller().operator(), request.caller().name() != null, new RefusedAction(action,
				Actions.sent(action, request), refusal.getMessage(), refusal.getStatus() == 403));
	}

	/**
	 * Return which action a request is for, or {@code null} if it is for none.
	 */
	private static @Nullable String actionOf(DashboardRequest request) {
		String path = request.path();
		return (path.startsWith("api/") && Wish.ACTIONS.contains(path.substring(4))) ? path.substring(4) : null;
	}

	private DashboardReply route(DashboardUser user) {
		String path = user.request().path();
		String action = actionOf(user.request());
		if (action != null) {
			require(user, "POST");
			return act(action, user);
		}
		require(user, "GET");
		if (path.startsWith("assets/")) {
			return this.page.asset(path.substring(7), user.request());
		}
		return switch (path) {
			case "" -> DashboardReply.of(HttpStatus.FOUND, "text/plain", new byte[0])
				.with(HttpHeaders.LOCATION, this.path.substring(this.path.lastIndexOf('/') + 1) + "/");
			case "/" -> this.page.page(user);
			case "api/overview" -> DashboardReply.json(HttpStatus.OK, this.shared.latest());
			case "api/jobs" -> DashboardReply.json(this.jobs.jobs(user));
			case "api/job" -> DashboardReply.json(this.jobs.job(user));
			case "api/payload" -> this.jobs.payload(user);
			case "api/queues" -> queues(user);
			case "api/queue" -> queue(user);
			case "api/lanes" -> DashboardReply.json(this.jobs.lanes(user));
			case "api/pools" -> DashboardReply.json(this.overview.pools());
			case "api/bulk" -> DashboardReply.json(this.jobs.bulk(user));
			case "api/schedules" -> schedules(user);
			case "api/activity" -> activity(user);
			case "api/dead" -> DashboardReply.json(this.jobs.dead(user));
			case "api/statistics" -> statistics(user);
			case "api/stats" -> DashboardReply.json(this.statistics.stats());
			default -> throw RefusedException.notFound("Not found.");
		};
	}

	private static void require(DashboardUser user, String method) {
		String sent = user.request().method();
		if (!sent.equals(method) && !(sent.equals("HEAD") && method.equals("GET"))) {
			throw new MethodException(method);
		}
	}

	private DashboardReply act(String action, DashboardUser user) {
		requireAction(user);
		if (user.request().body().length > DashboardRequest.LONGEST_BODY) {
			throw new RefusedException(413, "The body is too long.");
		}
		try {
			return DashboardReply.json(RefusedException.orRefused(() -> this.actions.act(action, user)));
		}
		finally {
			this.shared.forget();
			this.statistics.forget();
		}
	}

	private void requireAction(DashboardUser user) {
		if (!user.rights().operate()) {
			throw RefusedException.forbidden("You can view the dashboard, but not act.");
		}
		this.gate.requireOwnPage(user.request());
		if (!user.request().isJson()) {
			throw new RefusedException(415, "The body must be application/json.");
		}
	}

	private DashboardReply schedules(DashboardUser user) {
		String after = user.request().parameter("after");
		return DashboardReply.json(this.overview.schedules((after != null) ? after : ""));
	}

	private DashboardReply queues(DashboardUser user) {
		DashboardRequest request = user.request();
		String name = request.parameter("name");
		int limit = new JobQueryParameters(request::parameter).limit(200);
		return DashboardReply.json(this.overview.queues((name != null) ? name : "", request.parameter("only"),
				request.parameter("sort"), limit));
	}

	private DashboardReply queue(DashboardUser user) {
		String name = user.request().parameter("name");
		if (name == null) {
			throw RefusedException.badRequest("'name' is missing.");
		}
		return DashboardReply.json(this.details.of(name));
	}

	private DashboardReply activity(DashboardUser user) {
		int limit = new JobQueryParameters(user.request()::parameter).limit(50);
		ObjectNode reply = JsonNodeFactory.instance.objectNode();
		this.statistics.activity().put(reply.putArray("notes"), Math.max(1, limit), user.rights().payloads());
		return DashboardReply.json(reply);
	}

	private DashboardReply statistics(DashboardUser user) {
		String range = user.request().parameter("range");
		return DashboardReply
			.json(RefusedException.orBadRequest(() -> this.statistics.of((range != null) ? range : "1h",
					user.request().parameter("queue"), "queue".equals(user.request().parameter("by")))));
	}

	/**
	 * Thrown when a request has the wrong method.
	 */
	private static final class MethodException extends RefusedException {

		private final String allowed;

		MethodException(String allowed) {
			super(405, "Only " + allowed + " is answered here.");
			this.allowed = allowed;
		}

	}

}
