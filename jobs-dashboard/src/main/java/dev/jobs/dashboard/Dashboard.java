package dev.jobs.dashboard;

import java.time.InstantSource;
import java.util.Map;

import dev.jobs.Deaths;
import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobOperations;
import dev.jobs.JobPage;
import dev.jobs.JobRejectedException;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.audit.Audit;
import dev.jobs.query.JobQuery;
import dev.jobs.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Answers every request to the dashboard: the page, its files, what it reads below
 * {@code api/} and its acts there. All of it is closed to whom the {@link Gate} does not
 * let in.
 */
final class Dashboard {

	static final String OUT_OF_REACH = "The store is out of reach.";

	private static final Logger logger = LoggerFactory.getLogger(Dashboard.class);

	private static final Map<String, String> SAFETY = Map.of("X-Content-Type-Options", "nosniff", "Referrer-Policy",
			"no-referrer", "X-Frame-Options", "DENY", "Cross-Origin-Resource-Policy", "same-origin",
			"Cross-Origin-Opener-Policy", "same-origin");

	private static final int MOST_GROUPS = 200;

	private static final int PAGE = 50;

	private static final int LARGEST_PAGE = 200;

	/** Nobody reads more digits, and nobody waits for them. */
	private static final int COUNTED_UP_TO = 10_000;

	private static final String NO_CONTENT = "default-src 'none'; frame-ancestors 'none'";

	private final String folder;

	private final Gate gate;

	private final Page page = new Page();

	private final JobOperations operations;

	private final InstantSource clock;

	private final Sampler sampler;

	private final Overview overview;

	private final History history;

	private final Acts acts;

	private final Audit audit;

	/**
	 * Create a dashboard.
	 * @param path where it is; a redirect says no more than the last part of it, so that
	 * it holds behind a proxy that puts something in front
	 * @param gate who gets in
	 * @param operations what there is to see
	 * @param clock the time
	 * @param sampler how things stand, for many pages
	 * @param overview how things stand
	 * @param history how they stood
	 * @param acts what can be done
	 * @param audit who hears of what could not
	 */
	Dashboard(String path, Gate gate, JobOperations operations, InstantSource clock, Sampler sampler, Overview overview,
			History history, Acts acts, Audit audit) {
		this.folder = path.substring(path.lastIndexOf('/') + 1) + "/";
		this.gate = gate;
		this.operations = operations;
		this.clock = clock;
		this.sampler = sampler;
		this.overview = overview;
		this.history = history;
		this.acts = acts;
		this.audit = audit;
	}

