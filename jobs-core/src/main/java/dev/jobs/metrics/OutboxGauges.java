package dev.jobs.metrics;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.ToDoubleFunction;

import dev.jobs.JobStoreException;
import dev.jobs.store.Outbox;
import dev.jobs.store.Outbox.Contents;
import dev.jobs.store.support.TimedCache;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Gauges of an outbox. A scrape reads it once, and not again for a while; while its
 * database is out of reach they are {@code NaN}.
 */
public final class OutboxGauges implements MeterBinder {

	private final TimedCache<Contents> contents;

	private final InstantSource clock;

	/**
	 * Create the gauges.
	 * @param outbox the outbox
	 * @param clock the clock
	 * @param age how old a reading may be
	 * @param patience how long the database is waited for
	 */
	public OutboxGauges(Outbox outbox, InstantSource clock, Duration age, Duration patience) {
		this.contents = new TimedCache<>(outbox::contents, clock, age, patience);
		this.clock = clock;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		gauge("jobs.outbox.jobs", Contents::waiting, "Jobs in the outbox").tag("state", "waiting").register(registry);
		gauge("jobs.outbox.jobs", Contents::setAside, "Jobs in the outbox").tag("state", "unreadable")
			.register(registry);
		gauge("jobs.outbox.oldest", this::age, "How long the oldest job that waits in the outbox has been there")
			.baseUnit("seconds")
			.register(registry);
	}

	private Gauge.Builder<OutboxGauges> gauge(String name, ToDoubleFunction<Contents> value, String description) {
		return Gauge.builder(name, this, (gauges) -> gauges.value(value))
			.description(description)
			.strongReference(true);
	}

	private double value(ToDoubleFunction<Contents> value) {
		try {
			return value.applyAsDouble(this.contents.get());
		}
		catch (JobStoreException ex) {
			return Double.NaN;
		}
	}

	private double age(Contents contents) {
		Instant oldest = contents.oldest();
		if (oldest == null) {
			return 0;
		}
		Duration age = Duration.between(oldest, this.clock.instant());
		return Math.max(age.getSeconds() + age.getNano() / 1e9, 0);
	}

}
