package dev.jobs.dashboard.view;

import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Puts a cron expression in English. A field that has no better words stays as it is
 * written.
 */
final class CronWords {

	private static final Map<String, String> NAMED = Map.of("@yearly", "once a year, on 1 January at 00:00",
			"@annually", "once a year, on 1 January at 00:00", "@monthly", "on the 1st of every month at 00:00",
			"@weekly", "every Sunday at 00:00", "@daily", "every day at 00:00", "@midnight", "every day at 00:00",
			"@hourly", "every hour");

	private static final Pattern AMOUNT = Pattern.compile("(?<![\\d.])(\\d{1,18})(ms|[dhms])");

	private static final Map<String, String> UNITS = Map.of("ms", "millisecond", "s", "second", "m", "minute", "h",
			"hour", "d", "day");

	private static final Pattern SPAN = Pattern.compile("(\\*|\\d{1,2})(?:-(\\d{1,2}))?/0*([1-9]\\d{0,3})");

	/** No more values are listed one by one. */
	private static final int MOST = 16;

	private final String second;

	private final String minute;

	private final String hour;

	private final String day;

	private final String month;

	private final String weekday;

	private CronWords(String[] fields) {
		this.second = plain(fields[0], 0, 59, (step) -> 60 % step == 0);
		this.minute = plain(fields[1], 0, 59, (step) -> 60 % step == 0);
		this.hour = plain(fields[2], 0, 23, (step) -> 24 % step == 0);
		this.day = plain(fields[3].replace('?', '*'), 1, 31, (step) -> step <= 15);
		this.month = plain(fields[4], 1, 12, (step) -> false);
		this.weekday = plain(fields[5].replace('?', '*'), 1, 7, (step) -> false);
	}

	/**
	 * Return a field with its values instead of steps, unless the steps are even, and
	 * without zeros in front.
	 */
	private static String plain(String field, int first, int last, IntPredicate even) {
		return Stream.of(field.split(",")).map((part) -> {
			Matcher span = SPAN.matcher(part);
			return span.matches() ? values(span, first, last, even) : part.replaceAll("(?<!\\d)0+(?=\\d)", "");
		}).collect(Collectors.joining(","));
	}

	private static String values(Matcher span, int first, int last, IntPredicate even) {
		int from = span.group(1).equals("*") ? first : Integer.parseInt(span.group(1));
		int to = (span.group(2) != null) ? Integer.parseInt(span.group(2)) : last;
		int step = Integer.parseInt(span.group(3));
		if (from == first && to == last && step == 1) {
			return "*";
		}
		if (from == first && to == last && from + step <= to && even.test(step)) {
			return "*/" + step;
		}
		int count = (to - from) / step + 1;
		return (from < first || count > MOST) ? span.group()
				: IntStream.range(0, count)
					.mapToObj((i) -> String.valueOf(from + i * step))
					.collect(Collectors.joining(","));
	}

	static String of(String expression) {
		String text = expression.strip().replaceFirst("^(CRON_TZ|TZ)=\\S*\\s*", "");
		String lower = text.toLowerCase(Locale.ROOT);
		if (lower.startsWith("@every ")) {
			return "every " + period(lower.substring(7).strip());
		}
		if (lower.startsWith("@")) {
			return NAMED.getOrDefault(lower, text);
		}
		String[] fields = text.split("\\s+");
		if (fields.length == 5) {
			fields = ("0 " + text).split("\\s+");
		}
		return (fields.length == 6) ? new CronWords(fields).words() : text;
	}

	private static String period(String text) {
		if (text.startsWith("p")) {
			Duration span = Duration.parse(text);
			return period(span.toDaysPart() + "d" + span.toHoursPart() + "h" + span.toMinutesPart() + "m"
					+ span.toSecondsPart() + "s" + span.toMillisPart() + "ms");
		}
		return AMOUNT.matcher(text)
			.replaceAll((amount) -> (Long.parseLong(amount.group(1)) == 0) ? ""
					: " " + Quantities.plural(Long.parseLong(amount.group(1)), UNITS.getOrDefault(amount.group(2), "")))
			.strip();
	}

	private String words() {
		String time = time();
		String days = days();
		return (days.isEmpty() && time.matches("at \\d.*")) ? "every day " + time : (time + days).strip();
	}

	private String time() {
		if (all(this.second, "\\d+") && all(this.minute, "\\d+") && all(this.hour, "\\d+(,\\d+)*")) {
			return "at " + list(this.hour, (hour) -> clock(hour, this.minute, this.second));
		}
		if (isEvery(this.minute) && isEvery(this.hour)) {
			return this.second.equals("0") ? "every minute" : each(this.second, "second", "of every minute");
		}
		boolean hourly = this.minute.equals("0") && this.second.equals("0");
		if (hourly && all(this.hour, "\\*/\\d+")) {
			return "every " + step(this.hour) + " hours";
		}
		String seconds = this.second.equals("0") ? "" : " (" + each(this.second, "second", "") + ")";
		if (isEvery(this.hour)) {
			return hourly ? "every hour" : each(this.minute, "minute", "past every hour") + seconds;
		}
		return (hourly ? "every hour" : each(this.minute, "minute", "") + seconds) + hours();
	}

