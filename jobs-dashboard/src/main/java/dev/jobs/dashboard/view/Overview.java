package dev.jobs.dashboard.view;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.jobs.QueueStatus;
import dev.jobs.ScheduleStatus;
import dev.jobs.WorkerStatus;
import dev.jobs.cron.Schedule;
import dev.jobs.operations.JobOperations;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * How things stand: queues, workers and what is wrong. It holds nothing of a job, so
 * everybody who may look may see all of it.
 */
public final class Overview {

	/** Each run of a schedule is looked up, so not those of any number. */
	private static final int MOST_WITH_RUNS = 40;

	private static final int MOST_QUEUES = 200;

	/** Ticks to come of a schedule. */
	private static final int NEXT = 5;

	/** Of all pools of all workers together. */
	private static final int MOST_NAMES_SERVED = 1000;

	private final JobOperations operations;

	private final History history;

	private final InstantSource clock;

	/**
	 * Create an overview.
	 * @param operations what is read
	 * @param history the past
	 * @param clock the time
	 */
	public Overview(JobOperations operations, History history, InstantSource clock) {
		this.operations = operations;
		this.history = history;
		this.clock = clock;
	}

	/**
	 * Return the current state. Of very many queues it has those in which most happens,
	 * as it goes to every open page every few seconds; the sums are those of all.
	 * @return the state
	 */
	public ObjectNode read() {
		Instant now = this.clock.instant();
		List<QueueStatus> queues = this.operations.queues();
		List<WorkerStatus> workers = this.operations.workers();
		ObjectNode overview = JsonNodeFactory.instance.objectNode().put("now", now.toString());
		JsonNode recent = this.history.recent();
		putTotals(overview.putObject("totals"), queues);
		putQueues(overview.put("queueCount", queues.size()).putArray("queues"), busiest(queues), workers,
				recent.path("queues"));
		overview.putObject("recent")
			.setAll(Map.of("succeeded", recent.path("succeeded"), "failed", recent.path("failed")));
		putWorkers(overview.putArray("workers"), workers);
		Alerts.put(overview, queues, workers, this.operations.store().faults(), now);
		return overview;
	}

	/**
	 * Return the queues whose names contain a text, the one of that very name first, with
	 * the workers that serve it.
	 * @param text the text
	 * @return the queues
	 */
	public ObjectNode queues(String text) {
		String wanted = text.toLowerCase(Locale.ROOT);
		List<QueueStatus> found = this.operations.queues()
			.stream()
			.filter((queue) -> queue.name().toLowerCase(Locale.ROOT).contains(wanted))
			.sorted(Comparator.comparing((queue) -> !queue.name().equals(text)))
			.toList();
		List<WorkerStatus> workers = this.operations.workers();
		ObjectNode node = JsonNodeFactory.instance.objectNode().put("count", found.size());
		putQueues(node.putArray("queues"), found.stream().limit(MOST_QUEUES).toList(), workers,
				this.history.recent().path("queues"));
		ArrayNode servers = node.putArray("workers");
		workers.stream().filter((worker) -> serves(worker, text)).forEach((worker) -> servers.add(worker.id()));
		return node;
	}

	private static boolean serves(WorkerStatus worker, String queue) {
		WorkerStatus.Info info = worker.info();
		return info != null && info.pools().stream().anyMatch((pool) -> pool.queues().contains(queue));
	}

	private static List<QueueStatus> busiest(List<QueueStatus> queues) {
		if (queues.size() <= MOST_QUEUES) {
			return queues;
		}
		Set<QueueStatus> busiest = queues.stream()
			.sorted(Comparator.comparingLong(Overview::bustle).reversed())
			.limit(MOST_QUEUES)
			.collect(Collectors.toSet());
		return queues.stream().filter(busiest::contains).toList();
	}

	private static long bustle(QueueStatus queue) {
		return queue.waiting() + queue.running() + queue.dead();
	}

	private static void putTotals(ObjectNode node, List<QueueStatus> queues) {
		node.put("ready", sum(queues, QueueStatus::ready))
			.put("scheduled", sum(queues, (queue) -> queue.scheduled() - queue.retrying()))
			.put("retrying", sum(queues, QueueStatus::retrying))
			.put("running", sum(queues, QueueStatus::running))
			.put("dead", sum(queues, QueueStatus::dead))
			.put("history", sum(queues, QueueStatus::history));
		putAtLeast(node,
				queues.stream()
					.flatMap((queue) -> queue.atLeast().stream())
					.collect(Collectors.toCollection(TreeSet::new)));
		queues.stream()
			.filter((queue) -> queue.oldestReady() != null)
			.min(Comparator.comparing((queue) -> String.valueOf(queue.oldestReady())))
			.ifPresent((queue) -> node.put("oldestQueue", queue.name())
				.put("oldestReady", JobJson.text(queue.oldestReady())));
	}

