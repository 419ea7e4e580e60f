package dev.jobs.actuate.endpoint;

import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.jobs.BulkStatus;
import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.LaneStatus;
import dev.jobs.PageRequest;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleRequest;
import dev.jobs.ScheduleStatus;
import dev.jobs.WorkerStatus;
import dev.jobs.audit.Audit;
import dev.jobs.audit.Operator;
import dev.jobs.audit.RecordedActions;
import dev.jobs.audit.RefusedAction;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.json.Views;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.QueueOperations;
import dev.jobs.operations.ScheduleOperations;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.RefusedException;
import dev.jobs.query.SentSchedule;
import dev.jobs.query.Turnstile;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * {@link WebEndpoint @WebEndpoint} that shows queues, jobs, workers, schedules and the
 * store and, with unrestricted access, acts on them. It answers bad requests with 400,
 * 403, 404 or 409 and an unreachable store with 503, each with the reason in the body.
 */
@WebEndpoint(id = "jobs", defaultAccess = Access.READ_ONLY)
public class JobsEndpoint {

	private static final int USUAL_PAGE = 20;

	private static final int USUAL_SCHEDULES = 100;

	private static final int COUNTED_UP_TO = 10_000;

	private static final List<String> COUNTED = List.of("ready", "scheduled", "retrying", "parked", "running", "dead",
			"history");

	private final JobEngine engine;

	private final JobOperations operations;

	private final InstantSource clock;

	private final JobValues values;

	private final Function<String, Duration> targetWait;

	private final Audit audit;

	private final RecordedActions actions;

	private final Turnstile turnstile = new Turnstile();

	/**
	 * Create the endpoint.
	 * @param engine the engine of this process
	 * @param operations what operators see and do
	 * @param clock the clock
	 * @param values decides which values are shown
	 * @param targetWait returns how long the jobs of a pool may wait
	 * @param audit records the actions of operators
	 */
	public JobsEndpoint(JobEngine engine, JobOperations operations, InstantSource clock, JobValues values,
			Function<String, Duration> targetWait, Audit audit) {
		this.engine = engine;
		this.operations = operations;
		this.clock = clock;
		this.values = values;
		this.targetWait = targetWait;
		this.audit = audit;
		this.actions = new RecordedActions(operations, audit);
	}

	// --- read

	/**
	 * Return everything at a glance, even while the store is out of reach.
	 * @return the overview
	 */
	@ReadOperation
	public WebEndpointResponse<Object> overview() {
		ObjectNode overview = Views.object();
		ObjectNode here = Views.of(this.engine.status());
		ArrayNode handlers = here.putArray("handlers");
		this.engine.handlers().stream().sorted().forEach(handlers::add);
		try {
			List<WorkerStatus> workers = this.operations.workers();
			putQueues(overview, workers);
			putTotals(overview.putObject("totals"), overview.path("queues"));
			Views.put(overview, "workers", workers, Views::of);
			putSchedules(overview, new JobQueryParameters((name) -> null)).remove("next");
			overview.set("store", store(null));
		}
		catch (JobStoreException ex) {
			overview.removeAll();
			List.of("queues", "workers", "schedules").forEach(overview::putArray);
			overview.set("store", store(ex));
		}
		return new WebEndpointResponse<>(new JsonBody(overview.set("engine", here)));
	}

	private static void putTotals(ObjectNode totals, JsonNode queues) {
		COUNTED.forEach((state) -> totals.put(state,
				queues.valueStream().mapToLong((queue) -> queue.path(state).asLong()).sum()));
		ArrayNode atLeast = totals.putArray("atLeast");
		queues.valueStream()
			.flatMap((queue) -> queue.path("atLeast").valueStream())
			.map(JsonNode::asString)
			.distinct()
			.sorted()
			.forEach(atLeast::add);
	}

