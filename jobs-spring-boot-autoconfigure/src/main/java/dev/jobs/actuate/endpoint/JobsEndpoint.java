package dev.jobs.actuate.endpoint;

import java.security.Principal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.jobs.EnqueueUnconfirmedException;
import dev.jobs.Enqueued;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.JobStoreException;
import dev.jobs.PageRequest;
import dev.jobs.QueueStatus;
import dev.jobs.WorkerStatus;
import dev.jobs.actuate.endpoint.Described.Done;
import dev.jobs.actuate.endpoint.Described.JobBody;
import dev.jobs.actuate.endpoint.Described.JobPage;
import dev.jobs.actuate.endpoint.Described.Queue;
import dev.jobs.actuate.endpoint.Described.Schedule;
import dev.jobs.actuate.endpoint.Described.Store;
import dev.jobs.actuate.endpoint.Described.Worker;
import dev.jobs.audit.Audit;
import dev.jobs.audit.Operator;
import dev.jobs.audit.RecordedActions;
import dev.jobs.audit.RefusedAction;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.settings.HandlerDefinition;
import dev.jobs.operations.JobOperations;
import dev.jobs.query.JobQueryParameters;
import dev.jobs.query.RefusedException;
import dev.jobs.query.Turnstile;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
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
 * 403, 404 or 409 and an unreachable store with 503, each with a body that says why.
 */
@WebEndpoint(id = "jobs", defaultAccess = Access.READ_ONLY)
public class JobsEndpoint {

	private static final int USUAL_PAGE = 20;

	private static final int COUNTED_UP_TO = 10_000;

	private final JobEngine engine;

	private final JobOperations operations;

	private final InstantSource clock;

	private final JobValues values;

	private final Audit audit;

	private final RecordedActions actions;

	private final Turnstile turnstile = new Turnstile();

	/**
	 * Create the endpoint.
	 * @param engine the engine of this process
	 * @param operations what operators see and do
	 * @param clock the clock
	 * @param values decides which values are shown
	 * @param audit records what operators do
	 */
	public JobsEndpoint(JobEngine engine, JobOperations operations, InstantSource clock, JobValues values,
			Audit audit) {
		this.engine = engine;
		this.operations = operations;
		this.clock = clock;
		this.values = values;
		this.audit = audit;
		this.actions = new RecordedActions(operations, audit);
	}

	// --- read

	/**
	 * Return everything at a glance, also while the store is out of reach.
	 * @return the overview
	 */
	@ReadOperation
	public WebEndpointResponse<Object> overview() {
		Described.Engine here = Described.Engine.of(this.engine);
		try {
			List<QueueStatus> queues = this.operations.queues();
			List<WorkerStatus> workers = this.operations.workers();
			return new WebEndpointResponse<>(new Described.Overview(Described.Totals.of(queues),
					described(queues, workers), workers.stream().map((worker) -> Worker.of(worker, null)).toList(),
					schedules(), Store.of(this.operations.store().status(), null), here));
		}
		catch (JobStoreException ex) {
			return new WebEndpointResponse<>(new Described.Overview(null, List.of(), List.of(), List.of(),
					Store.of(this.operations.store().status(), ex), here));
		}
	}

