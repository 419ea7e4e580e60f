package dev.jobs.serialization;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PayloadFormat}: the exact bytes, since they are read by other
 * processes and later versions.
 */
class PayloadFormatTests {

	private static final Times TIMES = new Times(Instant.parse("2026-01-02T03:04:05.000000006Z"),
			LocalDate.of(2026, 1, 2), LocalTime.of(3, 4), LocalDateTime.of(2026, 1, 2, 3, 4, 5),
			ZonedDateTime.of(2026, 7, 2, 9, 0, 0, 0, ZoneId.of("Europe/Berlin")),
			OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 0, ZoneOffset.ofHours(5)), Duration.ofSeconds(90),
			Period.ofMonths(2), Year.of(2026), YearMonth.of(2026, 1), MonthDay.of(1, 2), DayOfWeek.MONDAY,
			Month.JANUARY, ZoneId.of("Europe/Berlin"), new Date(0));

	private final JacksonPayloadSerializer serializer = new JacksonPayloadSerializer();

	@Test
	void valuesHaveTheseBytes() {
		Values values = new Values(true, 'x', 1, 2L, 0.5, new BigDecimal("1.10"), BigInteger.TEN, "caf\u00e9", null,
				Optional.of("there"), Optional.empty(), Size.LARGE, Map.of(Size.LARGE, 1), List.of(),
				new int[] { 1, 2 }, "bytes".getBytes(StandardCharsets.UTF_8),
				UUID.fromString("00000000-0000-0001-0000-000000000002"), Locale.GERMANY, new Nested("in"));
		assertThat(json(values)).isEqualTo("{\"absent\":null,\"array\":[1,2],\"big\":1.10,\"bytes\":\"Ynl0ZXM=\","
				+ "\"character\":\"x\",\"decimal\":0.5,\"flag\":true,\"huge\":10,\"large\":2,\"list\":[],"
				+ "\"locale\":\"de-DE\",\"map\":{\"LARGE\":1},\"nested\":{\"theName\":\"in\"},\"nothing\":null,"
				+ "\"size\":\"LARGE\",\"small\":1,\"text\":\"caf\u00e9\","
				+ "\"there\":\"there\",\"uuid\":\"00000000-0000-0001-0000-000000000002\"}");
		assertThat(read(json(values), Values.class)).usingRecursiveComparison().isEqualTo(values);
	}

	@Test
	void timesHaveTheseBytesAndKeepTheirZone() {
		assertThat(json(TIMES)).isEqualTo("{\"date\":\"2026-01-02\",\"dateTime\":\"2026-01-02T03:04:05\","
				+ "\"day\":\"MONDAY\",\"duration\":\"PT1M30S\",\"instant\":\"2026-01-02T03:04:05.000000006Z\","
				+ "\"legacy\":\"1970-01-01T00:00:00.000Z\",\"month\":1,\"monthDay\":\"--01-02\","
				+ "\"offset\":\"2026-01-02T03:04:05+05:00\",\"period\":\"P2M\",\"time\":\"03:04:00\",\"year\":2026,"
				+ "\"yearMonth\":\"2026-01\",\"zone\":\"Europe/Berlin\","
				+ "\"zoned\":\"2026-07-02T09:00:00+02:00[Europe/Berlin]\"}");
		assertThat(read(json(TIMES), Times.class)).isEqualTo(TIMES);
	}

	@Test
	void keysHaveTheseBytes() {
		Map<Object, String> keys = new LinkedHashMap<>();
		keys.put(TIMES.instant(), "2026-01-02T03:04:05.000000006Z");
		keys.put(TIMES.date(), "2026-01-02");
		keys.put(TIMES.time(), "03:04");
		keys.put(TIMES.dateTime(), "2026-01-02T03:04:05");
		keys.put(TIMES.zoned(), "2026-07-02T09:00:00+02:00[Europe/Berlin]");
		keys.put(TIMES.offset(), "2026-01-02T03:04:05+05:00");
		keys.put(TIMES.duration(), "PT1M30S");
		keys.put(TIMES.period(), "P2M");
		keys.put(TIMES.year(), "2026");
		keys.put(TIMES.yearMonth(), "2026-01");
		keys.put(TIMES.monthDay(), "--01-02");
		keys.put(TIMES.day(), "MONDAY");
		keys.put(TIMES.month(), "JANUARY");
		keys.put(TIMES.zone(), "Europe/Berlin");
		keys.put(TIMES.legacy(), "1970-01-01T00:00:00.000Z");
		keys.put(Size.LARGE, "LARGE");
		keys.put(Locale.forLanguageTag("zh-Hant-TW"), "zh-Hant-TW");
		keys.put(new BigDecimal("1.10"), "1.10");
		keys.put(true, "true");
		keys.put('x', "x");
		keys.forEach((key, text) -> assertThat(json(Map.of(key, 1))).isEqualTo("{\"" + text + "\":1}"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "2026-10-25T02:30:00+02:00[Europe/Berlin]", "2026-10-25T02:30:00+01:00[Europe/Berlin]",
			"2026-01-01T00:00:00Z[UTC]", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00+14:00[Pacific/Kiritimati]" })
	void zonedTimeArrivesEqual(String text) {
		ZonedDateTime time = ZonedDateTime.parse(text);
		assertThat(json(time)).isEqualTo('"' + text + '"');
		assertThat(read(json(time), ZonedDateTime.class)).isEqualTo(time);
	}

	private String json(Object payload) {
		return new String(this.serializer.write(payload, 10_000), StandardCharsets.UTF_8);
	}

	private @Nullable Object read(String json, Class<?> type) {
		return this.serializer.reader(type).read(json.getBytes(StandardCharsets.UTF_8));
	}

	record Values(boolean flag, char character, int small, long large, double decimal, BigDecimal big, BigInteger huge,
			String text, @Nullable String nothing, Optional<String> there, Optional<String> absent, Size size,
			Map<Size, Integer> map, List<String> list, int[] array, byte[] bytes, UUID uuid, Locale locale,
			Nested nested) {

	}

	record Nested(String theName) {

	}

	record Times(Instant instant, LocalDate date, LocalTime time, LocalDateTime dateTime, ZonedDateTime zoned,
			OffsetDateTime offset, Duration duration, Period period, Year year, YearMonth yearMonth, MonthDay monthDay,
			DayOfWeek day, Month month, ZoneId zone, Date legacy) {

	}

	enum Size {

		LARGE;

		@Override
		public String toString() {
			return "very large";
		}

	}

}
