package dev.jobs.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobClient;
import dev.jobs.JobFilter;
import dev.jobs.JobOperations;
import dev.jobs.JobRequest;
import dev.jobs.JobState;
import dev.jobs.ScheduleStatus;
import dev.jobs.audit.Audit;
import dev.jobs.audit.LogText;
import dev.jobs.dashboard.view.Quantities;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.KnownQueues;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.http.HttpStatus;

/**
 * Carries out the actions of operators.
 */
final class Actions {

	private static final int LONGEST_SENT = 500;

	private final JobOperations operations;

	private final JobClient client;

	private final KnownQueues queues;

	private final Audit audit;

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
		Wish wish = Wish.of(action, user.request().body());
		return switch (action) {
			case "trigger" -> trigger(wish.required("schedule"), user);
			case "pause", "resume" -> pause(action, wish, user);
			case "limit" -> limit(wish, user);
			case "enqueue" -> enqueue(wish, user);
			default -> onJobs(action, wish, user);
		};
	}

	private ObjectNode pause(String action, Wish wish, DashboardUser user) {
		String kind = wish.only("queue", "schedule");
		String name = wish.required(kind);
		return kind.equals("queue") ? onQueue(action, name, user) : onSchedule(action, name, user);
	}

	private ScheduleStatus known(String schedule) {
		return this.operations.schedules()
			.stream()
			.filter((it) -> it.name().equals(schedule))
			.findFirst()
			.orElseThrow(() -> RefusedException.notFound("There is no such schedule."));
	}

	private ObjectNode onSchedule(String action, String wanted, DashboardUser user) {
		String schedule = possible(known(wanted).name());
		this.audit.record(user.operator(), action, "schedule " + LogText.quoted(schedule), () -> {
			if (action.equals("pause")) {
				this.operations.pauseSchedule(schedule);
			}
			else {
				this.operations.resumeSchedule(schedule);
			}
		});
		return counted(1, 1);
	}

	private ObjectNode trigger(String wanted, DashboardUser user) {
		ScheduleStatus schedule = known(wanted);
		if (!schedule.definedHere()) {
			throw new RefusedException(HttpStatus.CONFLICT,
					"Another application defines this schedule; only that application can run it.");
		}
		return counted(this.audit.record(user.operator(), "trigger", "schedule " + LogText.quoted(schedule.name()),
				(changed) -> this.operations.trigger(schedule.name())
					.filter(Enqueued::isNew)
					.map(Enqueued::id)
					.ifPresent(changed)),
				1);
	}

	private ObjectNode onJobs(String action, Wish wish, DashboardUser user) {
		String selection = wish.only("ids", "filter", "cause");
		if (wish.has("queue") && !selection.equals("cause")) {
			throw RefusedException.badRequest("'queue' belongs to 'cause'. In 'filter' it has a place of its own.");
		}
		return switch (selection) {
			case "ids" -> onJobs(action, wish.ids(), user);
			case "cause" -> onCause(action, wish.required("cause"), wish.text("queue"), user);
			default -> onSelection(action, wish.filter(), user);
		};
	}

	private ObjectNode onQueue(String action, String wanted, DashboardUser user) {
		String queue = knownQueue(wanted);
		this.audit.record(user.operator(), action, "queue " + LogText.quoted(queue), () -> {
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
	private String knownQueue(String queue) {
		if (!this.queues.contains(queue)) {
			throw RefusedException.notFound("There is no such queue, and no handler of that name here.");
		}
		return possible(queue);
	}

	private static String possible(String name) {
		String problem = KnownQueues.problem(name);
		if (problem != null) {
			throw new RefusedException(HttpStatus.CONFLICT, problem + ".");
		}
		return name;
	}

	/**
	 * Set the running limit of a queue; without one the limit of the workers holds again.
	 */
	private ObjectNode limit(Wish wish, DashboardUser user) {
		Integer limit = wish.number("limit");
		String queue = knownQueue(wish.required("queue"));
		this.audit.record(user.operator(), "limit",
				"queue " + LogText.quoted(queue) + " to " + ((limit != null) ? limit : "none"),
				() -> limit(queue, limit));
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
	private ObjectNode onCause(String action, String cause, @Nullable String queue, DashboardUser user) {
		JobFilter filter = JobFilter.of((only) -> only.states(JobState.DEAD).name(queue));
		JobSearch search = JobSearch.of(filter, null, cause);
		String error = JobQueries.nameOf(cause, this.operations.deaths(filter));
		if (error == null && !search.findsAny(this.operations)) {
			throw RefusedException.notFound("There is no dead job with this cause, or no longer.");
		}
		return onFound(action, search, "all jobs " + ((queue != null) ? "of " + LogText.quoted(queue) + " " : "")
				+ "that died of " + LogText.quoted((error != null) ? error : cause), user);
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

	private ObjectNode onSelection(String action, Wish fields, DashboardUser user) {
		JobFilter filter = new JobQueryParameters(fields::text, RefusedException::badRequest).filter();
		user.requireSearchable(filter);
		requireSelective(action, filter);
		String error = fields.text("error");
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

	private static ObjectNode counted(int count, int wanted) {
		return JsonNodeFactory.instance.objectNode().put("count", count).put("of", wanted);
	}

	/**
	 * Enqueue a job like one that there is, with its headers and tags and with another
	 * payload. It is a job of its own, which has all its attempts and no unique key but
	 * that of its handler.
	 */
	private ObjectNode enqueue(Wish wish, DashboardUser user) {
		if (!user.rights().payloads()) {
			throw new RefusedException(HttpStatus.FORBIDDEN,
					"Only users with the right to see payloads can enqueue a job again, since they edit its payload.");
		}
		byte[] bytes = wish.anyText("payload").getBytes(StandardCharsets.UTF_8);
		Job job = this.operations.find(wish.required("id"))
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

	/** A copy is not of the tick of a schedule. */
	private static boolean isCopied(String header) {
		return header.equals(Job.TAGS_HEADER) || !header.startsWith("jobs.");
	}

	private ObjectNode enqueue(JobRequest request, Job job, DashboardUser user) {
		AtomicReference<String> id = new AtomicReference<>();
		int count = this.audit.record(user.operator(), "enqueue", "a copy of job " + LogText.quoted(job.id()),
				(changed) -> {
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
	 * Return the beginning of what was sent with an action, without a payload. It is
	 * empty if the action was refused before its body was read.
	 */
	static String sent(String action, DashboardRequest request) {
		byte[] body = request.body();
		if (action.equals("enqueue") && body.length > 0) {
			return "a payload of " + body.length + " bytes with its job";
		}
		return new String(body, 0, Math.min(body.length, LONGEST_SENT), StandardCharsets.UTF_8);
	}

}