	/**
	 * Return one part: {@code queues}, {@code pools}, {@code workers}, a page of the
	 * {@code schedules}, the {@code bulk} actions, {@code store}, a page of the
	 * {@code lanes} of the queue with a {@code name}, a page of jobs as {@code list}, to
	 * which the other parameters belong, or one {@code job} by its id.
	 * @param asker who asks
	 * @param part which part
	 * @param state the states wanted, separated by commas; all if not given
	 * @param name the job name wanted
	 * @param text what a job must contain
	 * @param retrying whether only jobs that failed before are wanted, or only others
	 * @param after the cursor of the page: {@code next} of the page before
	 * @param limit how many jobs a page holds at most
	 * @param newestFirst whether the latest come first
	 * @param since the earliest time at which a job entered its state or is due
	 * @param before the time before which it did or is
	 * @param uniqueKey the unique key that a job holds
	 * @param tag the tag that a job has
	 * @param lane the lane that a job is in
	 * @param urgency the urgency that a job has
	 * @param id the id of a job that does not fit into a path
	 * @return the part
	 */
	@ReadOperation
	public WebEndpointResponse<Object> part(SecurityContext asker, @Selector String part, @Nullable String state,
			@Nullable String name, @Nullable String text, @Nullable String retrying, @Nullable String after,
			@Nullable String limit, @Nullable String newestFirst, @Nullable String since, @Nullable String before,
			@Nullable String uniqueKey, @Nullable String tag, @Nullable String lane, @Nullable String urgency,
			@Nullable String id) {
		Map<String, @Nullable String> values = values(state, name, text, retrying, since, before, uniqueKey, tag, lane,
				urgency);
		values.put("after", after);
		values.put("limit", limit);
		values.put("newestFirst", newestFirst);
		if (!part.equals("job")) {
			return answer(() -> {
				requireNoId(id);
				return part(asker, part, values);
			});
		}
		return answer(() -> whole(requireOnlyId(id, values), asker));
	}

	private ObjectNode part(SecurityContext asker, String part, Map<String, @Nullable String> values) {
		return switch (part) {
			case "queues" -> putQueues(Views.object(), this.operations.workers());
			case "workers" -> this.turnstile.pass("lists", () -> workers(asker));
			case "pools" -> Views.pools(this.operations, this.targetWait);
			case "schedules" -> putSchedules(Views.object(), new JobQueryParameters(values::get));
			case "bulk" -> bulk(asker);
			case "store" -> store();
			case "lanes" -> this.turnstile.pass("lists", () -> lanes(new JobQueryParameters(values::get)));
			case "list" -> this.turnstile.pass((values.get("text") != null) ? "searches" : "lists",
					() -> list(asker, new JobQueryParameters(values::get)));
			default -> throw RefusedException.notFound("There is no '" + part
					+ "' here, but queues, pools, workers, schedules, bulk, store, lanes, list, queues/{name}, schedules/{name}, bulk/{id} and job/{id}");
		};
	}

	/**
	 * Return one queue, schedule, bulk action or job.
	 * @param asker who asks
	 * @param part {@code queues}, {@code schedules}, {@code bulk} or {@code job}
	 * @param name the name, or the id of the bulk action or the job
	 * @return the requested part
	 */
	@ReadOperation
	public WebEndpointResponse<Object> one(SecurityContext asker, @Selector String part, @Selector String name) {
		return answer(() -> switch (part) {
			case "queues" -> this.operations.queue(name)
				.status()
				.map((queue) -> queue(queue, this.operations.workers()))
				.orElseThrow(() -> RefusedException.notFound("There is no such queue"));
			case "schedules" -> schedule(name);
			case "bulk" -> this.operations.bulkAction(name)
				.status()
				.map((bulk) -> Views.bulk(bulk, this.values.areShownTo(asker)))
				.orElseThrow(() -> RefusedException.notFound("There is no such bulk action, or no longer"));
			case "job" -> whole(name, asker);
			default -> throw noSuchPart();
		});
	}

	private ObjectNode putQueues(ObjectNode node, List<WorkerStatus> workers) {
		Views.put(node, "queues", this.operations.queues(), (queue) -> queue(queue, workers));
		return node;
	}

	private ObjectNode queue(QueueStatus queue, List<WorkerStatus> workers) {
		Instant oldest = queue.oldestReady();
		Duration latency = (oldest != null) ? Duration.between(oldest, this.clock.instant()) : Duration.ZERO;
		return Views.queue(queue, workers)
			.put("latencySeconds", Math.max(0, latency.getSeconds() + latency.toMillisPart() / 1000.0))
			.put("handledHere", this.engine.handlers().contains(queue.name()));
	}

