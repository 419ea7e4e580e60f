package dev.jobs.json;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.jobs.BulkStatus;
import dev.jobs.Job;
import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobPage;
import dev.jobs.JobState;
import dev.jobs.QueueStatus;
import dev.jobs.Trail;
import dev.jobs.WantedWorkers;
import dev.jobs.WorkerStatus;
import dev.jobs.operations.JobOperations;
import dev.jobs.operations.QueueOperations;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The JSON of the endpoint and the dashboard for operators: values as
 * {@link ValuesAsJson} writes them, without {@code null} properties and with additional
 * ones.
 */
public final class Views {

	private static final JsonMapper MAPPER = JsonMapper.builder()
		.addModule(new ValuesAsJson())
		.changeDefaultPropertyInclusion((usual) -> usual.withValueInclusion(JsonInclude.Include.NON_NULL))
		.build();

	private static final int LONGEST_LINE = 160;

	private Views() {
	}

	/**
	 * Return an object without properties.
	 * @return the object
	 */
	public static ObjectNode object() {
		return JsonNodeFactory.instance.objectNode();
	}

	/**
	 * Return a value as it is.
	 * @param value the value
	 * @return its properties
	 */
	public static ObjectNode of(Object value) {
		return MAPPER.valueToTree(value);
	}

	/**
	 * Put a list.
	 * @param <T> the type of the values
	 * @param node where to put it
	 * @param name the name of the list
	 * @param values the values
	 * @param view returns the view of each
	 * @return the list
	 */
	public static <T> ArrayNode put(ObjectNode node, String name, Collection<? extends T> values,
			Function<T, ObjectNode> view) {
		ArrayNode array = node.putArray(name);
		values.forEach((value) -> array.add(view.apply(value)));
		return array;
	}

	/**
	 * Return a queue. Scheduled and retrying jobs are counted apart.
	 * @param queue the queue
	 * @param workers the live workers, which may limit it
	 * @return the queue
	 */
	public static ObjectNode queue(QueueStatus queue, List<WorkerStatus> workers) {
		ObjectNode node = of(queue).put("scheduled", queue.scheduled() - queue.retrying());
		long limit = queue.limitAmong(workers);
		return (limit > 0) ? node.put("limitAmongWorkers", limit) : node;
	}

	/**
	 * Return the lanes of a queue that have the most waiting jobs, those that are
	 * blocked, and those for which operators have set something.
	 * @param queue the queue
	 * @param limit how many of each at most
	 * @return the lanes
	 */
	public static ObjectNode lanes(QueueOperations queue, int limit) {
		ObjectNode node = object();
		put(node, "busiest", queue.busiestLanes(limit), Views::of);
		put(node, "blocked", queue.blockedLanes(limit), Views::of);
		put(node, "withSettings", queue.lanesWithSettings(null, limit), Views::of);
		return node;
	}

	/**
	 * Return the pools, with how many workers they need.
	 * @param operations reads them
	 * @param targetWait returns how long the jobs of a pool may wait
	 * @return the pools
	 */
	public static ObjectNode pools(JobOperations operations, Function<String, Duration> targetWait) {
		Map<String, WantedWorkers> wanted = operations.wantedWorkers(targetWait)
			.stream()
			.collect(Collectors.toMap(WantedWorkers::pool, Function.identity()));
		ObjectNode node = object();
		put(node, "pools", operations.pools(), (pool) -> {
			WantedWorkers figure = wanted.get(pool.name());
			return (figure != null) ? of(pool).set("wanted", of(figure).without("pool")) : of(pool);
		});
		return node;
	}

	/**
	 * Return a bulk action.
	 * @param bulk the bulk action
	 * @param shown whether the parts of its filter that may be content of payloads are
	 * shown
	 * @return the bulk action
	 */
	public static ObjectNode bulk(BulkStatus bulk, boolean shown) {
		ObjectNode node = object().put("id", bulk.id())
			.put("action", lower(bulk.action()))
			.put("state", lower(bulk.state()))
			.put("total", bulk.total().estimate())
			.put("exact", bulk.total().exact())
			.put("done", bulk.done())
			.put("skipped", bulk.skipped())
			.put("failed", bulk.failed())
			.put("share", bulk.share());
		Duration remaining = bulk.remaining();
		put(node, "remainingSeconds", (remaining != null) ? remaining.toSeconds() : null);
		put(node, "startedAt", bulk.startedAt());
		put(node, "changedAt", bulk.changedAt());
		put(node, "by", bulk.by());
		put(node, "dueAt", bulk.dueAt());
		put(node, "toLane", bulk.toLane());
		put(node, "error", bulk.error());
		ObjectNode filter = node.putObject("filter");
		JobFilter jobs = bulk.filter();
		put(filter, "state", jobs.getStates().isEmpty() ? null
				: jobs.getStates().stream().map(Views::nameOf).sorted().collect(Collectors.joining(",")));
		put(filter, "name", jobs.getName());
		put(filter, "retrying", jobs.getRetrying());
		put(filter, "text", shown ? jobs.getText() : null);
		put(filter, "since", jobs.getSince());
		put(filter, "before", jobs.getBefore());
		put(filter, "uniqueKey", shown ? jobs.getUniqueKey() : null);
		put(filter, "tag", jobs.getTag());
		put(filter, "lane", jobs.getLane());
		put(filter, "urgency", (jobs.getUrgency() != null) ? lower(jobs.getUrgency()) : null);
		return node;
	}

