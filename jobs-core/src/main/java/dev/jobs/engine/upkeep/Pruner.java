package dev.jobs.engine.upkeep;

import java.time.Duration;
import java.time.Instant;

import dev.jobs.JobEvent;
import dev.jobs.engine.context.Events;
import dev.jobs.engine.context.WorkerContext;
import dev.jobs.engine.loop.PollLoop;
import dev.jobs.engine.settings.EngineSettings.Retention;
import dev.jobs.store.PruneRequest;
import dev.jobs.store.Pruned;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps dead jobs and the history within their bounds, and buries due jobs that have had
 * no live worker for longer than the age limit, if one is set. At first it notes the
 * version of the application.
 */
public final class Pruner implements PollLoop.Task {

	private static final Logger logger = LoggerFactory.getLogger(Pruner.class);

	private static final int BATCH = 500;

	private static final Duration INTERVAL = Duration.ofSeconds(30);

	/** There may be very many of them, and they are kept for days. */
	private static final Duration INTERVAL_OF_SCHEDULES = Duration.ofHours(1);

	private final WorkerContext context;

	private final VersionNote version;

	private Instant nextSchedules = Instant.MIN;

	public Pruner(WorkerContext context) {
		this.context = context;
		this.version = new VersionNote(context);
	}

	@Override
	public Duration poll() {
		Instant now = this.context.clock().now();
		Retention retention = this.context.settings().retention();
		boolean schedules = !now.isBefore(this.nextSchedules);
		Pruned pruned = this.context.store()
			.prune(new PruneRequest(before(now, retention.deadAge()), retention.deadCount(),
					before(now, retention.historyAge()), retention.historyCount(), before(now, retention.strandedAge()),
					schedules ? now.minus(Retention.SCHEDULES) : null, BATCH, now));
		if (schedules) {
			this.nextSchedules = now.plus(INTERVAL_OF_SCHEDULES);
		}
		for (Pruned.Expired job : pruned.expired()) {
			JobEvent.Expired expired = new Events.Expired(job.queue(), job.id(), job.kept(), now);
			this.context.tallies().ended(expired, now);
			this.context.events().publish(expired);
		}
		if (!pruned.expired().isEmpty()) {
			logger.info("{} jobs expired while they waited", pruned.expired().size());
		}
		if (pruned.dead() + pruned.history() + pruned.stranded() > 0) {
			logger.info("Pruned {} dead and {} ended jobs; {} died because no worker handles them", pruned.dead(),
					pruned.history(), pruned.stranded());
		}
		this.version.keep();
		return pruned.more() ? Duration.ZERO : this.context.vary(INTERVAL);
	}

	private static @Nullable Instant before(Instant now, @Nullable Duration age) {
		return (age == null || age.compareTo(Duration.between(Instant.EPOCH, now)) > 0) ? null : now.minus(age);
	}

}
