package dev.jobs.dashboard;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

import dev.jobs.Deaths;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.PageRequest;
import dev.jobs.dashboard.view.Activity;
import dev.jobs.dashboard.view.JobJson;
import dev.jobs.dashboard.view.Quantities;
import dev.jobs.dashboard.view.WaitReasonText;
import dev.jobs.json.Views;
import dev.jobs.operations.JobOperations;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.RefusedException;
import dev.jobs.query.Turnstile;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;

/**
 * Answers queries for jobs: lists, single jobs, and causes of death.
 */
final class JobQueries {

	private static final int MOST_CAUSES = 200;

	private static final int MOST_QUEUES = 20;

	private static final int PAGE = 50;

	private static final int LARGEST_PAGE = 200;

	/**
	 * The highest exact count; more digits would not be read, and counting would take too
	 * long.
	 */
	private static final int COUNTED_UP_TO = 10_000;

	/** How many bars show the times of death of a group. */
	private static final int BARS = 24;

	private static final Duration SHORTEST_TIME = Duration.ofMinutes(BARS);

	private final JobOperations operations;

	private final InstantSource clock;

	private final Turnstile turnstile = new Turnstile();

	private final ToIntFunction<String> maxAttempts;

	/**
	 * Create the queries.
	 * @param operations the operations to query
	 * @param clock the time
	 * @param maxAttempts returns how many attempts the jobs of a name have, 0 if that is
	 * not known
	 */
	JobQueries(JobOperations operations, InstantSource clock, ToIntFunction<String> maxAttempts) {
		this.operations = operations;
		this.clock = clock;
		this.maxAttempts = maxAttempts;
	}

	ObjectNode jobs(DashboardUser user) {
		JobQueryParameters query = new JobQueryParameters(user.request()::parameter);
		user.requireSearchable(query.filter());
		JobSearch search = JobSearch.of(query.filter(), user.request().parameter("error"),
				user.request().parameter("cause"));
		PageRequest request = query.page(Math.min(Math.max(query.limit(PAGE), 1), LARGEST_PAGE));
		return this.turnstile.pass(search.isCounted() ? "lists" : "searches",
				() -> jobs(search, request, user.rights().payloads()));
	}

	private ObjectNode jobs(JobSearch search, PageRequest request, boolean payloads) {
		JobPage found = RefusedException.orBadRequest(() -> search.page(this.operations, request));
		return Views.page(found, (job) -> row(job, payloads), (request.after() != null || !search.isCounted()) ? null
				: () -> this.operations.jobs(search.filter()).count(COUNTED_UP_TO));
	}

	private ObjectNode row(Job job, boolean payloads) {
		return withMaxAttempts(JobJson.row(job, payloads), job);
	}

	private ObjectNode withMaxAttempts(ObjectNode node, Job job) {
		int most = this.maxAttempts.applyAsInt(job.name());
		return (most > 0) ? node.put("maxAttempts", most) : node;
	}

	/**
	 * Return the busiest lanes of a queue, and those with settings.
	 */
	ObjectNode lanes(DashboardUser user) {
		String queue = user.request().parameter("queue");
		if (queue == null) {
			throw RefusedException.badRequest("'queue' is missing.");
		}
		return this.turnstile.pass("lanes", () -> Views.lanes(this.operations.queue(queue), PAGE));
	}

	ObjectNode job(DashboardUser user) {
		String id = requiredId(user);
		return this.turnstile.pass("details", () -> job(id, user));
	}

	private ObjectNode job(String id, DashboardUser user) {
		Job job = this.operations.job(id).find().orElse(null);
		if (job == null && "true".equals(user.request().parameter("optional"))) {
			return Views.object();
		}
		if (job == null) {
			throw RefusedException.notFound("There is no such job.");
		}
		ObjectNode full = JobJson.full(job, user.rights().payloads());
		JobJson.putSteps(full, this.operations.job(id).steps(), user.rights().payloads());
		return withMaxAttempts(full, job).put("why",
				WaitReasonText.of(job, false, this.operations, this.clock.instant()));
	}

	/**
	 * Return the whole payload of a job, as a file.
	 */
	DashboardReply payload(DashboardUser user) {
		if (!user.rights().payloads()) {
			throw RefusedException.forbidden("You do not have the right to see payloads.");
		}
		String id = requiredId(user);
		Job job = this.turnstile.pass("details", () -> this.operations.job(id).find())
			.orElseThrow(() -> RefusedException.notFound("There is no such job."));
		return DashboardReply.of(HttpStatus.OK, "application/octet-stream", job.payload())
			.with(HttpHeaders.CONTENT_DISPOSITION,
					ContentDisposition.attachment().filename(job.id() + ".payload").build().toString());
	}

