package dev.jobs.cron;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;

import dev.jobs.JobCalendar;
import dev.jobs.cron.ScheduleParser.Parsed;
import org.jspecify.annotations.Nullable;

/**
 * The instants at which something recurs.
 * <p>
 * A schedule is written as six cron fields (second, minute, hour, day of month, month,
 * day of week), as five (without the second, which is 0), as {@code @yearly},
 * {@code @annually}, {@code @monthly}, {@code @weekly}, {@code @daily},
 * {@code @midnight}, {@code @hourly}, or as {@code @every} with a duration such as
 * {@code 10s}, {@code 1h30m}, {@code 500ms} or {@code PT10S}. When both the day of month
 * and the day of week are restricted, both must match. {@code CRON_TZ=Asia/Tokyo } or
 * {@code TZ=Asia/Tokyo } in front names the zone and wins over any other.
 * <p>
 * When clocks change, a schedule whose hour field allows every hour goes by elapsed time:
 * it neither pauses nor hurries. One that names hours (also by a step such as
 * {@code *}{@code /2}) fires every local time once: a skipped one at the moment of the
 * change, a repeated one only the first time. {@code @every} counts from the epoch, so it
 * knows no zone and is the same in every process.
 * <p>
 * A day counted from the end of the month, such as {@code L-3}, may be at most {@code
 * L-27}, which every month has.
 * <p>
 * Ticks lie after 1970 and before the year 10000.
 */
public final class Schedule {

	private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

	private final String expression;

	private final ZoneId zone;

	private final Ticks ticks;

	Schedule(String expression, ZoneId zone, Ticks ticks) {
		this.expression = expression;
		this.zone = zone;
		this.ticks = ticks;
	}

	/**
	 * Parse an expression, which is read in UTC unless it names a zone.
	 * @return the schedule
	 * @throws IllegalArgumentException if the expression is not understood
	 */
	public static Schedule parse(String expression) {
		return parse(expression, ZoneOffset.UTC);
	}

	/**
	 * Parse an expression.
	 * @param expression the expression
	 * @param zone the zone, unless the expression names one
	 * @return the schedule
	 * @throws IllegalArgumentException if the expression is not understood
	 */
	public static Schedule parse(String expression, ZoneId zone) {
		Parsed parsed = new ScheduleParser(expression).parse(zone);
		return new Schedule(expression, parsed.zone(), parsed.ticks());
	}

	/**
	 * Read a schedule back from its definition. Another version of the application may
	 * have stored what this one does not understand.
	 * @return the schedule, or {@code null} when it is not understood
	 */
	public static @Nullable Schedule ofDefinition(String definition) {
		int space = definition.indexOf(' ');
		if (space < 0) {
			return null;
		}
		try {
			return parse(definition.substring(space + 1), ZoneId.of(definition.substring(0, space)));
		}
		catch (IllegalArgumentException | DateTimeException ex) {
			return null;
		}
	}

	/**
	 * Return a schedule that ticks like this one, but only on some days and until an
	 * instant.
	 * @param calendar which days, or {@code null} for all
	 * @param until the last instant, or {@code null} for none
	 */
	public Schedule within(@Nullable JobCalendar calendar, @Nullable Instant until) {
		Ticks allowed = (calendar != null) ? new AllowedTicks(this.ticks, this.zone, calendar) : this.ticks;
		return (calendar == null && until == null) ? this : new Schedule(this.expression, this.zone, (after) -> {
			Instant tick = allowed.next(after);
			return (tick != null && until != null && tick.isAfter(until)) ? null : tick;
		});
	}

	/**
	 * Return whether an expression switches its recurring job off.
	 * @return whether it is a lone hyphen
	 */
	public static boolean isDisabled(String expression) {
		return ScheduleParser.isDisabled(expression);
	}

	/**
	 * Return the first tick later than an instant.
	 * @return the tick, or {@code null} when there is none any more
	 */
	public @Nullable Instant next(Instant after) {
		return after.isBefore(LATEST) ? later(bounded(after)) : null;
	}

	/**
	 * Find the next tick and check that it is later, so that a search from there
	 * advances.
	 */
	private @Nullable Instant later(Instant after) {
		Instant tick = this.ticks.next(after);
		if (tick != null && !tick.isAfter(after)) {
			throw new IllegalStateException(
					"The schedule " + this + " has no tick after " + after + " but " + tick + ", which is not later");
		}
		return tick;
	}

	/**
	 * Return whether there is no tick at all, such as on 30 February.
	 * @return {@code true} if there is none
	 */
	public boolean isNever() {
		return next(Instant.EPOCH) == null;
	}

	/**
	 * Return the newest ticks of a period. The work grows with the number of ticks
	 * returned, not with the length of the period.
	 * @param afterExclusive the start of the period, which is not part of it
	 * @param toInclusive the end of the period, which is part of it
	 * @param newest the most ticks to return
	 * @return the ticks, oldest first
	 */
	public List<Instant> between(Instant afterExclusive, Instant toInclusive, int newest) {
		Instant oldest = (newest > 0) ? next(afterExclusive) : null;
		if (oldest == null || oldest.isAfter(toInclusive)) {
			return List.of();
		}
		Instant second = next(oldest);
		if (second == null || second.isAfter(toInclusive)) {
			return List.of(oldest);
		}
		Deque<Instant> found = new ArrayDeque<>();
		long first = bounded(afterExclusive).toEpochMilli() + 1;
		long tick = newest(first, bounded(toInclusive).toEpochMilli());
		while (tick > 0 && found.size() < newest) {
			found.addFirst(Instant.ofEpochMilli(tick));
			tick = newest(first, tick - 1);
		}
		return List.copyOf(found);
	}

	/**
	 * Find the newest tick between two instants: double a span before the end until it
	 * contains a tick, then search it by halves for a later one.
	 */
	private long newest(long first, long last) {
		long width = 1;
		while (width <= last - first && oldest(last - width, last) == 0) {
			width *= 2;
		}
		long tick = oldest(Math.max(first, last - width), last);
		long end = last;
		while (tick != 0 && tick < end) {
			long middle = tick + (end - tick + 1) / 2;
			long later = oldest(middle, end);
			tick = (later != 0) ? later : tick;
			end = (later != 0) ? end : middle - 1;
		}
		return tick;
	}

	private long oldest(long first, long last) {
		Instant tick = (first <= last) ? later(Instant.ofEpochMilli(first - 1)) : null;
		return (tick != null && tick.toEpochMilli() <= last) ? tick.toEpochMilli() : 0;
	}

	private static Instant bounded(Instant instant) {
		if (instant.isBefore(Instant.EPOCH)) {
			return Instant.EPOCH;
		}
		return instant.isAfter(LATEST) ? LATEST : instant;
	}

	/**
	 * Return the text from which {@link #ofDefinition} makes an equal schedule: the zone
	 * and the expression.
	 */
	public String definition() {
		return this.zone + " " + this.expression;
	}

	/**
	 * Return the expression as it was written.
	 */
	public String expression() {
		return this.expression;
	}

	/**
	 * Return the zone in which the fields are read.
	 */
	public ZoneId zone() {
		return this.zone;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof Schedule that && this.expression.equals(that.expression) && this.zone.equals(that.zone);
	}

	@Override
	public int hashCode() {
		return Objects.hash(this.expression, this.zone);
	}

	@Override
	public String toString() {
		return this.expression + " (" + this.zone + ")";
	}

}