	/**
	 * Return the workers with their jobs.
	 */
	private ObjectNode workers(SecurityContext asker) {
		List<WorkerStatus> workers = this.operations.workers();
		boolean shown = this.values.areShownTo(asker);
		Map<String, List<Job>> running = this.operations.jobs(JobFilter.of((only) -> only.states(JobState.RUNNING)))
			.page(PageRequest.oldestFirst(PageRequest.LARGEST))
			.jobs()
			.stream()
			.collect(Collectors.groupingBy(JobsEndpoint::workerOf));
		ObjectNode node = Views.object();
		Views.put(node, "workers", workers, (worker) -> {
			ObjectNode view = Views.of(worker);
			Views.put(view, "jobs", running.getOrDefault(worker.id(), List.of()), (job) -> row(job, shown));
			return view;
		});
		return node;
	}

	private static String workerOf(Job job) {
		return (job.run() != null) ? job.run().worker() : "";
	}

	private ObjectNode row(Job job, boolean shown) {
		return this.values.put(Views.row(job), job, shown);
	}

	/**
	 * Put a page of the schedules. Its cursor is the name of the last one.
	 */
	private ObjectNode putSchedules(ObjectNode node, JobQueryParameters query) {
		List<ScheduleStatus> all = this.operations.schedules();
		String after = query.page(1).after();
		List<ScheduleStatus> page = all.stream()
			.filter((schedule) -> after == null || schedule.name().compareTo(after) > 0)
			.sorted(Comparator.comparing(ScheduleStatus::name))
			.toList();
		int limit = limit(query, USUAL_SCHEDULES);
		Views.put(node, "schedules", page.stream().limit(limit).toList(), Views::of);
		node.put("schedulesInAll", all.size());
		return (page.size() > limit) ? node.put("next", page.get(limit - 1).name()) : node;
	}

	private static int limit(JobQueryParameters query, int usual) {
		int limit = query.limit(usual);
		if (limit < 1 || limit > PageRequest.LARGEST) {
			throw RefusedException.badRequest("'limit' must be from 1 to " + PageRequest.LARGEST);
		}
		return limit;
	}

	private ObjectNode schedule(String name) {
		ObjectNode node = this.operations.schedule(name)
			.status()
			.map(Views::of)
			.orElseThrow(() -> RefusedException.notFound("There is no such schedule"));
		Views.put(node, "runs", this.operations.schedule(name).runs(), Views::of);
		return node;
	}

	private ObjectNode bulk(SecurityContext asker) {
		boolean shown = this.values.areShownTo(asker);
		ObjectNode node = Views.object();
		Views.put(node, "bulk", this.operations.bulkActions(), (bulk) -> Views.bulk(bulk, shown));
		return node;
	}

	/**
	 * Return lanes by name. The first page has the busiest ones too, those that are
	 * blocked, and those with settings.
	 */
	private ObjectNode lanes(JobQueryParameters query) {
		String name = query.filter().getName();
		if (name == null) {
			throw RefusedException.badRequest("The queue of the lanes is missing: add 'name'");
		}
		QueueOperations queue = this.operations.queue(name);
		int limit = limit(query, USUAL_PAGE);
		String after = query.page(1).after();
		ObjectNode node = (after != null) ? Views.object() : Views.lanes(queue, limit);
		List<LaneStatus> page = queue.lanes(after, limit);
		Views.put(node, "lanes", page, Views::of);
		return (page.size() == limit) ? node.put("next", page.get(limit - 1).name()) : node;
	}

	private ObjectNode store() {
		try {
			this.operations.schedules();
			return store(null);
		}
		catch (JobStoreException ex) {
			return store(ex);
		}
	}

	private ObjectNode store(@Nullable JobStoreException fault) {
		ObjectNode store = Views.of(this.operations.store().status()).put("reachable", fault == null);
		return (fault != null) ? store.put("error", fault.getMessage()) : store;
	}

	private ObjectNode list(SecurityContext asker, JobQueryParameters query) {
		JobFilter filter = filter(asker, query);
		PageRequest request = query.page(limit(query, USUAL_PAGE));
		JobPage found = RefusedException.orBadRequest(() -> this.operations.jobs(filter).page(request));
		boolean shown = this.values.areShownTo(asker);
		return Views.page(found, (job) -> row(job, shown), (request.after() != null || filter.getText() != null) ? null
				: () -> this.operations.jobs(filter).count(COUNTED_UP_TO));
	}

