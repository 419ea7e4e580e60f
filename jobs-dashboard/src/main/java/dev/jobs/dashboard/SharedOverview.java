package dev.jobs.dashboard;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import dev.jobs.query.Turnstile;
import org.jspecify.annotations.Nullable;

/**
 * The overview for all open pages together: the store is read once per period, however
 * many pages ask, and not at all while none does.
 */
class SharedOverview {

	private final Supplier<String> overview;

	private final Duration period;

	private final LongSupplier nanos;

	private final Turnstile turnstile = new Turnstile();

	/** How often the readings so far have been dropped. */
	private final AtomicInteger forgotten = new AtomicInteger();

	private volatile @Nullable Sample latest;

	SharedOverview(Supplier<String> overview, Duration period, LongSupplier nanos) {
		this.overview = overview;
		this.period = period;
		this.nanos = nanos;
	}

	/**
	 * Return the overview, which may be a period old. A failed read counts for a period,
	 * too, so that callers who waited for it do not all wait again.
	 */
	String latest() {
		Sample sample = fresh();
		return ((sample != null) ? sample : this.turnstile.pass("the overview", this::look)).json();
	}

	/**
	 * Read the store again for the next caller. A read that has begun does not count.
	 */
	void forget() {
		this.forgotten.incrementAndGet();
	}

	private @Nullable Sample fresh() {
		Sample sample = this.latest;
		return (sample != null && sample.forgotten() == this.forgotten.get()
				&& this.nanos.getAsLong() - sample.takenAt() < this.period.toNanos()) ? sample : null;
	}

	private Sample look() {
		Sample sample = fresh();
		if (sample == null) {
			sample = read();
			this.latest = sample;
		}
		return sample;
	}

	private Sample read() {
		int before = this.forgotten.get();
		try {
			return new Sample(this.overview.get(), null, before, this.nanos.getAsLong());
		}
		catch (RuntimeException ex) {
			return new Sample("", ex, before, this.nanos.getAsLong());
		}
	}

	/**
	 * A reading of the overview.
	 *
	 * @param text the overview as JSON
	 * @param fault why there is none, or {@code null}
	 * @param forgotten how often readings had been dropped before it began
	 * @param takenAt when
	 */
	private record Sample(String text, @Nullable RuntimeException fault, int forgotten, long takenAt) {

		String json() {
			if (this.fault != null) {
				throw this.fault;
			}
			return this.text;
		}

	}

}
