package dev.jobs.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobOperations;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.ScheduleStatus;
import dev.jobs.audit.Audit;
import dev.jobs.dashboard.view.Quantities;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.KnownQueues;
import dev.jobs.store.ErrorText;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpStatus;

/**
 * Carries out the actions of operators.
 */
final class Actions {

	static final Set<String> NAMES = Set.of("retry", "delete", "cancel", "pause", "resume", "limit", "trigger",
			"enqueue");

	private static final Logger logger = LoggerFactory.getLogger(Actions.class);

	private static final int MOST_IDS = 1000;

	/** The ways to select jobs, of which a request has one. */
	private static final Set<String> SELECTIONS = Set.of("ids", "filter", "cause");

	private static final Set<String> FILTER = Set.of("state", "queue", "text", "error", "since", "before", "key",
			"tag");

	private static final int LONGEST_SENT = 500;

	private final JobOperations operations;

	private final JobClient client;

	private final KnownQueues queues;

	private final Audit audit;

	/** Of two fields of one name the last would count, which may not be the one meant. */
	private static final JsonMapper MAPPER = JsonMapper.builder()
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.build();

	Actions(JobOperations operations, JobClient client, KnownQueues queues, Audit audit) {
		this.operations = operations;
		this.client = client;
		this.queues = queues;
		this.audit = audit;
	}

	/**
	 * Carry out an action. One on a job that does not exist is answered with 404, one
	 * that the state of the job does not allow with 409; those on several jobs return how
	 * many they changed.
	 */
	ObjectNode act(String action, DashboardUser user) {
		JsonNode wish = read(user.request().body());
		return switch (action) {
			case "trigger" -> trigger(text(wish, "schedule"), user);
			case "pause", "resume" -> wish.has("schedule") ? onSchedule(action, text(wish, "schedule"), user)
					: onQueue(action, text(wish, "queue"), user);
			case "limit" -> limit(wish, user);
			case "enqueue" -> enqueue(wish, user);
			default -> onJobs(action, wish, user);
		};
	}

	private static JsonNode read(byte[] body) {
		try {
			JsonNode wish = MAPPER.readTree(body);
			if (wish != null && wish.isObject()) {
				return wish;
			}
		}
		catch (JacksonException ex) {
			logger.trace("Not JSON", ErrorText.loggable(ex));
		}
		throw RefusedException.badRequest("The body must be a JSON object, with each field once.");
	}

	private ScheduleStatus known(@Nullable String schedule) {
		return this.operations.schedules()
			.stream()
			.filter((it) -> it.name().equals(schedule))
			.findFirst()
			.orElseThrow(() -> RefusedException.notFound("There is no such schedule."));
	}

	private ObjectNode onSchedule(String action, @Nullable String wanted, DashboardUser user) {
		String schedule = known(wanted).name();
		this.audit.record(user.operator(), action, "schedule " + schedule, () -> {
			if (action.equals("pause")) {
				this.operations.pauseSchedule(schedule);
			}
			else {
				this.operations.resumeSchedule(schedule);
			}
		});
		return counted(1, 1);
	}

	private ObjectNode trigger(@Nullable String wanted, DashboardUser user) {
		ScheduleStatus schedule = known(wanted);
		if (!schedule.definedHere()) {
			throw new RefusedException(HttpStatus.CONFLICT,
					"Another application defines this schedule; only that application can run it.");
		}
		return counted(this.audit.record(user.operator(), "trigger", "schedule " + schedule.name(),
				(changed) -> this.operations.trigger(schedule.name())
					.filter(Enqueued::isNew)
					.map(Enqueued::id)
					.ifPresent(changed)),
				1);
	}

	private ObjectNode onJobs(String action, JsonNode wish, DashboardUser user) {
		if (wish.propertyStream().map(Map.Entry::getKey).filter(SELECTIONS::contains).count() != 1) {
			throw RefusedException.badRequest("Exactly one of 'ids', 'filter' and 'cause' must select the jobs.");
		}
		if (wish.has("ids")) {
			return onJobs(action, ids(wish), user);
		}
		return wish.has("cause") ? onCause(action, wish, user) : onSelection(action, wish, user);
	}

	private static @Nullable String text(JsonNode wish, String field) {
		JsonNode value = wish.get(field);
		return (value != null && value.isValueNode() && !value.isNull())
				? DashboardRequest.requireText(field, value.asString()) : null;
	}

