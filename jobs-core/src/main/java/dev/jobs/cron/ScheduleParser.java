package dev.jobs.cron;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.springframework.scheduling.support.CronExpression;

/**
 * Parses the text of one schedule.
 */
final class ScheduleParser {

	private static final int MAX_LENGTH = 256;

	private static final Duration LONGEST_PERIOD = Duration.ofDays(36_525);

	private static final Pattern ZONE_PREFIX = Pattern.compile("(?:CRON_TZ|TZ)=(\\S*)\\s*(.*)");

	private static final Pattern AMOUNT = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|[dhms])");

	/**
	 * Spring counts back into the month before, so its next tick may be earlier than the
	 * last.
	 */
	private static final Pattern BEFORE_THE_MONTH = Pattern.compile("(?i)L-0*(2[89]|[3-9]\\d|\\d{3,})");

	private static final Map<String, BigDecimal> UNIT_MILLIS = Map.of("d", BigDecimal.valueOf(86_400_000), "h",
			BigDecimal.valueOf(3_600_000), "m", BigDecimal.valueOf(60_000), "s", BigDecimal.valueOf(1_000), "ms",
			BigDecimal.ONE);

	private static final Map<String, String> MACROS = Map.of("@yearly", "0 0 0 1 1 *", "@annually", "0 0 0 1 1 *",
			"@monthly", "0 0 0 1 * *", "@weekly", "0 0 0 * * 0", "@daily", "0 0 0 * * *", "@midnight", "0 0 0 * * *",
			"@hourly", "0 0 * * * *");

	private final String expression;

	ScheduleParser(String expression) {
		this.expression = expression;
	}

	static boolean isDisabled(String expression) {
		return expression.strip().equals("-");
	}

	Parsed parse(ZoneId defaultZone) {
		if (this.expression.length() > MAX_LENGTH) {
			throw invalid("it is longer than " + MAX_LENGTH + " characters");
		}
		String rest = this.expression.strip();
		ZoneId zone = defaultZone;
		Matcher prefix = ZONE_PREFIX.matcher(rest);
		if (prefix.matches()) {
			zone = zone(prefix.group(1));
			rest = prefix.group(2);
		}
		Ticks ticks = rest.startsWith("@") ? named(rest, zone) : fields(rest, zone);
		return new Parsed(zone, ticks);
	}

	private ZoneId zone(String id) {
		try {
			return ZoneId.of(id);
		}
		catch (DateTimeException ex) {
			throw invalid("'" + id + "' is not a known time zone");
		}
	}

	private Ticks named(String text, ZoneId zone) {
		String[] words = text.split("\\s+", 2);
		String name = words[0].toLowerCase(Locale.ROOT);
		if (name.equals("@every")) {
			return new EveryTicks(period((words.length > 1) ? words[1] : ""));
		}
		String fields = MACROS.get(name);
		if (fields == null || words.length > 1) {
			throw invalid("'" + text + "' is not a known name");
		}
		return fields(fields, zone);
	}

	private long period(String text) {
		try {
			BigDecimal millis = text.regionMatches(true, 0, "P", 0, 1) ? isoMillis(text) : sumOfMillis(text);
			long period = millis.longValueExact();
			if (period < 1 || period > LONGEST_PERIOD.toMillis()) {
				throw invalid("the period must be from 1 millisecond to 100 years");
			}
			return period;
		}
		catch (DateTimeException ex) {
			throw invalid("'" + text + "' is not a duration");
		}
		catch (ArithmeticException ex) {
			throw invalid("the period must be a whole number of milliseconds");
		}
	}

	private static BigDecimal isoMillis(String text) {
		Duration duration = Duration.parse(text);
		return BigDecimal.valueOf(duration.getSeconds(), -3).add(BigDecimal.valueOf(duration.getNano(), 6));
	}

	private static BigDecimal sumOfMillis(String text) {
		BigDecimal sum = BigDecimal.ZERO;
		Matcher amount = AMOUNT.matcher(text);
		int end = 0;
		while (end < text.length() && amount.find(end) && amount.start() == end) {
			sum = sum.add(new BigDecimal(amount.group(1)).multiply(UNIT_MILLIS.get(amount.group(2))));
			end = amount.end();
		}
		if (text.isEmpty() || end < text.length()) {
			throw new DateTimeException("Not a duration");
		}
		return sum;
	}

	private Ticks fields(String text, ZoneId zone) {
		String[] fields = text.isEmpty() ? new String[0] : text.split("\\s+");
		return switch (fields.length) {
			case 5 -> cron("0 " + String.join(" ", fields), fields[1], zone);
			case 6 -> cron(String.join(" ", fields), fields[2], zone);
			default -> throw invalid(isDisabled(text) ? "a lone hyphen switches a job off and has no ticks"
					: "it has " + fields.length + ((fields.length == 1) ? " field" : " fields"));
		};
	}

	private Ticks cron(String fields, String hours, ZoneId zone) {
		if (BEFORE_THE_MONTH.matcher(fields).find()) {
			throw invalid("a day of the month may be L-27 at the earliest, since a month may have 28 days");
		}
		try {
			LocalTicks cron = local(fields);
			Ticks ticks = allowsEveryHour(hours) ? new ElapsedTicks(cron, zone) : new FixedHourTicks(cron, zone);
			ticks.next(Instant.EPOCH);
			return ticks;
		}
		catch (IllegalArgumentException | DateTimeException | IndexOutOfBoundsException ex) {
			Throwable reason = (ex.getCause() != null) ? ex.getCause() : ex;
			throw invalid("a field is wrong: " + reason.getMessage());
		}
	}

	private static LocalTicks local(String fields) {
		CronExpression cron = CronExpression.parse(fields);
		String[] parts = fields.split(" ");
		if (!parts[3].toUpperCase(Locale.ROOT).contains("W")) {
			return cron::next;
		}
		return new WeekdayTicks(CronExpression.parse("0 0 0 " + parts[3] + " " + parts[4] + " " + parts[5]),
				CronExpression.parse(parts[0] + " " + parts[1] + " " + parts[2] + " * * *"));
	}

	private static boolean allowsEveryHour(String hours) {
		CronExpression cron = CronExpression.parse("0 0 " + hours + " * * *");
		LocalDateTime day = LocalDateTime.of(2000, 1, 1, 0, 0);
		LocalDateTime hour = day.minusNanos(1);
		for (int i = 0; i < 24 && hour != null; i++) {
			hour = cron.next(hour);
		}
		return day.withHour(23).equals(hour);
	}

	private IllegalArgumentException invalid(String reason) {
		String shown = this.expression.substring(0, Math.min(MAX_LENGTH, this.expression.length()));
		String problem = "Invalid schedule \"" + shown + "\": " + reason;
		return new IllegalArgumentException(problem.replaceAll("\\p{C}", "?")
				+ ". Accepted are 6 cron fields (second first), 5 fields (minute first), @yearly, @annually, @monthly,"
				+ " @weekly, @daily, @midnight, @hourly and @every <duration> such as 10s, 1h30m or PT10S,"
				+ " each with an optional prefix CRON_TZ=<zone>");
	}

	/**
	 * A parsed expression.
	 *
	 * @param zone where its fields are read
	 * @param ticks when it ticks
	 */
	record Parsed(ZoneId zone, Ticks ticks) {

	}

}
