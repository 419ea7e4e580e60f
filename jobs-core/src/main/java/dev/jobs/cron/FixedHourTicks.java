package dev.jobs.cron;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

import org.jspecify.annotations.Nullable;

/**
 * Ticks once at every matching local time. When the clocks change, all skipped times
 * become one tick at the moment of the change, and a repeated time ticks only the first
 * time. Unlike a shift by the skipped time, this keeps the ticks in order.
 *
 * @param cron the fields
 * @param zone where the local time is read
 */
record FixedHourTicks(LocalTicks cron, ZoneId zone) implements Ticks {

	@Override
	public @Nullable Instant next(Instant after) {
		LocalDateTime next = this.cron.next(consumedUpTo(after));
		return (next != null) ? instantOf(next) : null;
	}

	private LocalDateTime consumedUpTo(Instant instant) {
		ZoneRules rules = this.zone.getRules();
		LocalDateTime local = LocalDateTime.ofInstant(instant, this.zone);
		ZoneOffsetTransition change = rules.getTransition(local);
		boolean repeated = change != null && change.isOverlap() && !instant.isBefore(change.getInstant());
		return repeated ? change.getDateTimeBefore().minusNanos(1) : local;
	}

	private Instant instantOf(LocalDateTime local) {
		ZoneRules rules = this.zone.getRules();
		ZoneOffsetTransition change = rules.getTransition(local);
		if (change != null && change.isGap()) {
			return change.getInstant();
		}
		return local.toInstant(rules.getOffset(local));
	}

}