	/**
	 * Put the names of the numbers that are lower bounds.
	 */
	private static void putAtLeast(ObjectNode node, Set<String> names) {
		ArrayNode array = node.putArray("atLeast");
		names.forEach(array::add);
	}

	private static long sum(List<QueueStatus> queues, ToLongFunction<QueueStatus> count) {
		return queues.stream().mapToLong(count).sum();
	}

	/**
	 * Return the schedules.
	 * @return the schedules
	 */
	public ObjectNode schedules() {
		ObjectNode node = JsonNodeFactory.instance.objectNode();
		putSchedules(node.putArray("schedules"), this.operations.schedules(), this.clock.instant());
		return node;
	}

	/**
	 * Put the schedules of a queue, without their runs.
	 */
	void putSchedules(ArrayNode array, String queue, Instant now) {
		this.operations.schedules()
			.stream()
			.filter((schedule) -> schedule.jobName().equals(queue))
			.forEach((schedule) -> putSchedule(array.addObject(), schedule, now));
	}

	private static void putQueues(ArrayNode array, List<QueueStatus> queues, List<WorkerStatus> workers,
			JsonNode succeeded) {
		for (QueueStatus queue : queues) {
			ObjectNode node = array.addObject()
				.put("name", queue.name())
				.put("ready", queue.ready())
				.put("scheduled", queue.scheduled() - queue.retrying())
				.put("retrying", queue.retrying())
				.put("running", queue.running())
				.put("dead", queue.dead())
				.put("history", queue.history())
				.put("oldestReady", JobJson.text(queue.oldestReady()))
				.put("paused", queue.paused())
				.put("limit", queue.limit())
				.put("limitAmongWorkers", queue.limitAmong(workers))
				.put("served", queue.served());
			putAtLeast(node, queue.atLeast());
			node.set("succeeded", succeeded.path(queue.name()).isArray() ? succeeded.path(queue.name())
					: JsonNodeFactory.instance.arrayNode());
		}
	}

	private static void putWorkers(ArrayNode array, List<WorkerStatus> workers) {
		int names = 0;
		for (WorkerStatus worker : workers) {
			ObjectNode node = array.addObject()
				.put("id", worker.id())
				.put("lastBeat", worker.lastBeat().toString())
				.put("leaseUntil", worker.leaseUntil().toString())
				.put("running", worker.running());
			WorkerStatus.Info info = worker.info();
			if (info != null) {
				node.put("host", info.host())
					.put("pid", info.pid())
					.put("version", info.version())
					.put("startedAt", info.startedAt().toString());
				WorkerStatus.Jvm jvm = info.jvm();
				if (jvm != null) {
					node.putObject("jvm")
						.put("java", jvm.java())
						.put("jobs", jvm.jobs())
						.put("heapUsed", jvm.heapUsed())
						.put("heapMax", jvm.heapMax())
						.put("threads", jvm.threads());
				}
				ArrayNode pools = node.putArray("pools");
				for (WorkerStatus.Pool pool : info.pools()) {
					ArrayNode served = pools.addObject()
						.put("name", pool.name())
						.put("concurrency", pool.concurrency())
						.put("busy", pool.busy())
						.put("queueCount", pool.queues().size())
						.putArray("queues");
					pool.queues().stream().limit(MOST_NAMES_SERVED - names).forEach(served::add);
					names += served.size();
				}
			}
		}
	}

	private static void putRuns(ArrayNode array, List<ScheduleStatus.Run> runs) {
		runs.forEach((run) -> array.addObject()
			.put("tick", run.tick().toString())
			.put("firedAt", run.firedAt().toString())
			.put("fate", run.fate().name())
			.put("jobId", run.jobId())
			.put("passedOver", run.passedOver()));
	}

	private void putSchedules(ArrayNode array, List<ScheduleStatus> schedules, Instant now) {
		int left = MOST_WITH_RUNS;
		for (ScheduleStatus schedule : schedules) {
			ObjectNode node = array.addObject();
			putSchedule(node, schedule, now);
			if (left-- > 0) {
				putRuns(node.putArray("runs"), this.operations.schedule(schedule.name()).runs());
			}
		}
	}

	private static void putSchedule(ObjectNode node, ScheduleStatus schedule, Instant now) {
		Instant last = schedule.last();
		node.put("name", schedule.name())
			.put("definition", schedule.definition())
			.put("queue", schedule.jobName())
			.put("latest", (last != null) ? last.toString() : null)
			.put("paused", schedule.paused());
		Schedule ticks = Schedule.ofDefinition(schedule.definition());
		node.put("broken", ticks == null);
		ArrayNode next = node.putArray("next");
		if (ticks != null) {
			String expression = ticks.expression();
			node.put("expression", expression)
				.put("zone", expression.startsWith("@every") ? null : ticks.zone().getId());
			Stream.iterate(ticks.next(now), Objects::nonNull, ticks::next)
				.limit(NEXT)
				.forEach((tick) -> next.add(tick.toString()));
		}
	}

}
