package dev.jobs.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import dev.jobs.BulkStatus;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobRequest;
import dev.jobs.Signal;
import dev.jobs.audit.LogText;
import dev.jobs.audit.RecordedActions;
import dev.jobs.dashboard.view.Activity;
import dev.jobs.dashboard.view.Quantities;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.operations.SelectionOperations;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.RefusedException;
import dev.jobs.query.SentSchedule;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Carries out the actions of operators.
 */
record Actions(JobOperations operations, JobClient client, RecordedActions recorded) {

	private static final int LONGEST_SENT = 500;

	/** Workers change more jobs in the background. */
	private static final int MOST_AT_ONCE = 1000;

	/** Workers do these in the background however few jobs are selected. */
	private static final Set<String> ONLY_STARTED = Set.of("reschedule", "move");

	/**
	 * Carry out an action. On a job that does not exist the answer is 404, in a state
	 * that does not allow it 409. Actions on several jobs return how many they changed,
	 * or the bulk action that they started since there are very many.
	 */
	ObjectNode act(String action, DashboardUser user) {
		Wish wish = Wish.of(action, user.request().body());
		return switch (action) {
			case "trigger" -> trigger(wish.required("schedule"), user);
			case "pause", "resume", "quiet", "stop", "drop", "limit", "weight", "attempts", "concurrency" ->
				on(action, wish, user);
			case "put" -> put(wish.required("schedule"), wish, user);
			case "rate", "lanes-rate" -> {
				this.recorded.onRate(user.operator(), action, wish.required("queue"), wish.textOrNull("rate"));
				yield counted(1, 1);
			}
			case "enqueue" -> enqueue(wish, user);
			case "forget-step" -> {
				this.recorded.forgetStep(user.operator(), wish.required("id"), wish.required("step"));
				yield counted(1, 1);
			}
			case "send-signal" -> {
				Signal.Sent sent = this.recorded.sendSignal(user.operator(), wish.required("id"),
						wish.textOrEmpty("value"));
				yield counted((sent != Signal.Sent.ALREADY) ? 1 : 0, 1).put("sent", sent.name());
			}
			case "resolve", "reopen" -> resolve(action, wish.required("cause"), wish.text("queue"), user);
			default -> onJobs(action, wish, user);
		};
	}

	/**
	 * Act on one thing. If a number is to be set and none is sent, the workers' number
	 * applies again.
	 */
	private ObjectNode on(String action, Wish wish, DashboardUser user) {
		String kind = wish.only("queue", "pool", "worker", "schedule", "bulk");
		this.recorded.on(user.operator(), action, kind, wish.required(kind), wish.text("lane"),
				RecordedActions.NUMBERS.contains(action) ? wish.number(action) : null);
		return counted(1, 1);
	}

	/**
	 * Create or change a schedule. What is not sent stays as it is.
	 */
	private ObjectNode put(String schedule, Wish wish, DashboardUser user) {
		if (wish.has("payload") && !user.rights().payloads()) {
			throw RefusedException.forbidden("Only users with the right to see payloads can set that of a schedule.");
		}
		ScheduleOperations.Put done = this.recorded.put(user.operator(), schedule,
				wish.without("schedule", "payload") + (wish.has("payload") ? " and a payload" : ""),
				new SentSchedule(schedule, wish::text).request(this.operations.schedule(schedule)));
		return counted((done != ScheduleOperations.Put.UNCHANGED) ? 1 : 0, 1).put("outcome", done.name());
	}

	/**
	 * Record that a cause of death is resolved, or reopened. Nothing but the note is
	 * stored.
	 */
	private ObjectNode resolve(String action, String cause, @Nullable String queue, DashboardUser user) {
		String error = nameOf(cause, JobSearch.of(JobSearch.dead(queue), null, cause));
		this.recorded.audit().record(user.operator(), action, Activity.cause(cause, error));
		return counted(1, 1);
	}

	/**
	 * Return the name of a cause of death, or its id if none of the jobs that
	 * {@link SelectionOperations#deaths} reads died of it.
	 */
	private String nameOf(String cause, JobSearch search) {
		String error = JobQueries.nameOf(cause, this.operations.jobs(search.filter()).deaths());
		if (error == null && !search.findsAny(this.operations)) {
			throw RefusedException.notFound("There is no dead job with this cause, or no longer.");
		}
		return (error != null) ? error : cause;
	}

	private ObjectNode trigger(String schedule, DashboardUser user) {
		return counted(this.recorded.trigger(user.operator(), schedule).isNew() ? 1 : 0, 1);
	}

	private ObjectNode onJobs(String action, Wish wish, DashboardUser user) {
		String selection = wish.only("ids", "filter", "cause");
		if (wish.has("queue") && !selection.equals("cause")) {
			throw RefusedException.badRequest("'queue' belongs to 'cause'. In 'filter' it has a place of its own.");
		}
		return switch (selection) {
			case "ids" -> onIds(action, wish, user);
			case "cause" -> onCause(action, wish, user);
			default -> onSelection(action, wish, user);
		};
	}

