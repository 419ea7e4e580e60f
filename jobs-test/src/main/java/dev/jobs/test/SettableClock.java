package dev.jobs.test;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A clock that stands still until a test moves it.
 */
public final class SettableClock implements InstantSource {

	private final AtomicReference<Instant> instant;

	private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

	private SettableClock(Instant instant) {
		this.instant = new AtomicReference<>(instant);
	}

	/**
	 * Create a clock.
	 * @param instant what it shows
	 * @return the clock
	 */
	public static SettableClock at(Instant instant) {
		return new SettableClock(instant);
	}

	@Override
	public Instant instant() {
		return this.instant.get();
	}

	/**
	 * Move the clock by a duration, and tell the listeners.
	 * @param duration the duration
	 */
	public void advance(Duration duration) {
		this.instant.updateAndGet((before) -> before.plus(duration));
		this.listeners.forEach(Runnable::run);
	}

	/**
	 * Move the clock to an instant, be it in the past, and tell the listeners.
	 * @param instant the instant
	 */
	public void set(Instant instant) {
		this.instant.set(instant);
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
