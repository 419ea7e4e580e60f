package dev.jobs.cron;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;

import org.jspecify.annotations.Nullable;

/**
 * Ticks at every instant whose local time matches. When the clocks change, a skipped
 * local time has no tick and a repeated one has two, so a schedule for all hours keeps
 * its pace.
 *
 * @param cron the fields
 * @param zone where the local time is read
 */
record ElapsedTicks(LocalTicks cron, ZoneId zone) implements Ticks {

	@Override
	public @Nullable Instant next(Instant after) {
		ZoneRules rules = this.zone.getRules();
		ZoneOffset offset = rules.getOffset(after);
		ZoneOffsetTransition change = rules.nextTransition(after);
		LocalDateTime next = this.cron.next(LocalDateTime.ofInstant(after, offset));
		while (next != null && change != null && !next.toInstant(offset).isBefore(change.getInstant())) {
			offset = change.getOffsetAfter();
			next = this.cron.next(change.getDateTimeAfter().minusNanos(1));
			change = rules.nextTransition(change.getInstant());
		}
		return (next != null) ? next.toInstant(offset) : null;
	}

}