	private static Set<String> ids(JsonNode wish) {
		JsonNode array = wish.get("ids");
		if (!array.isArray() || array.isEmpty() || array.size() > MOST_IDS
				|| !array.valueStream().allMatch(JsonNode::isString)) {
			throw RefusedException.badRequest("'ids' must be 1 to " + MOST_IDS + " texts.");
		}
		return array.valueStream()
			.map((id) -> DashboardRequest.requireText("ids", id.asString()))
			.collect(Collectors.toCollection(LinkedHashSet::new));
	}

	private ObjectNode onQueue(String action, @Nullable String wanted, DashboardUser user) {
		String queue = knownQueue(wanted);
		this.audit.record(user.operator(), action, "queue " + queue, () -> {
			if (action.equals("pause")) {
				this.operations.pause(queue);
			}
			else {
				this.operations.resume(queue);
			}
		});
		return counted(1, 1);
	}

	/**
	 * Return the name of a queue that exists or will, which guards against typos.
	 */
	private String knownQueue(@Nullable String queue) {
		if (queue == null || !this.queues.contains(queue)) {
			throw RefusedException.notFound("There is no such queue, and no handler of that name here.");
		}
		return queue;
	}

	/**
	 * Set the running limit of a queue; without one the limit of the workers holds again.
	 */
	private ObjectNode limit(JsonNode wish, DashboardUser user) {
		JsonNode wanted = wish.get("limit");
		if (wanted == null || !(wanted.isNull() || (wanted.isInt() && wanted.asInt() >= 1))) {
			throw RefusedException.badRequest(
					"'limit' must be a whole number from 1, or null for none. To keep jobs from starting, pause the queue.");
		}
		String queue = knownQueue(text(wish, "queue"));
		this.audit.record(user.operator(), "limit",
				"queue " + queue + (wanted.isNull() ? " to none" : " to " + wanted.asInt()),
				() -> limit(queue, wanted.isNull() ? null : wanted.asInt()));
		return counted(1, 1);
	}

	private void limit(String queue, @Nullable Integer limit) {
		if (limit != null) {
			this.operations.limit(queue, limit);
		}
		else {
			this.operations.removeLimit(queue);
		}
	}

	private ObjectNode onJobs(String action, Set<String> ids, DashboardUser user) {
		Predicate<String> change = change(action);
		String target = Quantities.plural(ids.size(), "job") + " by id";
		int count = this.audit.record(user.operator(), action, target,
				(changed) -> ids.stream().filter(change).forEach(changed));
		if (ids.size() == 1 && count == 0) {
			boolean exists = this.operations.find(ids.iterator().next()).isPresent();
			throw exists ? new RefusedException(HttpStatus.CONFLICT, "The job is not in a state that allows it.")
					: RefusedException.notFound("There is no such job.");
		}
		return counted(count, ids.size());
	}

	private Predicate<String> change(String action) {
		return switch (action) {
			case "retry" -> this.operations::retry;
			case "delete" -> this.operations::delete;
			default -> this.operations::cancel;
		};
	}

	/**
	 * Act on all dead jobs of one cause, also those that {@link JobOperations#deaths}
	 * does not look at.
	 */
	private ObjectNode onCause(String action, JsonNode wish, DashboardUser user) {
		String cause = text(wish, "cause");
		String queue = blankToNull(text(wish, "queue"));
		JobFilter filter = JobFilter.all().states(JobState.DEAD).name(queue);
		String error = JobQueries.nameOf(cause, this.operations.deaths(filter));
		return onFound(action, JobSearch.of(filter, null, String.valueOf(cause)),
				"all jobs " + ((queue != null) ? "of " + queue + " " : "") + "that died of " + error, user);
	}

	private ObjectNode onFound(String action, JobSearch search, String target, DashboardUser user) {
		Predicate<String> change = change(action);
		AtomicInteger found = new AtomicInteger();
		int count = this.audit.record(user.operator(), action, target,
				(changed) -> search.forEach(this.operations, (job) -> {
					found.incrementAndGet();
					if (change.test(job.id())) {
						changed.accept(job.id());
					}
				}));
		return counted(count, found.get());
	}

