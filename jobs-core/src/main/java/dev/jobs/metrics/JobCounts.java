package dev.jobs.metrics;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import dev.jobs.DeadReason;
import dev.jobs.JobEvent;
import dev.jobs.JobListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/**
 * Counts and times what happens to jobs in this process. The meters of a handler are
 * looked up once.
 */
public final class JobCounts implements JobListener {

	private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

	private final MeterRegistry registry;

	private final MeterNames handlers;

	private final MeterNames schedules;

	private final Map<String, OfHandler> meters = new ConcurrentHashMap<>();

	/**
	 * Create the counts.
	 * @param registry where the meters go
	 * @param mostNames how many handlers and schedules have meters of their own
	 */
	public JobCounts(MeterRegistry registry, int mostNames) {
		this.registry = registry;
		this.handlers = new MeterNames(mostNames);
		this.schedules = new MeterNames(mostNames);
	}

	/**
	 * Register the meters of handlers and schedules before anything happens to their
	 * jobs: a counter that appears with the first death hides that death from alerts on
	 * an increase.
	 * @param handlers the names of the handlers
	 * @param schedules the names of the schedules
	 */
	public void expect(Collection<String> handlers, Collection<String> schedules) {
		handlers.stream().sorted().forEach(this::ofHandler);
		schedules.stream().sorted().forEach((schedule) -> {
			ticked(schedule);
			missed(schedule);
		});
	}

	@Override
	public void on(JobEvent event) {
		ofHandler(event.name()).on(event);
		if (event instanceof JobEvent.Ticked ticked) {
			ticked(ticked.schedule()).increment();
		}
		else if (event instanceof JobEvent.TicksMissed missed) {
			missed(missed.schedule()).increment();
		}
	}

	/**
	 * Return how long a job was due. By a clock that is behind it may have started a
	 * moment too early, and a timer takes at most {@link #LONGEST_WAIT}.
	 */
	private static Duration waited(JobEvent.Started started) {
		Duration waited = Duration.between(started.job().dueAt(), started.at());
		return waited.isNegative() ? Duration.ZERO : (waited.compareTo(LONGEST_WAIT) < 0) ? waited : LONGEST_WAIT;
	}

	private Counter ticked(String schedule) {
		return schedule("jobs.schedule.ticks", "Ticks for which a job was enqueued", schedule);
	}

	private Counter missed(String schedule) {
		return schedule("jobs.schedule.missed", "Times ticks were missed", schedule);
	}

	private Counter schedule(String name, String description, String schedule) {
		return Counter.builder(name)
			.description(description)
			.tag("schedule", this.schedules.of(schedule))
			.register(this.registry);
	}

	private OfHandler ofHandler(String name) {
		OfHandler known = this.meters.get(name);
		if (known != null) {
			return known;
		}
		String tag = this.handlers.of(name);
		return this.meters.computeIfAbsent(tag, (handler) -> new OfHandler(this.registry, handler));
	}

	/**
	 * The meters of one handler.
	 */
	private static final class OfHandler {

		private final MeterRegistry registry;

		private final String handler;

		private final Timer waited;

		private final Map<Class<? extends JobEvent>, Counter> counters = new LinkedHashMap<>();

		private final Map<Class<? extends JobEvent.OfRun>, Timer> runs = new LinkedHashMap<>();

		OfHandler(MeterRegistry registry, String handler) {
			this.registry = registry;
			this.handler = handler;
			this.waited = Timer.builder("jobs.wait")
				.description("Time from when a job was due to its start")
				.tag("handler", handler)
				.register(registry);
			List.of(JobEvent.Accepted.class, JobEvent.Ticked.class)
				.forEach((event) -> count(event, "jobs.enqueued", "Jobs enqueued or replaced"));
			count(JobEvent.Expired.class, "jobs.expired", "Jobs that were not started in time");
			count(JobEvent.Rejected.class, "jobs.rejected", "Jobs not taken because their queue was full");
			count(JobEvent.EnqueueFailed.class, "jobs.enqueue.failed",
					"Jobs not enqueued after the commit of their transaction");
			count(JobEvent.StepSaved.class, "jobs.steps", "Steps that were done and saved");
			count(JobEvent.LeaseLost.class, "jobs.lease.lost",
					"Runs that ended after their job went to another worker");
			count(JobEvent.Rescued.class, "jobs.rescued", "Jobs taken over from workers that vanished");
			count(JobEvent.Stuck.class, "jobs.stuck", "Runs that kept running although they were asked to end");
			List.of(JobEvent.Succeeded.class, JobEvent.Retrying.class, JobEvent.Postponed.class, JobEvent.Died.class,
					JobEvent.Cancelled.class, JobEvent.Released.class)
				.forEach((event) -> this.runs.put(event, run(event)));
			List.of(DeadReason.values()).forEach(this::deaths);
		}

		void on(JobEvent event) {
			if (event instanceof JobEvent.OfRun run) {
				this.runs.forEach((type, timer) -> {
					if (type.isInstance(run)) {
						timer.record(run.took());
					}
				});
			}
			else if (event instanceof JobEvent.Started started) {
				this.waited.record(waited(started));
			}
			else {
				this.counters.forEach((type, counter) -> {
					if (type.isInstance(event)) {
						counter.increment();
					}
				});
			}
			if (event instanceof JobEvent.Died died) {
				deaths(died.reason()).increment();
			}
			else if (event instanceof JobEvent.Expired expired && expired.kept()) {
				deaths(DeadReason.EXPIRED).increment();
			}
		}

		private Timer run(Class<? extends JobEvent.OfRun> event) {
			String outcome = (event == JobEvent.Died.class) ? "dead" : event.getSimpleName().toLowerCase(Locale.ROOT);
			return Timer.builder("jobs.run")
				.description("Time that runs took, by what became of their jobs")
				.tag("handler", this.handler)
				.tag("outcome", outcome)
				.register(this.registry);
		}

		private void count(Class<? extends JobEvent> event, String name, String description) {
			this.counters.put(event,
					Counter.builder(name)
						.description(description)
						.tag("handler", this.handler)
						.register(this.registry));
		}

		private Counter deaths(DeadReason reason) {
			return Counter.builder("jobs.dead")
				.description("Jobs that died")
				.tag("handler", this.handler)
				.tag("reason", reason.name().toLowerCase(Locale.ROOT))
				.register(this.registry);
		}

	}

}
