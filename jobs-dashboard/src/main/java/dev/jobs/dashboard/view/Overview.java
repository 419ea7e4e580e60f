package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

import dev.jobs.JobCount;
import dev.jobs.JobFilter;
import dev.jobs.JobState;
import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.WorkerStatus;
import dev.jobs.cron.Schedule;
import dev.jobs.json.Views;
import dev.jobs.operations.JobOperations;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The current state: queues, workers and alerts. It shows no single job, so every user
 * with access may see all of it.
 *
 * @param operations the operations to read
 * @param statistics the statistics
 * @param targetWait how long the jobs of a pool may wait, by its name
 * @param clock the time
 */
public record Overview(JobOperations operations, Statistics statistics, Function<String, Duration> targetWait,
		InstantSource clock) {

	/**
	 * Each run of a schedule is looked up, so only up to this many schedules have runs.
	 */
	private static final int MOST_WITH_RUNS = 40;

	private static final int MOST_SCHEDULES = 200;

	private static final int MOST_QUEUES = 200;

	/** How far jobs of all queues are counted if their sum is a lower bound. */
	private static final int COUNTED_UP_TO = 10_000;

	private static final int MOST_LISTED = 5_000;

	/** How many coming ticks of a schedule are shown. */
	private static final int NEXT = 5;

	/** How many queues the pools of all workers name together. */
	private static final int MOST_NAMES_SERVED = 1000;

	/**
	 * Return the current state. It goes to every open page every few seconds, so of very
	 * many queues it has only some, those in trouble and those that a worker serves
	 * before others; the sums cover all queues.
	 * @return the state
	 */
	public ObjectNode read() {
		Instant now = this.clock.instant();
		List<QueueStatus> queues = this.operations.queues();
		List<WorkerStatus> workers = this.operations.workers();
		ObjectNode overview = Views.object().put("now", now.toString());
		JsonNode recent = this.statistics.recent();
		JobCount dead = putTotals(overview.putObject("totals"), queues);
		putQueues(overview.put("queueCount", queues.size()),
				queues.stream()
					.sorted(Comparator.comparing((QueueStatus queue) -> !queue.served())
						.thenComparing(QueueOrder.of(null, now)))
					.limit(MOST_QUEUES)
					.toList(),
				workers, recent.path("queues"));
		overview.putObject("recent")
			.setAll(Map.of("succeeded", recent.path("succeeded"), "failed", recent.path("failed")));
		putWorkers(overview, workers);
		Alerts.put(overview, queues, dead, workers, this.operations.store().faults(), now);
		return overview;
	}

	/**
	 * Return the queues whose names contain a text, an exact match first, with the
	 * workers that serve them.
	 * @param text the text
	 * @param only {@code dead}, {@code paused} or {@code unserved} to have only these
	 * @param sort the column to sort by, with a minus to reverse it
	 * @param limit how many to return
	 * @return the queues
	 */
	public ObjectNode queues(String text, @Nullable String only, @Nullable String sort, int limit) {
		String wanted = text.toLowerCase(Locale.ROOT);
		List<QueueStatus> found = this.operations.queues()
			.stream()
			.filter((queue) -> queue.name().toLowerCase(Locale.ROOT).contains(wanted))
			.map((queue) -> queue.name().equals(text) ? this.operations.queue(text).status().orElse(queue) : queue)
			.filter(QueueOrder.only(only))
			.sorted(Comparator.<QueueStatus, Boolean>comparing((queue) -> !queue.name().equals(text))
				.thenComparing(QueueOrder.of(sort, this.clock.instant())))
			.toList();
		List<WorkerStatus> workers = this.operations.workers();
		ObjectNode node = Views.object().put("count", found.size());
		putQueues(node, found.stream().limit(Math.max(1, Math.min(limit, MOST_LISTED))).toList(), workers,
				this.statistics.recent().path("queues"));
		ArrayNode servers = node.putArray("workers");
		workers.stream().filter((worker) -> serves(worker, text)).forEach((worker) -> servers.add(worker.id()));
		return node;
	}

	private static boolean serves(WorkerStatus worker, String queue) {
		WorkerStatus.Info info = worker.info();
		return info != null && info.pools().stream().anyMatch((pool) -> pool.queues().contains(queue));
	}

	/**
	 * Put the sums of all queues.
	 * @return how many jobs are dead
	 */
	private JobCount putTotals(ObjectNode node, List<QueueStatus> queues) {
		List<JobCount> counts = Stream.of(Total.values()).map((total) -> count(total, queues)).toList();
		Set<String> atLeast = new TreeSet<>();
		Set<String> about = new TreeSet<>();
		for (Total total : Total.values()) {
			JobCount count = counts.get(total.ordinal());
			node.put(total.field(), count.estimate());
			if (!count.exact()) {
				((count.estimate() > count.number()) ? about : atLeast).add(total.field());
			}
		}
		putNames(node.putArray("atLeast"), atLeast);
		putNames(node.putArray("about"), about);
		queues.stream()
			.filter((queue) -> queue.oldestReady() != null)
			.min(Comparator.comparing((queue) -> Objects.requireNonNull(queue.oldestReady())))
			.ifPresent((queue) -> node.put("oldestQueue", queue.name())
				.put("oldestReady", String.valueOf(queue.oldestReady())));
		return counts.get(Total.DEAD.ordinal());
	}

	/**
	 * Count the jobs of a state. If queues are counted up to a bound, one count over all
	 * may reach further than their sum; if not, an estimate may.
	 */
	private JobCount count(Total total, List<QueueStatus> queues) {
		long sum = queues.stream().mapToLong(total.number).sum();
		if (queues.stream().noneMatch((queue) -> queue.atLeast().contains(total.field()))) {
			return JobCount.exactly(sum);
		}
		JobCount all = this.operations.jobs(JobFilter.of(total.jobs)).count((sum < COUNTED_UP_TO) ? COUNTED_UP_TO : 1);
		return (all.number() < sum) ? JobCount.atLeast(sum, all.estimate()) : all;
	}

	/**
	 * Put the names of numbers that are not exact.
	 */
	private static void putNames(ArrayNode array, Set<String> names) {
		names.forEach(array::add);
	}

	private static void putQueues(ObjectNode node, List<QueueStatus> queues, List<WorkerStatus> workers,
			JsonNode succeeded) {
		Views.put(node, "queues", queues, (queue) -> {
			ObjectNode view = Views.queue(queue, workers);
			return view.set("succeeded", succeeded.path(queue.name()).isArray() ? succeeded.path(queue.name())
					: JsonNodeFactory.instance.arrayNode());
		});
	}

	/**
	 * Put the workers. The queues named in all pools together are bounded.
	 */
	private static void putWorkers(ObjectNode node, List<WorkerStatus> workers) {
		int left = MOST_NAMES_SERVED;
		for (JsonNode worker : Views.put(node, "workers", workers, Views::of)) {
			for (JsonNode pool : worker.path("info").path("pools")) {
				ArrayNode served = (ArrayNode) pool.path("queues");
				((ObjectNode) pool).put("queueCount", served.size());
				while (served.size() > left) {
					served.remove(served.size() - 1);
				}
				left -= served.size();
			}
		}
	}

	/**
	 * Return the pools of live workers, the operators' settings for them, and how many
	 * workers they need.
	 * @return the pools
	 */
	public JsonNode pools() {
		return this.statistics.remembered("pools", () -> Views.pools(this.operations, this.targetWait));
	}

	/**
	 * Return a page of the schedules, with the runs of the first ones.
	 * @param after the name after which it begins; empty for the first page
	 */
	public ObjectNode schedules(String after) {
		ObjectNode node = Views.object();
		AtomicInteger left = new AtomicInteger(MOST_WITH_RUNS);
		List<ScheduleStatus> all = this.operations.schedules();
		List<ScheduleStatus> page = all.stream()
			.sorted(Comparator.comparing(ScheduleStatus::name))
			.filter((schedule) -> schedule.name().compareTo(after) > 0)
			.toList();
		node.put("total", all.size());
		if (page.size() > MOST_SCHEDULES) {
			node.put("next", page.get(MOST_SCHEDULES - 1).name());
		}
		Views.put(node, "schedules", page.stream().limit(MOST_SCHEDULES).toList(), (schedule) -> {
			ObjectNode view = Views.of(schedule);
			ArrayNode ticks = view.putArray("ticks");
			Schedule rule = Schedule.ofDefinition(schedule.definition());
			if (rule != null && schedule.next() != null) {
				// A calendar may leave out further ticks of a schedule put at run time.
				Stream.iterate(schedule.next(), Objects::nonNull, rule::next)
					.limit(schedule.put() ? 1 : NEXT)
					.forEach((tick) -> ticks.add(tick.toString()));
			}
			if (left.getAndDecrement() > 0) {
				Views.put(view, "runs", this.operations.schedule(schedule.name()).runs(), Overview::run);
			}
			return view;
		});
		return node;
	}

	private static ObjectNode run(ScheduleStatus.Run run) {
		ObjectNode view = Views.of(run);
		return (run.ran() != null) ? view.put("ranMillis", run.ran().toMillis()) : view;
	}

	/**
	 * A sum of all queues.
	 */
	private enum Total {

		READY(QueueStatus::ready, (jobs) -> jobs.states(JobState.READY)),

		SCHEDULED((queue) -> queue.scheduled() - queue.retrying(),
				(jobs) -> jobs.states(JobState.SCHEDULED).retrying(false)),

		RETRYING(QueueStatus::retrying, (jobs) -> jobs.states(JobState.SCHEDULED).retrying(true)),

		PARKED(QueueStatus::parked, (jobs) -> jobs.states(JobState.WAITING)),

		RUNNING(QueueStatus::running, (jobs) -> jobs.states(JobState.RUNNING)),

		DEAD(QueueStatus::dead, (jobs) -> jobs.states(JobState.DEAD)),

		HISTORY(QueueStatus::history, (jobs) -> jobs.states(JobState.SUCCEEDED, JobState.CANCELLED));

		private final ToLongFunction<QueueStatus> number;

		private final Consumer<JobFilter.Builder> jobs;

		Total(ToLongFunction<QueueStatus> number, Consumer<JobFilter.Builder> jobs) {
			this.number = number;
			this.jobs = jobs;
		}

		String field() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
