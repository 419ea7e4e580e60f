package dev.jobs.store.jdbc.signal;

import java.util.Arrays;
import java.util.Optional;

import dev.jobs.store.StoreListener;
import dev.jobs.store.jdbc.row.EpochMillis;

/**
 * A signal for the listeners of all processes. As text it is its kind, an instant and a
 * name.
 *
 * @param kind what happened
 * @param at from when on, in milliseconds
 * @param name the queue, schedule, worker or job
 */
public record Signal(Kind kind, long at, String name) {

	public static Signal ready(String queue, long at) {
		return new Signal(Kind.READY, at, queue);
	}

	public static Signal ticks(String schedule, long at) {
		return new Signal(Kind.TICKS, at, schedule);
	}

	public static Signal of(Kind kind, String name) {
		return new Signal(kind, 0, name);
	}

	/**
	 * Read a signal; empty if the text is not a signal.
	 */
	static Optional<Signal> read(String text) {
		String[] parts = text.split(" ", 3);
		if (parts.length < 3 || !parts[1].matches("-?\\d{1,16}")) {
			return Optional.empty();
		}
		return Arrays.stream(Kind.values())
			.filter((kind) -> kind.name().equals(parts[0]))
			.map((kind) -> new Signal(kind, Long.parseLong(parts[1]),
					parts[2].replace("%0A", "\n").replace("%25", "%")))
			.findFirst();
	}

	/**
	 * Return the signal as a line. A name may be any text.
	 */
	String text() {
		return this.kind + " " + this.at + " " + this.name.replace("%", "%25").replace("\n", "%0A");
	}

	void publishTo(StoreListener listener) {
		switch (this.kind) {
			case READY -> listener.ready(this.name, EpochMillis.instant(this.at));
			case ROOM -> listener.room(this.name);
			case RESTRICTED -> listener.restricted(this.name);
			case TICKS -> listener.ticks(EpochMillis.instant(this.at));
			case CANCELLED -> listener.cancelled(this.name);
			case SET -> listener.settingsChanged();
		}
	}

	/**
	 * The kinds of signals.
	 */
	public enum Kind {

		READY, ROOM, RESTRICTED, TICKS, CANCELLED, SET, ENDED

	}

}