	private static String requiredId(DashboardUser user) {
		String id = user.request().parameter("id");
		if (id == null) {
			throw RefusedException.badRequest("'id' is missing.");
		}
		return id;
	}

	/**
	 * Return the bulk actions, the latest first.
	 */
	ObjectNode bulk(DashboardUser user) {
		ObjectNode reply = Views.object();
		Views.put(reply, "bulk", this.turnstile.pass("bulk actions", this.operations::bulkActions),
				(bulk) -> Views.bulk(bulk, user.rights().payloads()));
		return reply;
	}

	/**
	 * Return dead jobs by their cause of death, all groups or one. They cover the jobs
	 * that died last, with their number and whether these are all.
	 */
	ObjectNode dead(DashboardUser user) {
		JobFilter filter = JobSearch.dead(user.request().parameter("queue"));
		String wanted = user.request().parameter("cause");
		return this.turnstile.pass("groups", () -> dead(filter, wanted));
	}

	private ObjectNode dead(JobFilter filter, @Nullable String wanted) {
		Deaths deaths = this.operations.jobs(filter).deaths();
		Instant now = this.clock.instant();
		Instant since = since(deaths, now);
		ObjectNode reply = Views.object()
			.put("searched", deaths.searched())
			.put("complete", deaths.complete())
			.put("since", since.toString())
			.put("until", now.toString())
			.put("causeCount", deaths.causes().size());
		reply.set("count", Views.of(deaths.complete() ? JobCount.exactly(deaths.searched())
				: this.operations.jobs(filter).count(COUNTED_UP_TO)));
		// A user who has just resolved a cause must see that, whichever process answers.
		Activity activity = new Activity(this.operations.store().notes());
		Views.put(reply, "causes",
				deaths.causes()
					.stream()
					.filter((cause) -> wanted == null || cause.id().equals(wanted))
					.limit(MOST_CAUSES)
					.toList(),
				(cause) -> cause(cause, activity, since, now));
		return reply;
	}

	/**
	 * Return the common start of all groups' bars, so that they can be compared.
	 */
	private static Instant since(Deaths deaths, Instant now) {
		Instant latest = now.minus(SHORTEST_TIME);
		return deaths.causes()
			.stream()
			.flatMap((cause) -> cause.times().stream())
			.min(Instant::compareTo)
			.filter(latest::isAfter)
			.orElse(latest);
	}

	private static ObjectNode cause(Deaths.Cause cause, Activity activity, Instant since, Instant now) {
		ObjectNode node = Views.of(cause).put("queueCount", cause.queues().size());
		node.set("latest", JobJson.row(cause.latest(), false));
		ObjectNode queues = node.putObject("queues");
		cause.queues()
			.entrySet()
			.stream()
			.sorted(Map.Entry.<String, Long>comparingByValue().reversed())
			.limit(MOST_QUEUES)
			.forEach((entry) -> queues.put(entry.getKey(), entry.getValue()));
		List<Instant> times = cause.times();
		if (!times.isEmpty()) {
			put(node, "first", times.get(times.size() - 1), activity);
			put(node, "last", times.get(0), activity);
		}
		Views.put(node, "resolvedAt", activity.resolvedAt(cause.id()));
		ArrayNode bars = node.putArray("bars");
		for (int count : bars(times, since, now)) {
			bars.add(count);
		}
		return node;
	}

	private static void put(ObjectNode node, String which, Instant died, Activity activity) {
		Views.put(node, which + "Died", died);
		Views.put(node, which + "Version", activity.versionAt(died));
	}

	private static int[] bars(List<Instant> times, Instant since, Instant now) {
		int[] bars = new int[BARS];
		double all = Math.max(0.001, Quantities.seconds(Duration.between(since, now)));
		for (Instant time : times) {
			long bar = (long) (Quantities.seconds(Duration.between(since, time)) * BARS / all);
			bars[(int) Math.max(0, Math.min(bar, BARS - 1))]++;
		}
		return bars;
	}

	/**
	 * Return the name of a cause of death, or {@code null} if no job died of it lately.
	 */
	static @Nullable String nameOf(String cause, Deaths deaths) {
		return deaths.causes()
			.stream()
			.filter((it) -> it.id().equals(cause))
			.map(Deaths.Cause::error)
			.findFirst()
			.orElse(null);
	}

}
