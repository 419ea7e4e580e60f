package dev.jobs.benchmarks.subject;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.jobs.JobEvent;
import dev.jobs.JobResult;
import dev.jobs.benchmarks.load.Arrivals;
import dev.jobs.benchmarks.load.CountedCalls;
import dev.jobs.benchmarks.load.Load;
import dev.jobs.benchmarks.load.Payload;
import dev.jobs.benchmarks.load.Producers;
import dev.jobs.benchmarks.store.Stores;
import dev.jobs.engine.JobEngine;
import dev.jobs.engine.JobEngineBuilder;
import dev.jobs.engine.settings.HandlerDefinition;

/**
 * An engine with many schedules that were put at run time.
 */
public final class Schedules implements Subject.Idling {

	private static final int THREADS = 8;

	private static final Duration LEAD = Duration.ofSeconds(2);

	private static final InstantSource CLOCK = InstantSource.system();

	private final Load load;

	private final Stores.Opened opened;

	private final Stores.Watch watch;

	private final CountedCalls calls;

	private final JobEngine engine;

	private final Arrivals arrivals;

	private final long[] lateNanos;

	Schedules(Stores stores, Load load) {
		this.load = load;
		this.opened = stores.open();
		this.watch = stores.watch();
		this.calls = new CountedCalls(this.opened.store());
		this.arrivals = new Arrivals(load.jobs());
		this.lateNanos = new long[load.jobs()];
		JobEngineBuilder builder = new JobEngineBuilder(this.calls.store()).serializer(Payload.SERIALIZER)
			.concurrency(load.concurrency())
			.listeners(List.of(this::on));
		load.names()
			.forEach((name) -> builder
				.handler(HandlerDefinition.of(name, Payload.class, (payload, context) -> JobResult.done())));
		this.engine = builder.build();
		this.engine.start();
	}

	private void on(JobEvent event) {
		if (event instanceof JobEvent.Ticked ticked) {
			this.lateNanos[Integer.parseInt(ticked.schedule())] = Duration.between(ticked.tick(), CLOCK.instant())
				.toNanos();
			this.arrivals.arrived();
		}
	}

	/**
	 * Put as many schedules as the load has jobs, or change them all.
	 * @param tick when they tick, once a year
	 * @return how long that took, in nanoseconds
	 */
	public long put(Instant tick) {
		LocalDateTime at = LocalDateTime.ofInstant(tick, ZoneOffset.UTC);
		String cron = "%d %d %d %d %d *".formatted(at.getSecond(), at.getMinute(), at.getHour(), at.getDayOfMonth(),
				at.getMonthValue());
		return Producers.time(this.load.jobs(), THREADS, 1,
				(from, to) -> this.engine.operations()
					.schedule(String.valueOf(from))
					.put((schedule) -> schedule.cron(cron)
						.job(this.load.names().get(from % this.load.queues()), new Payload(from))));
	}

	/**
	 * Let all schedules tick at one instant.
	 * @param puts how long it takes to put them, in nanoseconds
	 * @return how long after that instant each had enqueued its job, in nanoseconds
	 */
	public long[] lateness(long puts) {
		Instant tick = CLOCK.instant().plusNanos(2 * puts).plus(LEAD).truncatedTo(ChronoUnit.SECONDS);
		put(tick);
		if (!CLOCK.instant().isBefore(tick)) {
			throw new IllegalStateException("The schedules were put too late");
		}
		this.arrivals.awaitAll();
		return this.lateNanos;
	}

	@Override
	public Map<String, Long> counts() {
		Map<String, Long> counts = new TreeMap<>(this.watch.counts());
		counts.put(STORE_CALLS, this.calls.count());
		return counts;
	}

	@Override
	public void close() {
		this.watch.close();
		this.engine.stopNow();
		this.opened.close();
	}

}