	private static Map<String, @Nullable String> values(@Nullable String state, @Nullable String name,
			@Nullable String text, @Nullable String retrying, @Nullable String since, @Nullable String before,
			@Nullable String uniqueKey, @Nullable String tag, @Nullable String lane, @Nullable String urgency) {
		Map<String, @Nullable String> values = new TreeMap<>();
		values.put("state", state);
		values.put("name", name);
		values.put("text", text);
		values.put("retrying", retrying);
		values.put("since", since);
		values.put("before", before);
		values.put("uniqueKey", uniqueKey);
		values.put("tag", tag);
		values.put("lane", lane);
		values.put("urgency", urgency);
		return values;
	}

	/**
	 * Return the filter. A text searches payloads too, and keys are made of their
	 * content, so a caller who may search can find out the content guess by guess.
	 */
	private JobFilter filter(SecurityContext asker, JobQueryParameters query) {
		JobFilter filter = query.filter();
		String name = filter.getName();
		if (name != null) {
			RefusedException.orBadRequest(() -> HandlerDefinition.requireValidName(name));
		}
		if ((filter.getText() != null || filter.getUniqueKey() != null) && !this.values.areShownTo(asker)) {
			throw RefusedException
				.forbidden("'text' searches payloads too, a 'uniqueKey' is made of them, and values are "
						+ "not shown to you; see management.endpoint.jobs.show-values");
		}
		return filter;
	}

	private ObjectNode whole(String id, SecurityContext asker) {
		return this.turnstile.pass("details", () -> whole(job(id), asker));
	}

	private ObjectNode whole(Job job, SecurityContext asker) {
		boolean shown = this.values.areShownTo(asker);
		ObjectNode node = this.values.put(Views.whole(job, (log) -> this.values.log(log, shown)), job, shown);
		this.values.putSteps(node, this.operations.job(job.id()).steps(), shown);
		return (job.state().isWaiting() || job.run() != null)
				? node.set("waitReason", Views.of(this.operations.waitReason(job))) : node;
	}

	private Job job(String id) {
		if (id.indexOf('\0') >= 0) {
			throw RefusedException.notFound("There is no such job");
		}
		return this.operations.job(id)
			.find()
			.orElseThrow(() -> RefusedException.notFound("There is no such job (any more)"));
	}

	private static RefusedException noSuchPart() {
		return RefusedException
			.notFound("There are only queues/{name}, schedules/{name}, bulk/{id} and job/{id}, and for actions "
					+ "also pools/{name} and workers/{id}");
	}

	// --- act