	private ObjectNode onIds(String action, Wish wish, DashboardUser user) {
		Set<String> ids = wish.ids();
		int count = this.recorded.onJobs(user.operator(), action, Quantities.plural(ids.size(), "job") + " by id",
				wish.time("dueAt"), wish.textOrEmpty("toLane"), ids::forEach);
		if (ids.size() == 1 && count == 0) {
			boolean exists = this.operations.job(ids.iterator().next()).find().isPresent();
			throw exists ? RefusedException.conflict("The job is not in a state that allows it.")
					: RefusedException.notFound("There is no such job.");
		}
		return counted(count, ids.size());
	}

	/**
	 * Act on all dead jobs of one cause.
	 */
	private ObjectNode onCause(String action, Wish wish, DashboardUser user) {
		String cause = wish.required("cause");
		String queue = wish.text("queue");
		JobSearch search = JobSearch.of(JobSearch.dead(queue), null, cause);
		return onFound(action, wish, search, "all jobs " + ((queue != null) ? "of " + LogText.quoted(queue) + " " : "")
				+ "that died of " + LogText.quoted(nameOf(cause, search)), user);
	}

	/**
	 * Act on jobs as they are found. One that is due earlier then may be found again.
	 */
	private ObjectNode onFound(String action, Wish wish, JobSearch search, String target, DashboardUser user) {
		Set<String> found = new HashSet<>();
		int count = this.recorded.onJobs(user.operator(), action, target, wish.time("dueAt"),
				wish.textOrEmpty("toLane"), (jobs) -> search.forEach(this.operations, (job) -> {
					if (found.add(job.id())) {
						jobs.accept(job.id());
					}
				}));
		return counted(count, found.size());
	}

	private ObjectNode onSelection(String action, Wish wish, DashboardUser user) {
		Wish fields = wish.filter();
		JobFilter filter = new JobQueryParameters(fields::text).filter();
		user.requireSearchable(filter);
		String error = fields.text("error");
		if (error != null) {
			if (action.equals("delete") && filter.getStates().isEmpty()) {
				throw RefusedException.badRequest("'state' must select the jobs to be deleted, such as dead.");
			}
			return onFound(action, wish, JobSearch.of(filter, error, null), "all jobs of " + fields, user);
		}
		String target = "all jobs of " + fields;
		if (ONLY_STARTED.contains(action) || !this.operations.jobs(filter).count(MOST_AT_ONCE).exact()) {
			BulkStatus started = this.recorded.start(user.operator(), action, target, filter, wish.time("dueAt"),
					wish.textOrEmpty("toLane"));
			return counted(0, (int) Math.min(started.total().estimate(), Integer.MAX_VALUE)).put("bulk", started.id());
		}
		int count = this.recorded.onSelection(user.operator(), action, target, filter);
		return counted(count, count);
	}

	private static ObjectNode counted(int count, int wanted) {
		return JsonNodeFactory.instance.objectNode().put("count", count).put("of", wanted);
	}

	/**
	 * Enqueue a copy of a job with its headers and tags and another payload. The copy is
	 * a new job with all its attempts, and only the unique key of its handler.
	 */
	private ObjectNode enqueue(Wish wish, DashboardUser user) {
		if (!user.rights().payloads()) {
			throw RefusedException.forbidden(
					"Only users with the right to see payloads can enqueue a job again, since they edit its payload.");
		}
		byte[] bytes = wish.anyText("payload").getBytes(StandardCharsets.UTF_8);
		Job job = this.operations.job(wish.required("id"))
			.find()
			.orElseThrow(() -> RefusedException.notFound("There is no such job."));
		if (isJson(job.payload()) && !isJson(bytes)) {
			throw RefusedException.badRequest("The payload is JSON, so what replaces it must be JSON too.");
		}
		JobRequest request = JobRequest.named(job.name()).payload((bytes.length > 0) ? bytes : null);
		for (Map.Entry<String, String> header : job.headers().entrySet()) {
			if (isCopied(header.getKey())) {
				request = request.header(header.getKey(), header.getValue());
			}
		}
		return enqueue(request, job, user);
	}

	/**
	 * A copy does not belong to the tick of a schedule, and does not expire as the job
	 * did.
	 */
	private static boolean isCopied(String header) {
		return header.equals(Job.TAGS_HEADER) || header.equals(Job.LANE_HEADER) || header.equals(Job.URGENCY_HEADER)
				|| !header.startsWith("jobs.");
	}

	private ObjectNode enqueue(JobRequest request, Job job, DashboardUser user) {
		Enqueued enqueued = this.recorded.enqueue(user.operator(), "enqueue",
				"a copy of job " + LogText.quoted(job.id()), () -> this.client.enqueue(request));
		return counted(enqueued.isNew() ? 1 : 0, 1).put("id", enqueued.id());
	}

	private static boolean isJson(byte[] payload) {
		try {
			return payload.length > 0 && !JsonMapper.shared().readTree(payload).isMissingNode();
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	/**
	 * Return the beginning of an action's body, without a payload. It is empty if the
	 * action was refused before its body was read.
	 */
	static String sent(String action, DashboardRequest request) {
		byte[] body = request.body();
		if (Set.of("enqueue", "put", "send-signal").contains(action) && body.length > 0) {
			return body.length + " bytes with a payload";
		}
		return new String(body, 0, Math.min(body.length, LONGEST_SENT), StandardCharsets.UTF_8);
	}

}
