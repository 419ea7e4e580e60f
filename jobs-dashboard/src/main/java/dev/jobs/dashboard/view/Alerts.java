package dev.jobs.dashboard.view;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.jobs.JobCount;
import dev.jobs.QueueStatus;
import dev.jobs.StoreStatus;
import dev.jobs.WorkerStatus;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import org.springframework.util.StringUtils;

/**
 * The alerts, in plain words: one for each kind of trouble, the worst first, with the
 * queues that have it.
 */
final class Alerts {

	/** An alert names only the worst of its queues, since it goes to every open page. */
	private static final int MOST_QUEUES = 20;

	private Alerts() {
	}

	/**
	 * Put the alerts.
	 * @param dead how many jobs are dead in all queues
	 */
	static void put(ObjectNode node, List<QueueStatus> queues, JobCount dead, List<WorkerStatus> workers,
			List<StoreStatus.Fault> faults, Instant now) {
		Map<Kind, List<Trouble>> found = new EnumMap<>(Kind.class);
		for (QueueStatus queue : queues) {
			find(found, queue, workers.isEmpty(), now);
		}
		ArrayNode alerts = node.putArray("alerts");
		if (!faults.isEmpty()) {
			putFaults(alerts.addObject(), faults);
		}
		found.forEach((kind, troubles) -> {
			troubles.sort(Comparator.comparingLong(Trouble::amount).reversed());
			long sum = troubles.stream().mapToLong(Trouble::amount).sum();
			put(alerts.addObject(), kind, troubles, (kind == Kind.DEAD) ? dead
					: troubles.stream().anyMatch(Trouble::more) ? JobCount.atLeast(sum) : JobCount.exactly(sum));
		});
	}

	/**
	 * Put the faults of the store that an operator must correct. The application's health
	 * lists them all.
	 */
	private static void putFaults(ObjectNode node, List<StoreStatus.Fault> faults) {
		StoreStatus.Fault worst = faults.stream()
			.filter(StoreStatus.Fault::stopsWork)
			.findFirst()
			.orElse(faults.get(0));
		boolean bad = worst.stopsWork();
		String more = (faults.size() > 1) ? " (and " + (faults.size() - 1) + " more; the health lists them)" : "";
		// A user who dismisses the lesser alert must still see the other.
		node.put("kind", bad ? "fault-that-stops-work" : "fault")
			.put("level", bad ? "bad" : "warn")
			.put("text", worst.text() + more)
			.put("amount", faults.size())
			.put("queueCount", 1);
		node.putArray("link").add("queues");
		node.putArray("queues");
	}

	private static void find(Map<Kind, List<Trouble>> found, QueueStatus queue, boolean noWorkers, Instant now) {
		Instant oldest = queue.oldestReady();
		if (queue.waiting() > 0 && (noWorkers || !queue.served())) {
			add(found, noWorkers ? Kind.NO_WORKERS : Kind.UNSERVED, queue, queue.waiting(),
					isMore(queue, "ready", "scheduled"));
		}
		else if (queue.paused() && queue.ready() > 0) {
			add(found, Kind.PAUSED, queue, queue.ready(), isMore(queue, "ready"));
		}
		else if (oldest != null && QueueOrder.isLate(queue, now)) {
			add(found, Kind.LATE, queue, (long) (Quantities.seconds(Duration.between(oldest, now)) * 1000), false);
		}
		if (queue.dead() > 0) {
			add(found, Kind.DEAD, queue, queue.dead(), isMore(queue, "dead"));
		}
	}

	private static void add(Map<Kind, List<Trouble>> found, Kind kind, QueueStatus queue, long amount, boolean more) {
		found.computeIfAbsent(kind, (any) -> new ArrayList<>()).add(new Trouble(queue.name(), amount, more));
	}

	private static boolean isMore(QueueStatus queue, String... states) {
		return List.of(states).stream().anyMatch(queue.atLeast()::contains);
	}

	private static void put(ObjectNode node, Kind kind, List<Trouble> troubles, JobCount count) {
		Trouble worst = troubles.get(0);
		String where = (troubles.size() == 1) ? "“" + worst.queue + "”" : Quantities.plural(troubles.size(), "queue");
		node.put("kind", kind.name().toLowerCase(Locale.ROOT))
			.put("level", kind.level)
			.put("text", text(kind, where, worst, count))
			.put("amount", (kind == Kind.LATE) ? worst.amount : count.number())
			.put("queueCount", troubles.size());
		putLink(node, kind, (troubles.size() == 1) ? worst : null);
		ArrayNode queues = node.putArray("queues");
		for (Trouble trouble : troubles.subList(0, Math.min(troubles.size(), MOST_QUEUES))) {
			ObjectNode queue = queues.addObject().put("name", trouble.queue).put("text", detail(kind, trouble));
			putLink(queue, kind, trouble);
		}
	}

	private static String text(Kind kind, String where, Trouble worst, JobCount count) {
		String jobs = Quantities.of(count, (kind == Kind.DEAD) ? "dead job" : "job");
		boolean one = count.number() == 1;
		return StringUtils.capitalize(switch (kind) {
			case NO_WORKERS -> "No live workers: " + jobs + " in " + where + (one ? " is waiting" : " are waiting");
			case UNSERVED -> jobs + " in " + where + (one ? " has" : " have") + " no worker";
			case DEAD -> jobs + " in " + where;
			case LATE -> "Jobs in " + where + " have been waiting for up to " + Quantities.span(worst.time());
			case PAUSED -> jobs + (one ? " is" : " are") + " waiting in " + where
					+ (where.startsWith("“") ? ", which is paused" : ", which are paused");
		});
	}

	private static String detail(Kind kind, Trouble trouble) {
		return switch (kind) {
			case LATE -> "waiting for up to " + Quantities.span(trouble.time());
			default -> Quantities.of(trouble.count(), (kind == Kind.DEAD) ? "dead job" : "job");
		};
	}

	private static void putLink(ObjectNode node, Kind kind, @Nullable Trouble trouble) {
		ArrayNode link = node.putArray("link").add((kind == Kind.DEAD) ? "dead" : "queues");
		if (trouble != null) {
			link.add(trouble.queue);
		}
	}

	/**
	 * A kind of trouble, the worst first.
	 */
	private enum Kind {

		NO_WORKERS("bad"), UNSERVED("bad"), DEAD("warn"), LATE("warn"), PAUSED("note");

		private final String level;

		Kind(String level) {
			this.level = level;
		}

	}

	/**
	 * A queue that is in trouble.
	 *
	 * @param queue its name
	 * @param amount the number of jobs, or of milliseconds
	 * @param more whether there may be more
	 */
	private record Trouble(String queue, long amount, boolean more) {

		Duration time() {
			return Duration.ofMillis(this.amount);
		}

		JobCount count() {
			return this.more ? JobCount.atLeast(this.amount) : JobCount.exactly(this.amount);
		}

	}

}