	/**
	 * Act on one thing: {@code pause} or {@code resume} a queue or set its {@code limit},
	 * {@code weight}, {@code attempts} or {@code rate}; {@code pause} or {@code resume}
	 * one {@code lane} of it or set its limit or weight; {@code pause} or {@code resume}
	 * a pool or set its {@code concurrency}; make a worker {@code quiet} or
	 * {@code resume} it; {@code retry}, {@code cancel} or {@code delete} a job or
	 * {@code forget-step} what it has saved under the name of a {@code step} or
	 * {@code send-signal}, the one that it waits for, with a {@code value};
	 * {@code trigger}, {@code pause}, {@code resume}, {@code put} or {@code drop} a
	 * schedule; {@code stop} or {@code resume} a bulk action. Most of the parameters
	 * belong to {@code put}.
	 * @param asker who asks
	 * @param part {@code queues}, {@code pools}, {@code workers}, {@code schedules},
	 * {@code bulk} or {@code job}
	 * @param name the name, or the id of the worker, the bulk action or the job
	 * @param action what to do
	 * @param limit the running limit of a queue, or -1 for the limit of the workers
	 * @param weight the weight of a queue, or -1 for that of the workers
	 * @param attempts the attempts of a queue, or -1 for those of the workers
	 * @param rate the rate of a queue or of its lanes, such as 100/1m, or -1 for that of
	 * the workers
	 * @param concurrency the concurrency of a pool, or -1 for that of the workers
	 * @param cron when a schedule ticks; what is not given of a schedule that was put
	 * stays as it is
	 * @param zone the time zone of {@code cron}; UTC if never given
	 * @param job the name of its jobs; as before, or that of the schedule, if not given
	 * @param payload their payload as JSON; none if never given
	 * @param misfire what becomes of missed ticks
	 * @param until the last instant at which it may tick
	 * @param jitter over which time its ticks are spread
	 * @param calendar the name of its calendar
	 * @param overlap what a tick does while the job of the one before waits or runs
	 * @param lane the lane of the queue to act on instead of all of the queue
	 * @param step the name of the step that a job is to forget
	 * @param value the value of the signal as JSON; none if not given
	 * @return what was done
	 */
	@WriteOperation
	public WebEndpointResponse<Object> act(SecurityContext asker, @Selector String part, @Selector String name,
			@Nullable String action, @Nullable String limit, @Nullable String weight, @Nullable String attempts,
			@Nullable String rate, @Nullable String concurrency, @Nullable String cron, @Nullable String zone,
			@Nullable String job, @Nullable String payload, @Nullable String misfire, @Nullable String until,
			@Nullable String jitter, @Nullable String calendar, @Nullable String overlap, @Nullable String lane,
			@Nullable String step, @Nullable String value) {
		Map<String, @Nullable String> sent = new TreeMap<>();
		sent.put("lane", lane);
		sent.put("limit", limit);
		sent.put("weight", weight);
		sent.put("attempts", attempts);
		sent.put("rate", rate);
		sent.put("concurrency", concurrency);
		sent.put("cron", cron);
		sent.put("zone", zone);
		sent.put("job", job);
		sent.put("misfire", misfire);
		sent.put("until", until);
		sent.put("jitter", jitter);
		sent.put("calendar", calendar);
		sent.put("overlap", overlap);
		sent.put("step", step);
		return answer(asker, action, part + " " + name, sent, () -> switch (part) {
			case "queues", "pools", "workers" ->
				on(asker, part.substring(0, part.length() - 1), name, String.valueOf(action), sent);
			case "bulk" -> on(asker, part, name, String.valueOf(action), sent);
			case "schedules" ->
				"put".equals(action) ? put(asker, name, sent, payload) : actOnSchedule(asker, name, action);
			case "job" -> actOnJob(asker, name, action, step, value);
			default -> throw noSuchPart();
		});
	}

	/**
	 * Act on all selected jobs: {@code retry-all} retries the dead ones, {@code
	 * cancel-all} cancels those that wait or run, and {@code delete-all} deletes those
	 * that do not run, for which states must be named. With the part {@code bulk},
	 * workers do it in the background: {@code retry}, {@code cancel}, {@code delete} or
	 * {@code reschedule}. Or act on one job whose id does not fit into a path, or forget
	 * a signal that is kept.
	 * @param asker who asks
	 * @param part {@code list}, {@code bulk}, {@code job} or {@code signals}
	 * @param action what to do
	 * @param state the states meant, separated by commas
	 * @param name the job name meant, or the name of the signal
	 * @param text what a job must contain
	 * @param retrying whether only jobs that failed before are meant, or only others
	 * @param since the earliest time at which a job entered its state or is due
	 * @param before the time before which it did or is
	 * @param uniqueKey the unique key that a job holds
	 * @param tag the tag that a job has
	 * @param lane the lane that a job is in
	 * @param urgency the urgency that a job has
	 * @param dueAt the new due time of jobs that are rescheduled
	 * @param toLane the new lane of jobs that are moved
	 * @param id the id of the one job, or the subject of the signal
	 * @param step the name of the step that it is to forget
	 * @param value the value of the signal to send as JSON; none if not given
	 * @return what was done
	 */
	@WriteOperation
	public WebEndpointResponse<Object> actOnAll(SecurityContext asker, @Selector String part, @Nullable String action,
			@Nullable String state, @Nullable String name, @Nullable String text, @Nullable String retrying,
			@Nullable String since, @Nullable String before, @Nullable String uniqueKey, @Nullable String tag,
			@Nullable String lane, @Nullable String urgency, @Nullable String dueAt, @Nullable String toLane,
			@Nullable String id, @Nullable String step, @Nullable String value) {
		Map<String, @Nullable String> values = values(state, name, text, retrying, since, before, uniqueKey, tag, lane,
				urgency);
		Map<String, @Nullable String> sent = new TreeMap<>(values);
		sent.put("id", id);
		sent.put("dueAt", dueAt);
		sent.put("toLane", toLane);
		sent.put("step", step);
		return answer(asker, action, part, sent, () -> switch (part) {
			case "list" -> {
				requireNoId(id);
				requireNot("step", step, "job");
				requireNot("value", value, "job");
				requireNot("dueAt", dueAt, "bulk");
				requireNot("toLane", toLane, "bulk");
				yield actOnAll(asker, action, values);
			}
			case "bulk" -> {
				requireNoId(id);
				requireNot("step", step, "job");
				requireNot("value", value, "job");
				yield start(asker, action, values, dueAt, toLane);
			}
			case "signals" -> {
				if (!"forget".equals(action) || name == null || id == null) {
					throw RefusedException.badRequest(
							"A signal is forgotten by the action 'forget', its 'name' and, as 'id', its subject");
				}
				this.actions.forgetSignal(operator(asker), name, id);
				yield done("forget", name + "/" + id);
			}
			case "job" -> {
				requireNot("dueAt", dueAt, "bulk");
				requireNot("toLane", toLane, "bulk");
				yield actOnJob(asker, requireOnlyId(id, values), action, step, value);
			}
			default -> throw RefusedException
				.notFound("Actions on many jobs go to 'list' or 'bulk', and those on one 'job' take its 'id'");
		});
	}

