package dev.jobs.metrics;

import java.time.Duration;
import java.util.Collection;
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
	 * jobs: a counter that only comes with the first death hides it from those who look
	 * for an increase.
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
		OfHandler handler = ofHandler(event.name());
		if (event instanceof JobEvent.Accepted) {
			handler.enqueued.increment();
		}
		else if (event instanceof JobEvent.Started started) {
			handler.waited.record(waited(started));
		}
		else if (event instanceof JobEvent.OfRun run) {
			ended(handler, run);
		}
		else {
			other(handler, event);
		}
	}

	/**
	 * Return how long a job was due. It may have started a moment before that by a clock
	 * which is behind, and a timer holds no more than {@link #LONGEST_WAIT}.
	 */
	private static Duration waited(JobEvent.Started started) {
		Duration waited = Duration.between(started.job().dueAt(), started.at());
		return waited.isNegative() ? Duration.ZERO : (waited.compareTo(LONGEST_WAIT) < 0) ? waited : LONGEST_WAIT;
	}

	private static void ended(OfHandler handler, JobEvent.OfRun run) {
		if (run instanceof JobEvent.Succeeded) {
			handler.succeeded.record(run.took());
		}
		else if (run instanceof JobEvent.Retrying) {
			handler.retrying.record(run.took());
		}
		else if (run instanceof JobEvent.Postponed) {
			handler.postponed.record(run.took());
		}
		else if (run instanceof JobEvent.Cancelled) {
			handler.cancelled.record(run.took());
		}
		else if (run instanceof JobEvent.Released) {
			handler.released.record(run.took());
		}
		else if (run instanceof JobEvent.Died died) {
			handler.dead.record(run.took());
			handler.deaths(died.reason()).increment();
		}
	}

	private void other(OfHandler handler, JobEvent event) {
		if (event instanceof JobEvent.Ticked ticked) {
			handler.enqueued.increment();
			ticked(ticked.schedule()).increment();
		}
		else if (event instanceof JobEvent.TicksMissed missed) {
			missed(missed.schedule()).increment();
		}
		else if (event instanceof JobEvent.Rejected) {
			handler.rejected.increment();
		}
		else if (event instanceof JobEvent.EnqueueFailed) {
			handler.enqueueFailed.increment();
		}
		else if (event instanceof JobEvent.LeaseLost) {
			handler.leaseLost.increment();
		}
		else if (event instanceof JobEvent.Rescued) {
			handler.rescued.increment();
		}
		else if (event instanceof JobEvent.Stuck) {
			handler.stuck.increment();
		}
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

		private final Counter enqueued;

		private final Counter rejected;

		private final Counter enqueueFailed;

		private final Counter leaseLost;

		private final Counter rescued;

		private final Counter stuck;

		private final Timer waited;

		private final Timer succeeded;

		private final Timer retrying;

		private final Timer postponed;

		private final Timer dead;

		private final Timer cancelled;

		private final Timer released;

		OfHandler(MeterRegistry registry, String handler) {
			this.registry = registry;
			this.handler = handler;
			this.enqueued = count("jobs.enqueued", "Jobs enqueued or replaced");
			this.waited = Timer.builder("jobs.wait")
				.description("Time from when a job was due to its start")
				.tag("handler", handler)
				.register(registry);
			this.succeeded = run("succeeded");
			this.retrying = run("retrying");
			this.postponed = run("postponed");
			this.dead = run("dead");
			this.cancelled = run("cancelled");
			this.released = run("released");
			this.rejected = count("jobs.rejected", "Jobs not taken because their queue was full");
			this.enqueueFailed = count("jobs.enqueue.failed",
					"Jobs not enqueued after the commit of their transaction");
			this.leaseLost = count("jobs.lease.lost", "Runs that ended after their job went to another worker");
			this.rescued = count("jobs.rescued", "Jobs taken over from workers that vanished");
			this.stuck = count("jobs.stuck", "Runs that kept running although they were asked to end");
			for (DeadReason reason : DeadReason.values()) {
				deaths(reason);
			}
		}

		private Timer run(String outcome) {
			return Timer.builder("jobs.run")
				.description("Time that runs took, by what became of their jobs")
				.tag("handler", this.handler)
				.tag("outcome", outcome)
				.register(this.registry);
		}

		private Counter count(String name, String description) {
			return Counter.builder(name).description(description).tag("handler", this.handler).register(this.registry);
		}

		Counter deaths(DeadReason reason) {
			return Counter.builder("jobs.dead")
				.description("Jobs that died")
				.tag("handler", this.handler)
				.tag("reason", reason.name().toLowerCase(Locale.ROOT))
				.register(this.registry);
		}

	}

}