	private ObjectNode onSelection(String action, JsonNode wish, DashboardUser user) {
		JsonNode fields = wish.get("filter");
		if (fields == null || !fields.isObject()) {
			throw RefusedException.badRequest("'filter' must be a JSON object.");
		}
		if (!fields.propertyStream().allMatch(Actions::isOfFilter)) {
			throw RefusedException
				.badRequest("'filter' takes state, queue, text, error, since, before, key and tag, all of them texts.");
		}
		JobFilter filter = new JobQueryParameters((field) -> text(fields, field), RefusedException::badRequest)
			.filter();
		user.requireSearchable(filter);
		requireSelective(action, filter);
		String error = blankToNull(text(fields, "error"));
		if (error != null) {
			return onFound(action, JobSearch.of(filter, error, null), "all jobs of " + fields, user);
		}
		int count = this.audit.record(user.operator(), action, "all jobs of " + fields, (changed) -> {
			switch (action) {
				case "retry" -> this.operations.retryAll(filter, changed);
				case "delete" -> this.operations.deleteAll(filter, changed);
				default -> this.operations.cancelAll(filter, changed);
			}
		});
		return counted(count, count);
	}

	private static void requireSelective(String action, JobFilter filter) {
		if (action.equals("retry") && !filter.getStates().equals(Set.of(JobState.DEAD))) {
			throw RefusedException.badRequest("Only dead jobs are retried all at once: 'state' must be dead.");
		}
		if (action.equals("delete") && filter.getStates().isEmpty()) {
			throw RefusedException.badRequest("'state' must select the jobs to be deleted, such as dead.");
		}
		if (action.equals("cancel") && filter.equals(JobFilter.all())) {
			throw RefusedException
				.badRequest("'filter' must select the jobs to be cancelled, such as those of a 'queue'.");
		}
	}

	/**
	 * A field that is not known, or not a text, would select more than is meant.
	 */
	private static boolean isOfFilter(Map.Entry<String, JsonNode> field) {
		return FILTER.contains(field.getKey()) && field.getValue().isString();
	}

	private static @Nullable String blankToNull(@Nullable String value) {
		return (value != null && !value.isBlank()) ? value : null;
	}

	private static ObjectNode counted(int count, int wanted) {
		return JsonNodeFactory.instance.objectNode().put("count", count).put("of", wanted);
	}

	/**
	 * Enqueue a job like one that there is, with its headers and tags and with another
	 * payload. It is a job of its own, which has all its attempts and no unique key but
	 * that of its handler.
	 */
	private ObjectNode enqueue(JsonNode wish, DashboardUser user) {
		if (!user.rights().payloads()) {
			throw new RefusedException(HttpStatus.FORBIDDEN,
					"Only users with the right to see payloads can enqueue a job again, since they edit its payload.");
		}
		String id = text(wish, "id");
		Job job = this.operations.find(String.valueOf(id))
			.orElseThrow(() -> RefusedException.notFound("There is no such job."));
		JsonNode payload = wish.get("payload");
		if (payload == null || !payload.isString()) {
			throw RefusedException.badRequest("'payload' must be a text.");
		}
		byte[] bytes = payload.asString().getBytes(StandardCharsets.UTF_8);
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

	/** A copy is not of the tick of a schedule. */
	private static boolean isCopied(String header) {
		return header.equals(Job.TAGS_HEADER) || !header.startsWith("jobs.");
	}

	private ObjectNode enqueue(JobRequest request, Job job, DashboardUser user) {
		AtomicReference<String> id = new AtomicReference<>();
		int count = this.audit.record(user.operator(), "enqueue", "a copy of job " + job.id(), (changed) -> {
			Enqueued enqueued = enqueue(request);
			id.set(enqueued.id());
			if (enqueued.isNew()) {
				changed.accept(enqueued.id());
			}
		});
		return counted(count, 1).put("id", id.get());
	}

	private Enqueued enqueue(JobRequest request) {
		try {
			return this.client.enqueue(request);
		}
		catch (IllegalArgumentException ex) {
			throw RefusedException.badRequest(ex.getMessage() + ".");
		}
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
	 * Return the beginning of what was sent with an action, without a payload.
	 */
	static String sent(String action, DashboardRequest request) {
		if (action.equals("enqueue")) {
			return "a payload of " + request.body().length + " bytes with its job";
		}
		byte[] body = request.body();
		return new String(body, 0, Math.min(body.length, LONGEST_SENT), StandardCharsets.UTF_8);
	}

}