	private static void requireNot(String field, @Nullable String value, String owner) {
		if (value != null) {
			throw RefusedException.badRequest("A '" + field + "' belongs to '" + owner + "'");
		}
	}

	private static void requireNoId(@Nullable String id) {
		if (id != null) {
			throw RefusedException.badRequest("An 'id' belongs to 'job'");
		}
	}

	private static String requireOnlyId(@Nullable String id, Map<String, @Nullable String> values) {
		if (id == null || values.values().stream().anyMatch(Objects::nonNull)) {
			throw RefusedException.badRequest("One 'job' is chosen by its 'id', and by nothing else");
		}
		return id;
	}

	private ObjectNode actOnAll(SecurityContext asker, @Nullable String action, Map<String, @Nullable String> values) {
		JobFilter filter = filter(asker, new JobQueryParameters(values::get));
		String act = switch (String.valueOf(action)) {
			case "retry-all" -> "retry";
			case "delete-all" -> "delete";
			case "cancel-all" -> "cancel";
			default -> throw RefusedException.badRequest("'action' must be retry-all, cancel-all or delete-all");
		};
		int changed = this.actions.onSelection(operator(asker), act, "all jobs of " + fields(values), filter);
		return Views.object().put("action", act + "-all").put("changed", changed);
	}

	private ObjectNode start(SecurityContext asker, @Nullable String action, Map<String, @Nullable String> values,
			@Nullable String dueAt, @Nullable String toLane) {
		JobFilter filter = filter(asker, new JobQueryParameters(values::get));
		BulkStatus started = this.actions.start(operator(asker), String.valueOf(action),
				"all jobs of " + fields(values), filter, new JobQueryParameters((name) -> dueAt).instant("dueAt"),
				toLane);
		return Views.bulk(started, this.values.areShownTo(asker));
	}

	private static ObjectNode fields(Map<String, @Nullable String> values) {
		ObjectNode fields = Views.object();
		values.forEach((name, value) -> {
			if (value != null) {
				fields.put(name, value);
			}
		});
		return fields;
	}

	private static Operator operator(SecurityContext asker) {
		Principal user = asker.getPrincipal();
		return new Operator("actuator", (user != null) ? user.getName() : "somebody");
	}

	/**
	 * Act on one thing. An action that sets a number has the name of its field.
	 */
	private ObjectNode on(SecurityContext asker, String kind, String name, String action,
			Map<String, @Nullable String> sent) {
		String lane = sent.get("lane");
		if (kind.equals("queue") && lane == null && (action.equals("rate") || action.equals("lanes-rate"))) {
			String rate = sent.get("rate");
			if (rate == null) {
				throw RefusedException
					.badRequest("'rate' is missing, such as 100/1m, or -1 for the rate of the workers");
			}
			this.actions.onRate(operator(asker), action, name, rate.equals("-1") ? null : rate);
			return done(action, name);
		}
		this.actions.on(operator(asker), action, kind, name, lane,
				RecordedActions.NUMBERS.contains(action) ? number(action, sent.get(action)) : null);
		return (lane != null) ? done(action, name).put("lane", lane) : done(action, name);
	}