	/**
	 * Return one part: {@code queues}, {@code workers}, {@code schedules}, {@code store},
	 * a page of jobs as {@code list}, to which the other parameters belong, or one
	 * {@code job} by its id.
	 * @param asker who asks
	 * @param part which part
	 * @param state the states wanted, separated by commas; all if not given
	 * @param name the job name wanted
	 * @param text what a job must contain
	 * @param retrying whether only jobs that failed before are wanted, or only others
	 * @param after the cursor of the page, which is the {@code next} of the one before
	 * @param limit how many jobs a page holds at most
	 * @param newestFirst whether the latest come first
	 * @param since the earliest time at which a job entered its state or is due
	 * @param before the time before which it did or is
	 * @param key the unique key that a job holds
	 * @param tag the tag that a job has
	 * @param id the id of a job that does not fit into a path
	 * @return the part
	 */
	@ReadOperation
	public WebEndpointResponse<Object> part(SecurityContext asker, @Selector String part, @Nullable String state,
			@Nullable String name, @Nullable String text, @Nullable String retrying, @Nullable String after,
			@Nullable String limit, @Nullable String newestFirst, @Nullable String since, @Nullable String before,
			@Nullable String key, @Nullable String tag, @Nullable String id) {
		Map<String, @Nullable String> values = values(state, name, text, retrying, since, before, key, tag);
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

	private Object part(SecurityContext asker, String part, Map<String, @Nullable String> values) {
		return switch (part) {
			case "queues" -> new Described.Queues(queues());
			case "workers" -> new Described.Workers(this.turnstile.pass("lists", () -> workers(asker)));
			case "schedules" -> new Described.Schedules(schedules());
			case "store" -> store();
			case "list" -> this.turnstile.pass((values.get("text") != null) ? "searches" : "lists",
					() -> list(asker, new JobQueryParameters(values::get)));
			default -> throw RefusedException.notFound("There is no '" + part
					+ "' here, but queues, workers, schedules, store, list, queues/{name}, schedules/{name} and job/{id}");
		};
	}

	/**
	 * Return one queue, schedule or job.
	 * @param asker who asks
	 * @param part {@code queues}, {@code schedules} or {@code job}
	 * @param name the name, or the job's id
	 * @return what is asked for
	 */
	@ReadOperation
	public WebEndpointResponse<Object> one(SecurityContext asker, @Selector String part, @Selector String name) {
		return answer(() -> switch (part) {
			case "queues" -> this.operations.queue(name)
				.status()
				.map((queue) -> described(List.of(queue), this.operations.workers()).get(0))
				.orElseThrow(() -> RefusedException.notFound("There is no such queue"));
			case "schedules" -> schedule(name).with(this.operations.schedule(name).runs());
			case "job" -> whole(name, asker);
			default -> throw noSuchPart();
		});
	}

	private List<Queue> queues() {
		return described(this.operations.queues(), this.operations.workers());
	}

	private List<Queue> described(List<QueueStatus> queues, List<WorkerStatus> workers) {
		Set<String> handlers = this.engine.handlers();
		Instant now = this.clock.instant();
		return queues.stream().map((queue) -> Queue.of(queue, workers, handlers, now)).toList();
	}

	/**
	 * Return the workers with their jobs.
	 */
	private List<Worker> workers(SecurityContext asker) {
		List<WorkerStatus> workers = this.operations.workers();
		boolean shown = this.values.areShownTo(asker);
		Map<String, List<JobBody>> running = this.operations.jobs(JobFilter.of((only) -> only.states(JobState.RUNNING)))
			.page(PageRequest.oldestFirst(PageRequest.LARGEST))
			.jobs()
			.stream()
			.filter((job) -> job.run() != null)
			.collect(Collectors.groupingBy(JobsEndpoint::workerOf,
					Collectors.mapping((job) -> JobBody.of(job, this.values, shown), Collectors.toList())));
		return workers.stream()
			.map((worker) -> Worker.of(worker, running.getOrDefault(worker.id(), List.of())))
			.toList();
	}

	private static String workerOf(Job job) {
		return (job.run() != null) ? job.run().worker() : "";
	}

	private List<Schedule> schedules() {
		return this.operations.schedules().stream().map(Schedule::of).toList();
	}

	private Schedule schedule(String name) {
		return this.operations.schedule(name)
			.status()
			.map(Schedule::of)
			.orElseThrow(() -> RefusedException.notFound("There is no such schedule"));
	}

	private Store store() {
		try {
			this.operations.schedules();
			return Store.of(this.operations.store().status(), null);
		}
		catch (JobStoreException ex) {
			return Store.of(this.operations.store().status(), ex);
		}
	}

	private JobPage list(SecurityContext asker, JobQueryParameters query) {
		JobFilter filter = filter(asker, query);
		int limit = query.limit(USUAL_PAGE);
		if (limit < 1 || limit > PageRequest.LARGEST) {
			throw RefusedException.badRequest("'limit' must be from 1 to " + PageRequest.LARGEST);
		}
		PageRequest request = query.page(limit);
		dev.jobs.JobPage found = RefusedException.orBadRequest(() -> this.operations.jobs(filter).page(request));
		boolean shown = this.values.areShownTo(asker);
		List<JobBody> jobs = found.jobs().stream().map((job) -> JobBody.of(job, this.values, shown)).toList();
		if (request.after() != null || filter.getText() != null) {
			return new JobPage(jobs, found.next(), null, null);
		}
		JobCount count = (found.next() == null) ? JobCount.exactly(jobs.size())
				: this.operations.jobs(filter).count(COUNTED_UP_TO);
		return new JobPage(jobs, found.next(), count.number(), count.exact());
	}

	private static Map<String, @Nullable String> values(@Nullable String state, @Nullable String name,
			@Nullable String text, @Nullable String retrying, @Nullable String since, @Nullable String before,
			@Nullable String key, @Nullable String tag) {
		Map<String, @Nullable String> values = new TreeMap<>();
		values.put("state", state);
		values.put("name", name);
		values.put("text", text);
		values.put("retrying", retrying);
		values.put("since", since);
		values.put("before", before);
		values.put("key", key);
		values.put("tag", tag);
		return values;
	}

	/**
	 * Return the filter. A text searches payloads too, and keys are made of what is in
	 * them, so whoever may search can find out their content, guess by guess.
	 */
	private JobFilter filter(SecurityContext asker, JobQueryParameters query) {
		JobFilter filter = query.filter();
		String name = filter.getName();
		if (name != null) {
			RefusedException.orBadRequest(() -> HandlerDefinition.requireValidName(name));
		}
		if ((filter.getText() != null || filter.getUniqueKey() != null) && !this.values.areShownTo(asker)) {
			throw RefusedException.forbidden("'text' searches payloads too, a 'key' is made of them, and values are "
					+ "not shown to you; see management.endpoint.jobs.show-values");
		}
		return filter;
	}

	private JobBody whole(String id, SecurityContext asker) {
		return this.turnstile.pass("details", () -> whole(job(id), asker));
	}

	private JobBody whole(Job job, SecurityContext asker) {
		boolean mayWait = job.state().isWaiting() || job.run() != null;
		return JobBody.whole(job, this.values, this.values.areShownTo(asker),
				mayWait ? this.operations.waitReason(job) : null);
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
		return RefusedException.notFound("There are only queues/{name}, schedules/{name} and job/{id}");
	}

	// --- act

	/**
	 * Act on one thing: {@code pause}, {@code resume} or {@code limit} a queue,
	 * {@code retry}, {@code cancel} or {@code delete} a job, {@code trigger},
	 * {@code pause} or {@code resume} a schedule.
	 * @param asker who asks
	 * @param part {@code queues}, {@code schedules} or {@code job}
	 * @param name the name, or the job's id
	 * @param action what to do
	 * @param limit the running limit of a queue, or -1 for the limit of the workers
	 * @return what was done
	 */
	@WriteOperation
	public WebEndpointResponse<Object> act(SecurityContext asker, @Selector String part, @Selector String name,
			@Nullable String action, @Nullable String limit) {
		Map<String, @Nullable String> sent = new TreeMap<>();
		sent.put("limit", limit);
		return answer(asker, action, part + " " + name, sent, () -> switch (part) {
			case "queues" -> actOnQueue(asker, name, action, limit);
			case "schedules" -> actOnSchedule(asker, name, action);
			case "job" -> actOnJob(asker, name, action);
			default -> throw noSuchPart();
		});
	}

	/**
	 * Act on all jobs of a selection: {@code retry-all} those of them that are dead,
	 * {@code cancel-all} those that wait or run, or {@code delete-all} those that do not
	 * run, for which states must be named; or act on one job whose id does not fit into a
	 * path.
	 * @param asker who asks
	 * @param part {@code list} or {@code job}
	 * @param action what to do
	 * @param state the states meant, separated by commas
	 * @param name the job name meant
	 * @param text what a job must contain
	 * @param retrying whether only jobs that failed before are meant, or only others
	 * @param since the earliest time at which a job entered its state or is due
	 * @param before the time before which it did or is
	 * @param key the unique key that a job holds
	 * @param tag the tag that a job has
	 * @param id the id of the one job
	 * @return what was done
	 */
	@WriteOperation
	public WebEndpointResponse<Object> actOnAll(SecurityContext asker, @Selector String part, @Nullable String action,
			@Nullable String state, @Nullable String name, @Nullable String text, @Nullable String retrying,
			@Nullable String since, @Nullable String before, @Nullable String key, @Nullable String tag,
			@Nullable String id) {
		Map<String, @Nullable String> values = values(state, name, text, retrying, since, before, key, tag);
		Map<String, @Nullable String> sent = new TreeMap<>(values);
		sent.put("id", id);
		return answer(asker, action, part, sent, () -> switch (part) {
			case "list" -> {
				requireNoId(id);
				yield actOnAll(asker, action, values);
			}
			case "job" -> actOnJob(asker, requireOnlyId(id, values), action);
			default -> throw RefusedException
				.notFound("Actions on many jobs go to 'list', and those on one 'job' take its 'id'");
		});
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

	private Done actOnAll(SecurityContext asker, @Nullable String action, Map<String, @Nullable String> values) {
		JobFilter filter = filter(asker, new JobQueryParameters(values::get));
		String act = switch (String.valueOf(action)) {
			case "retry-all" -> "retry";
			case "delete-all" -> "delete";
			case "cancel-all" -> "cancel";
			default -> throw RefusedException.badRequest("'action' must be retry-all, cancel-all or delete-all");
		};
		int changed = this.actions.onSelection(operator(asker), act, "all jobs of " + fields(values), filter);
		return new Done(act + "-all", null, null, changed);
	}

	private static ObjectNode fields(Map<String, @Nullable String> values) {
		ObjectNode fields = JsonNodeFactory.instance.objectNode();
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

	private Done actOnQueue(SecurityContext asker, String name, @Nullable String action, @Nullable String limit) {
		String act = String.valueOf(action);
		this.actions.onQueue(operator(asker), act, name, act.equals("limit") ? limit(limit) : null);
		return new Done(act, name, null, null);
	}

	private static @Nullable Integer limit(@Nullable String limit) {
		try {
			int number = (limit != null) ? Integer.parseInt(limit) : 0;
			if (number >= 1 || number == -1) {
				return (number > 0) ? number : null;
			}
		}
		catch (NumberFormatException ex) {
			// the same answer
		}
		throw RefusedException.badRequest("'limit' must be a whole number from 1, or -1 for the limit of the workers; "
				+ "to start no jobs, pause the queue");
	}

	private Done actOnJob(SecurityContext asker, String id, @Nullable String action) {
		Job job = job(id);
		String act = String.valueOf(action);
		if (this.actions.onJobs(operator(asker), act, "1 job by id", (jobs) -> jobs.accept(id)) == 0) {
			throw RefusedException.conflict(
					"It is not possible to " + act + " the job: it is " + job.state().name().toLowerCase(Locale.ROOT)
							+ ", or has just changed, or another job holds its unique key");
		}
		return new Done(act, id, null, null);
	}

	private Done actOnSchedule(SecurityContext asker, String name, @Nullable String action) {
		String act = String.valueOf(action);
		if (!act.equals("trigger")) {
			this.actions.onSchedule(operator(asker), act, name);
			return new Done(act, name, null, null);
		}
		Enqueued enqueued = this.actions.trigger(operator(asker), name);
		if (!enqueued.isNew()) {
			throw RefusedException
				.conflict("Nothing was enqueued (" + enqueued.outcome() + "); see job " + enqueued.id());
		}
		return new Done(act, name, enqueued.id(), null);
	}

	// --- answers

	/**
	 * Answer an action, and record it if it is refused.
	 */
	private WebEndpointResponse<Object> answer(SecurityContext asker, @Nullable String action, String place,
			Map<String, @Nullable String> sent, Supplier<Object> answer) {
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

	private static WebEndpointResponse<Object> answer(Supplier<Object> answer) {
		try {
			return new WebEndpointResponse<>(answer.get());
		}
		catch (RefusedException ex) {
			return problem(ex.getStatus(), ex);
		}
		catch (JobStoreException | EnqueueUnconfirmedException ex) {
			return problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, ex);
		}
	}

	private static WebEndpointResponse<Object> problem(int status, Exception ex) {
		return new WebEndpointResponse<>(new Described.Problem(String.valueOf(ex.getMessage())), status);
	}

}