	private static String nameOf(JobState state) {
		return (state == JobState.WAITING) ? "parked" : lower(state);
	}

	private static String lower(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT);
	}

	/**
	 * Return a page of jobs.
	 * @param page the page
	 * @param view returns the view of each job
	 * @param count counts all that match if the page is not the last, or {@code null} if
	 * they are not counted
	 * @return the page
	 */
	public static ObjectNode page(JobPage page, Function<Job, ObjectNode> view, @Nullable Supplier<JobCount> count) {
		ObjectNode node = object();
		put(node, "jobs", page.jobs(), view);
		put(node, "next", page.next());
		if (count != null) {
			node.set("count", of((page.next() == null) ? JobCount.exactly(page.jobs().size()) : count.get()));
		}
		return node;
	}

	/**
	 * Return a job as in a list: without attempts, and with the beginning of its last
	 * error.
	 * @param job the job
	 * @return the job
	 */
	public static ObjectNode row(Job job) {
		ObjectNode node = job(job);
		node.withObject("/trail").remove("attempts");
		if (job.trail().end() != null) {
			node.withObject("/trail/end").remove("message");
		}
		return node;
	}

	/**
	 * Return everything about a job except its payload and its headers.
	 * @param job the job
	 * @param log returns the visible part of a log
	 * @return the job
	 */
	public static ObjectNode whole(Job job, UnaryOperator<@Nullable String> log) {
		ObjectNode node = job(job);
		List<Trail.Attempt> attempts = job.trail().attempts();
		for (int i = 0; i < attempts.size(); i++) {
			ObjectNode attempt = (ObjectNode) node.at("/trail/attempts/" + i);
			put(attempt, "stackTrace", attempts.get(i).stackTrace());
			put(attempt, "log", log.apply(attempts.get(i).log()));
		}
		Job.Run run = job.run();
		if (run != null && run.progress() != null) {
			put(node.withObject("/run/progress"), "log", log.apply(run.progress().log()));
		}
		return node;
	}

	private static ObjectNode job(Job job) {
		ObjectNode node = of(job);
		Trail trail = job.trail();
		Trail.Attempt failure = trail.lastFailure();
		Trail.End end = trail.end();
		String error = (end != null) ? end.message() : (failure != null) ? failure.error() : null;
		put(node, "error", (error != null) ? line(error) : null);
		Instant ended = (end != null) ? end.at()
				: trail.isFinished() ? trail.attempts().get(trail.attempts().size() - 1).endedAt() : null;
		put(node, "endedAt", ended);
		JsonNode wait = node.withObject("/trail").remove("waitsFor");
		if (wait != null && job.state() == JobState.WAITING) {
			node.set("waitsFor", ((ObjectNode) wait).put("until", job.dueAt().toString()));
		}
		return node;
	}

	/**
	 * Return the part of a text that fits into a row.
	 * @param text the text
	 * @return its beginning
	 */
	public static String line(String text) {
		String line = text.strip();
		return (line.length() > LONGEST_LINE) ? cut(line, LONGEST_LINE) + "…" : line;
	}

	/**
	 * Return the beginning of a text, without cutting a character.
	 * @param text the text
	 * @param longest its greatest length
	 * @return the beginning
	 */
	public static String cut(String text, int longest) {
		if (text.length() <= longest) {
			return text;
		}
		return text.substring(0, Character.isHighSurrogate(text.charAt(longest - 1)) ? longest - 1 : longest);
	}

	/**
	 * Put a text or a time, if there is one.
	 * @param node where to put it
	 * @param name its name
	 * @param value the value
	 */
	public static void put(ObjectNode node, String name, @Nullable Object value) {
		if (value != null) {
			node.put(name, value.toString());
		}
	}

}