	private static @Nullable Integer number(String name, @Nullable String value) {
		try {
			int number = (value != null) ? Integer.parseInt(value) : 0;
			if (number >= 1 || number == -1) {
				return (number > 0) ? number : null;
			}
		}
		catch (NumberFormatException ex) {
			// the same answer
		}
		throw RefusedException.badRequest("'" + name + "' must be a whole number from 1, or -1 for the " + name
				+ " of the workers; to start no jobs, pause the queue or the pool");
	}

	private ObjectNode actOnJob(SecurityContext asker, String id, @Nullable String action, @Nullable String step,
			@Nullable String value) {
		Job job = job(id);
		String act = String.valueOf(action);
		if (act.equals("forget-step") == (step == null)) {
			throw RefusedException
				.badRequest("A 'step', the name of the step, belongs to 'forget-step' and to no other");
		}
		if (step != null) {
			this.actions.forgetStep(operator(asker), id, step);
			return done(act, id).put("step", step);
		}
		if (act.equals("send-signal")) {
			return done(act, id).put("sent", this.actions.sendSignal(operator(asker), id, value).name());
		}
		if (value != null) {
			throw RefusedException.badRequest("A 'value' belongs to 'send-signal' and to no other");
		}
		if (this.actions.onJobs(operator(asker), act, "1 job by id", null, null, (jobs) -> jobs.accept(id)) == 0) {
			throw RefusedException.conflict(
					"It is not possible to " + act + " the job: it is " + job.state().name().toLowerCase(Locale.ROOT)
							+ ", or has just changed, or another job holds its unique key");
		}
		return done(act, id);
	}

	private ObjectNode actOnSchedule(SecurityContext asker, String name, @Nullable String action) {
		String act = String.valueOf(action);
		if (!act.equals("trigger")) {
			this.actions.on(operator(asker), act, "schedule", name, null, null);
			return done(act, name);
		}
		Enqueued enqueued = this.actions.trigger(operator(asker), name);
		if (!enqueued.isNew()) {
			throw RefusedException
				.conflict("Nothing was enqueued (" + enqueued.outcome() + "); see job " + enqueued.id());
		}
		return done(act, name).put("jobId", enqueued.id());
	}

	private static ObjectNode done(String action, String target) {
		return Views.object().put("action", action).put("target", target);
	}

	private ObjectNode put(SecurityContext asker, String name, Map<String, @Nullable String> sent,
			@Nullable String payload) {
		ScheduleRequest request = new SentSchedule(name, (field) -> field.equals("payload") ? payload : sent.get(field))
			.request(this.operations.schedule(name));
		String what = fields(sent) + ((payload != null) ? " and a payload" : "");
		ScheduleOperations.Put done = this.actions.put(operator(asker), name, what, request);
		return done("put", name).put("outcome", done.name());
	}

	// --- answers

	/**
	 * Answer an action, and record it if it is refused.
	 */
	private WebEndpointResponse<Object> answer(SecurityContext asker, @Nullable String action, String place,
			Map<String, @Nullable String> sent, Supplier<ObjectNode> answer) {
		return answer(() -> {
			try {
				return RefusedException.orRefused(answer);
			}
			catch (RefusedException ex) {
				refused(asker, action, place + " " + fields(sent), ex.getMessage(), ex.getStatus() == 403);
				throw ex;
			}
		});
	}

	/**
	 * Record an action that was refused.
	 */
	void refused(SecurityContext asker, @Nullable String action, String wish, String reason, boolean forbidden) {
		this.audit.record(operator(asker), asker.getPrincipal() != null,
				new RefusedAction((action != null) ? action : "nothing", wish, reason, forbidden));
	}

	private static WebEndpointResponse<Object> answer(Supplier<ObjectNode> answer) {
		try {
			return new WebEndpointResponse<>(new JsonBody(answer.get()));
		}
		catch (RefusedException ex) {
			return problem(ex.getStatus(), ex);
		}
		catch (JobStoreException | EnqueueUnconfirmedException ex) {
			return problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, ex);
		}
	}

	private static WebEndpointResponse<Object> problem(int status, Exception ex) {
		return new WebEndpointResponse<>(JsonBody.error(ex.getMessage()), status);
	}

}
