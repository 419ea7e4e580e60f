package dev.jobs.autoconfigure.dashboard;

import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

import dev.jobs.cron.TickRun;
import dev.jobs.store.JobInspector;
import dev.jobs.store.QueueView;
import dev.jobs.store.ScheduleView;
import dev.jobs.store.WorkerInfo;
import dev.jobs.store.WorkerView;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * How things stand: queues, workers and what is wrong. It holds nothing of a job, so
 * everybody who may look may see all of it.
 */
final class Overview {

	/** Each run of a schedule is looked up, so not those of any number. */
	private static final int MOST_WITH_RUNS = 40;

	private final JobInspector inspector;

	private final History history;

	private final InstantSource clock;

	Overview(JobInspector inspector, History history, InstantSource clock) {
		this.inspector = inspector;
		this.history = history;
		this.clock = clock;
	}

	ObjectNode read() {
		Instant now = this.clock.instant();
		List<QueueView> queues = this.inspector.queues(now);
		List<WorkerView> workers = this.inspector.workers(now);
		ObjectNode overview = JsonNodeFactory.instance.objectNode().put("now", now.toString());
		JsonNode recent = this.history.recent();
		putQueues(overview.putArray("queues"), queues, workers, recent.path("processed"));
		overview.putObject("recent")
			.setAll(Map.of("succeeded", recent.path("succeeded"), "failed", recent.path("failed")));
		putWorkers(overview.putArray("workers"), workers);
		Alerts.put(overview.putArray("alerts"), queues, workers, now);
		return overview;
	}

	ObjectNode schedules() {
		ObjectNode node = JsonNodeFactory.instance.objectNode();
		putSchedules(node.putArray("schedules"), this.inspector.schedules(), this.clock.instant());
		return node;
	}

	private static void putQueues(ArrayNode array, List<QueueView> queues, List<WorkerView> workers,
			JsonNode processed) {
		for (QueueView queue : queues) {
			ObjectNode node = array.addObject()
				.put("name", queue.name())
				.put("ready", queue.ready())
				.put("scheduled", queue.scheduled())
				.put("retrying", queue.retrying())
				.put("running", queue.running())
				.put("dead", queue.dead())
				.put("history", queue.history())
				.put("oldestReady", JobJson.text(queue.oldestReady()))
				.put("paused", queue.paused())
				.put("limit", queue.limit())
				.put("limitAmongWorkers", queue.limitAmong(workers))
				.put("served", queue.served())
				.put("exact", queue.exact());
			node.set("processed", processed.path(queue.name()).isArray() ? processed.path(queue.name())
					: JsonNodeFactory.instance.arrayNode());
		}
	}

	private static void putWorkers(ArrayNode array, List<WorkerView> workers) {
		for (WorkerView worker : workers) {
			ObjectNode node = array.addObject()
				.put("id", worker.id())
				.put("lastBeat", worker.lastBeat().toString())
				.put("leaseUntil", worker.leaseUntil().toString())
				.put("running", worker.running());
			WorkerInfo info = worker.info();
			if (info != null) {
				node.put("host", info.host())
					.put("pid", info.pid())
					.put("version", info.version())
					.put("startedAt", info.startedAt().toString());
				ArrayNode pools = node.putArray("pools");
				info.pools().forEach((pool) -> {
					ObjectNode it = pools.addObject()
						.put("name", pool.name())
						.put("concurrency", pool.concurrency())
						.put("busy", pool.busy());
					ArrayNode served = it.putArray("queues");
					pool.queues().forEach(served::add);
				});
			}
		}
	}

	private static void putRuns(ArrayNode array, List<TickRun> runs) {
		runs.forEach((run) -> array.addObject()
			.put("tick", run.tick().toString())
			.put("firedAt", run.firedAt().toString())
			.put("fate", run.fate().name())
			.put("jobId", run.jobId())
			.put("passedOver", run.passedOver()));
	}

	private void putSchedules(ArrayNode array, List<ScheduleView> schedules, Instant now) {
		int left = MOST_WITH_RUNS;
		for (ScheduleView schedule : schedules) {
			ObjectNode node = array.addObject()
				.put("name", schedule.name())
				.put("definition", schedule.definition())
				.put("queue", schedule.queue())
				.put("latest", schedule.latest().toString())
				.put("paused", schedule.paused());
			if (left-- > 0) {
				putRuns(node.putArray("runs"), TickRun.of(schedule, this.inspector, now));
			}
			ScheduleWords.put(node, schedule.definition(), now);
		}
	}

}
