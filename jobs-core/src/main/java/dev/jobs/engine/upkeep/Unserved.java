package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.store.view.QueueView;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs names whose jobs wait because no live worker has a handler for them: once for each
 * name, and again when that ends. A name counts if two looks in a row find it, since
 * workers may just be restarting.
 */
public final class Unserved implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Unserved.class);

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	/** The most names in a log line. */
	private static final int MOST_LISTED = 10;

	/** The most names remembered; more are not logged. */
	private static final int MOST_REMEMBERED = 1000;

	private final WorkerContext context;

	private final Set<String> logged = new HashSet<>();

	private Set<String> suspected = Set.of();

	public Unserved(WorkerContext context) {
		this.context = context;
	}

	@Override
	public Duration poll() {
		Map<String, Long> unserved = new HashMap<>();
		for (QueueView queue : this.context.store().inspector().queues(this.context.clock().now())) {
			if (!queue.served() && queue.waiting() > 0 && this.context.registry().find(queue.name()) == null) {
				unserved.put(queue.name(), queue.waiting());
			}
		}
		logEnd(unserved.keySet());
		Set<String> fresh = new TreeSet<>(unserved.keySet());
		fresh.removeAll(this.logged);
		Set<String> sure = new TreeSet<>(fresh);
		sure.retainAll(this.suspected);
		log(sure, unserved);
		fresh.removeAll(sure);
		this.suspected = fresh;
		return fresh.isEmpty() ? this.context.vary(INTERVAL) : this.context.settings().beat();
	}

	private void log(Set<String> names, Map<String, Long> waiting) {
		int room = MOST_REMEMBERED - this.logged.size();
		List<String> known = names.stream().limit(Math.max(room, 0)).toList();
		if (known.isEmpty()) {
			return;
		}
		this.logged.addAll(known);
		logger.warn("No live worker has a handler for {}; this one has {}. Correct the name where such "
				+ "jobs are enqueued, add a @JobHandler, or start the application that has it: until then they wait",
				listed(known.stream().map((name) -> "'" + name + "' (" + waiting.get(name) + " waiting)").toList()),
				handlers());
	}

	private String handlers() {
		List<String> names = List.copyOf(new TreeSet<>(this.context.registry().queues()));
		return names.isEmpty() ? "no handlers" : "handlers for " + listed(names);
	}

	private void logEnd(Set<String> unserved) {
		List<String> over = new ArrayList<>(new TreeSet<>(this.logged));
		over.removeAll(unserved);
		if (!over.isEmpty()) {
			this.logged.removeAll(over);
			logger.info("Jobs no longer wait for a worker that has a handler: {}", listed(over));
		}
	}

	private static String listed(List<String> names) {
		String listed = names.stream().limit(MOST_LISTED).collect(Collectors.joining(", "));
		return (names.size() > MOST_LISTED) ? listed + " and " + (names.size() - MOST_LISTED) + " more" : listed;
	}

}
