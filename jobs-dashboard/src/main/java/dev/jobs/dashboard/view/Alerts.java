package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

import dev.jobs.QueueStatus;
import dev.jobs.WorkerStatus;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is wrong, in plain words.
 */
final class Alerts {

	private static final Duration LONG_WAIT = Duration.ofMinutes(5);

	private static final int MOST = 100;

	private static final List<String> LEVELS = List.of("bad", "warn", "note");

	private Alerts() {
	}

	/**
	 * Put the worst alerts, and how many there are in all.
	 */
	static void put(ObjectNode node, List<QueueStatus> queues, List<WorkerStatus> workers, Instant now) {
		ArrayNode all = JsonNodeFactory.instance.arrayNode();
		find(all, queues, workers, now);
		ArrayNode worst = node.put("alertCount", all.size()).putArray("alerts");
		all.valueStream()
			.sorted(Comparator.comparingInt((alert) -> LEVELS.indexOf(alert.path("level").asString())))
			.limit(MOST)
			.forEach(worst::add);
	}

	private static void find(ArrayNode alerts, List<QueueStatus> queues, List<WorkerStatus> workers, Instant now) {
		long waiting = queues.stream().mapToLong(QueueStatus::waiting).sum();
		if (workers.isEmpty() && waiting > 0) {
			boolean more = queues.stream().anyMatch((queue) -> isMore(queue, "ready", "scheduled"));
			add(alerts, "bad",
					"No worker is alive, and " + jobs(waiting, more) + ((waiting == 1) ? " waits." : " wait."),
					List.of("workers"));
		}
		for (QueueStatus queue : queues) {
			put(alerts, queue, !workers.isEmpty(), now);
		}
	}

	private static void put(ArrayNode alerts, QueueStatus queue, boolean workers, Instant now) {
		String name = "“" + queue.name() + "”";
		List<String> link = List.of("queues", queue.name());
		if (workers && !queue.served() && queue.waiting() > 0) {
			add(alerts, "bad", name + " holds " + jobs(queue.waiting(), isMore(queue, "ready", "scheduled"))
					+ ", but no live worker has a handler for it.", link);
		}
		else if (queue.paused() && queue.ready() > 0) {
			add(alerts, "note",
					name + " is paused while " + jobs(queue.ready(), isMore(queue, "ready")) + " could run.", link);
		}
		else if (queue.oldestReady() != null) {
			Duration wait = Duration.between(queue.oldestReady(), now);
			if (wait.compareTo(LONG_WAIT) > 0) {
				add(alerts, "warn", "The oldest job of " + name + " has been due for " + Quantities.span(wait) + ".",
						link);
			}
		}
		if (queue.dead() > 0) {
			add(alerts, "warn", name + " has " + (isMore(queue, "dead") ? "at least " : "")
					+ Quantities.plural(queue.dead(), "dead job") + ".", List.of("dead", queue.name()));
		}
	}

	private static boolean isMore(QueueStatus queue, String... states) {
		return List.of(states).stream().anyMatch(queue.atLeast()::contains);
	}

	private static String jobs(long count, boolean more) {
		return (more ? "at least " : "") + Quantities.plural(count, "job");
	}

	private static void add(ArrayNode alerts, String level, String text, List<String> link) {
		ArrayNode parts = alerts.addObject().put("level", level).put("text", text).putArray("link");
		link.forEach(parts::add);
	}

}