	private String hours() {
		if (all(this.hour, "\\d+-\\d+")) {
			String[] bounds = this.hour.split("-");
			return " from " + clock(bounds[0], "0", "0") + " to " + clock(bounds[1], "59", "0");
		}
		if (all(this.hour, "\\*/\\d+")) {
			return " of every " + ordinal(step(this.hour)) + " hour";
		}
		return all(this.hour, "\\d+(,\\d+)*") ? " in the hour after " + list(this.hour, (hour) -> clock(hour, "0", "0"))
				: " in the hours " + this.hour;
	}

	private static String each(String field, String unit, String rest) {
		if (isEvery(field)) {
			return "every " + unit;
		}
		if (all(field, "\\*/\\d+")) {
			return "every " + step(field) + " " + unit + "s";
		}
		String plural = field.matches("\\d+") ? unit : unit + "s";
		String at = all(field, "\\d+(,\\d+)*") ? list(field, (value) -> value)
				: field.replaceFirst("^(\\d+)-(\\d+)$", "$1 to $2");
		return ("at " + plural + " " + at + " " + rest).strip();
	}

	private String days() {
		StringBuilder words = new StringBuilder();
		if (!isEvery(this.weekday)) {
			words.append(" on ").append(list(this.weekday.toUpperCase(Locale.ROOT), CronWords::weekday));
		}
		if (!isEvery(this.day)) {
			words.append(isEvery(this.weekday) ? " on " : ", if that is ").append(dayOfMonth());
		}
		if (!isEvery(this.month)) {
			words.append(" in ").append(list(this.month.toUpperCase(Locale.ROOT), CronWords::month));
		}
		return words.toString();
	}

	private String dayOfMonth() {
		String day = this.day.toUpperCase(Locale.ROOT);
		if (day.equals("L")) {
			return "the last day of the month";
		}
		if (day.equals("LW")) {
			return "the last weekday of the month";
		}
		if (day.startsWith("L-")) {
			return "the last day of the month but " + day.substring(2);
		}
		if (day.endsWith("W")) {
			return "the weekday nearest the " + ordinal(day.substring(0, day.length() - 1));
		}
		if (all(day, "\\*/\\d+")) {
			return "every " + ordinal(step(day)) + " day of the month";
		}
		return "the " + list(day, (part) -> part.contains("-")
				? ordinal(part.split("-")[0]) + " to " + ordinal(part.split("-")[1]) : ordinal(part));
	}

	private static String weekday(String part) {
		if (part.equals("MON-FRI") || part.equals("1-5")) {
			return "weekdays";
		}
		if (part.contains("#")) {
			String[] parts = part.split("#");
			return "the " + ordinal(parts[1]) + " " + dayName(parts[0]) + " of the month";
		}
		if (part.endsWith("L")) {
			return "the last " + dayName(part.substring(0, part.length() - 1)) + " of the month";
		}
		return Stream.of(part.split("-")).map(CronWords::dayName).collect(Collectors.joining(" to "));
	}

	private static String dayName(String day) {
		if (day.matches("[0-7]")) {
			int number = Integer.parseInt(day);
			return DayOfWeek.of((number == 0) ? 7 : number).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
		}
		return Stream.of(DayOfWeek.values())
			.filter((it) -> it.name().startsWith(day) && day.length() >= 3)
			.map((it) -> it.getDisplayName(TextStyle.FULL, Locale.ENGLISH))
			.findFirst()
			.orElse(day);
	}

	private static String month(String part) {
		return Stream.of(part.split("-")).map(CronWords::monthName).collect(Collectors.joining(" to "));
	}

	private static String monthName(String month) {
		return Stream.of(Month.values())
			.filter((it) -> month.equals(String.valueOf(it.getValue()))
					|| (month.length() >= 3 && it.name().startsWith(month)))
			.map((it) -> it.getDisplayName(TextStyle.FULL, Locale.ENGLISH))
			.findFirst()
			.orElse(month);
	}

	private static String list(String field, Function<String, String> words) {
		List<String> parts = Stream.of(field.split(",")).map(words).toList();
		return (parts.size() == 1) ? parts.get(0)
				: String.join(", ", parts.subList(0, parts.size() - 1)) + " and " + parts.get(parts.size() - 1);
	}

	private static String clock(String hour, String minute, String second) {
		String time = "%02d:%02d".formatted(Integer.parseInt(hour), Integer.parseInt(minute));
		return second.equals("0") ? time : time + ":%02d".formatted(Integer.parseInt(second));
	}

	private static boolean isEvery(String field) {
		return field.equals("*");
	}

	private static boolean all(String field, String pattern) {
		return field.matches(pattern);
	}

	private static int step(String field) {
		return Integer.parseInt(field.substring(field.indexOf('/') + 1));
	}

	private static String ordinal(String number) {
		return number.matches("\\d{1,4}") ? ordinal(Integer.parseInt(number)) : number;
	}

	private static String ordinal(int number) {
		if (number % 100 >= 11 && number % 100 <= 13) {
			return number + "th";
		}
		return number + switch (number % 10) {
			case 1 -> "st";
			case 2 -> "nd";
			case 3 -> "rd";
			default -> "th";
		};
	}

}