	Sampler sampler() {
		return this.sampler;
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
			Visitor visitor = new Visitor(request, this.gate.rights(request));
			if (!visitor.rights().view()) {
				throw new RefusedException(HttpStatus.FORBIDDEN, "You may not see the dashboard.");
			}
			if (request.body().length > DashboardRequest.LONGEST_BODY) {
				throw new RefusedException(HttpStatus.CONTENT_TOO_LARGE, "The body is too long.");
			}
			return route(visitor);
		}
		catch (RefusedException ex) {
			String act = act(request);
			if (act != null && request.method().equals("POST")) {
				refused(request, act, ex);
			}
			DashboardReply reply = DashboardReply.error(ex.getStatus(), ex.getMessage());
			return (ex instanceof MethodException other) ? reply.with(HttpHeaders.ALLOW, other.allowed) : reply;
		}
		catch (JobStoreException | EnqueueUnconfirmedException ex) {
			logger.debug("Could not answer {}", Audit.plain(request.path()), ErrorText.loggable(ex));
			return DashboardReply.error(HttpStatus.SERVICE_UNAVAILABLE, OUT_OF_REACH);
		}
		catch (RuntimeException ex) {
			logger.error("Could not answer {} of the dashboard", Audit.plain(request.path()), ErrorText.loggable(ex));
			return DashboardReply.error(HttpStatus.INTERNAL_SERVER_ERROR, "Something went wrong. The log tells more.");
		}
	}

	private void refused(DashboardRequest request, String act, RefusedException refusal) {
		this.audit.tell(request.caller().operator(), request.caller().name() != null, new Audit.Refused(act,
				Acts.told(request), refusal.getMessage(), refusal.getStatus() == HttpStatus.FORBIDDEN));
	}

	/**
	 * Return which act a request is for, or {@code null} if it is for none.
	 */
	private static @Nullable String act(DashboardRequest request) {
		String path = request.path();
		return (path.startsWith("api/") && Acts.NAMES.contains(path.substring(4))) ? path.substring(4) : null;
	}

	private DashboardReply route(Visitor visitor) {
		String path = visitor.request().path();
		String act = act(visitor.request());
		if (act != null) {
			require(visitor, "POST");
			return act(act, visitor);
		}
		require(visitor, "GET");
		if (path.startsWith("assets/")) {
			return this.page.asset(path.substring(7), visitor.request());
		}
		return switch (path) {
			case "" ->
				DashboardReply.of(HttpStatus.FOUND, "text/plain", new byte[0]).with(HttpHeaders.LOCATION, this.folder);
			case "/" -> this.page.page(visitor);
			case "api/overview" -> DashboardReply.json(HttpStatus.OK, this.sampler.latest());
			case "api/stream" -> visitor.request().method().equals("GET") ? DashboardReply.events()
					: DashboardReply.json(HttpStatus.OK, "");
			case "api/jobs" -> jobs(visitor);
			case "api/job" -> job(visitor);
			case "api/queues" -> queues(visitor);
			case "api/schedules" -> DashboardReply.json(this.overview.schedules());
			case "api/dead" -> dead(visitor);
			case "api/history" -> history(visitor);
			case "api/stats" -> DashboardReply.json(this.history.stats());
			default -> throw RefusedException.notFound("There is nothing here.");
		};
	}

	private static void require(Visitor visitor, String method) {
		String sent = visitor.request().method();
		if (!sent.equals(method) && !(sent.equals("HEAD") && method.equals("GET"))) {
			throw new MethodException(method);
		}
	}

	private DashboardReply act(String act, Visitor visitor) {
		try {
			if (!visitor.rights().operate()) {
				throw new RefusedException(HttpStatus.FORBIDDEN, "You may look, but not act.");
			}
			this.gate.requireOwnPage(visitor.request());
			return DashboardReply.json(this.acts.act(act, visitor));
		}
		catch (JobRejectedException ex) {
			throw new RefusedException(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
		}
	}

	private DashboardReply jobs(Visitor visitor) {
		JobQuery query = new JobQuery(visitor.request()::parameter, RefusedException::badRequest);
		JobFilter filter = query.filter();
		requireSearchable(filter, visitor);
		PageRequest request = query.page(Math.min(Math.max(query.limit(PAGE), 1), LARGEST_PAGE));
		ObjectNode reply = JsonNodeFactory.instance.objectNode();
		ArrayNode jobs = reply.putArray("jobs");
		JobPage found = page(filter, request);
		found.jobs().forEach((job) -> jobs.add(JobJson.row(job, visitor.rights().payloads())));
		reply.put("next", found.next());
		if (request.after() == null && filter.getText() == null) {
			putCount(reply, (found.next() == null) ? JobCount.exactly(found.jobs().size())
					: this.operations.count(filter, COUNTED_UP_TO));
		}
		return DashboardReply.json(reply);
	}

	private JobPage page(JobFilter filter, PageRequest request) {
		try {
			return this.operations.page(filter, request);
		}
		catch (IllegalArgumentException ex) {
			throw RefusedException.badRequest(String.valueOf(ex.getMessage()));
		}
	}

	private static void putCount(ObjectNode reply, JobCount count) {
		reply.put("count", count.number()).put("exact", count.exact());
	}

	/**
	 * Whoever may not see payloads may not find out either what they contain.
	 */
	static void requireSearchable(JobFilter filter, Visitor visitor) {
		if ((filter.getText() != null || filter.getKey() != null) && !visitor.rights().payloads()) {
			throw new RefusedException(HttpStatus.FORBIDDEN, "Only those who may see payloads may search by text, "
					+ "which looks into them, or by a unique key, which is made of them.");
		}
	}

	private DashboardReply job(Visitor visitor) {
		String id = visitor.request().parameter("id");
		if (id == null) {
			throw RefusedException.badRequest("'id' is missing.");
		}
		Job job = this.operations.find(id).orElseThrow(() -> RefusedException.notFound("There is no such job."));
		ObjectNode full = JobJson.full(job, visitor.rights().payloads());
		return DashboardReply.json(full.put("why", Why.of(job, this.operations, this.clock.instant())));
	}

	private DashboardReply queues(Visitor visitor) {
		String name = visitor.request().parameter("name");
		return DashboardReply.json(this.overview.queues((name != null) ? name : ""));
	}

	private DashboardReply dead(Visitor visitor) {
		JobFilter filter = JobFilter.all().states(JobState.DEAD);
		String queue = visitor.request().parameter("queue");
		filter = (queue != null) ? filter.name(queue) : filter;
		Deaths deaths = this.operations.deaths(filter);
		ObjectNode reply = JsonNodeFactory.instance.objectNode()
			.put("searched", deaths.searched())
			.put("complete", deaths.complete());
		putCount(reply,
				deaths.complete() ? JobCount.exactly(deaths.searched()) : this.operations.count(filter, COUNTED_UP_TO));
		ArrayNode groups = reply.putArray("groups");
		deaths.causes()
			.stream()
			.limit(MOST_GROUPS)
			.forEach((cause) -> groups.addObject()
				.put("error", cause.error())
				.put("count", cause.count())
				.set("latest", JobJson.row(cause.latest(), false)));
		return DashboardReply.json(reply);
	}

	private DashboardReply history(Visitor visitor) {
		String range = visitor.request().parameter("range");
		return DashboardReply
			.json(this.history.of((range != null) ? range : "1h", visitor.request().parameter("queue")));
	}

	/**
	 * Thrown when a request has the wrong method.
	 */
	private static final class MethodException extends RefusedException {

		private final String allowed;

		MethodException(String allowed) {
			super(HttpStatus.METHOD_NOT_ALLOWED, "Only " + allowed + " is answered here.");
			this.allowed = allowed;
		}

	}

}
