package dev.jobs.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A clock that stands still until a test moves it.
 */
public final class SettableClock implements InstantSource {

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private volatile Instant instant;

	private SettableClock(Instant instant) {
		this.instant = instant;
	}

	/**
	 * Create a clock.
	 * @param instant the time it shows
	 * @return the clock
	 */
	public static SettableClock at(Instant instant) {
		return new SettableClock(instant);
	}

	@Override
	public Instant instant() {
		return this.instant;
	}

	/**
	 * Move the clock by a duration and notify the listeners.
	 * @param duration the duration
	 */
	public void advance(Duration duration) {
		synchronized (this) {
			this.instant = this.instant.plus(duration);
		}
		this.listeners.forEach(Runnable::run);
	}

	/**
	 * Move the clock to an instant, even one in the past, and notify the listeners.
	 * @param instant the instant
	 */
	public void set(Instant instant) {
		synchronized (this) {
			this.instant = instant;
		}
		this.listeners.forEach(Runnable::run);
	}

	/**
	 * Call a listener after each move, on the thread that made it.
	 * @param listener the listener
	 */
	public void onAdvance(Runnable listener) {
		this.listeners.add(listener);
	}

}
