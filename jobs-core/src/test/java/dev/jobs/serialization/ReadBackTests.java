package dev.jobs.serialization;

import java.io.File;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonKey;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.JsonParser;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;
import tools.jackson.databind.type.TypeFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Payloads of {@link JacksonPayloadSerializer} read back equal. Other payloads are
 * refused: by the type of a handler at the start, by the type of a payload before
 * anything is stored.
 */
class ReadBackTests {

	private static final TypeFactory TYPES = TypeFactory.createDefaultInstance();

	private final JacksonPayloadSerializer serializer = new JacksonPayloadSerializer();

	/** Values by the type that they are declared as. */
	static Stream<Object[]> keys() {
		return Stream.of(of(String.class, "", "t", "\u0000", "\uD83D\uDE80"), of(Integer.class, 0, -1),
				of(Long.class, Long.MIN_VALUE), of(Short.class, (short) 3), of(Byte.class, (byte) -4),
				of(Float.class, 1.5f, 0.1f, Float.NaN, Float.MIN_VALUE),
				of(Double.class, 0.1, -0.0, Double.NaN, Double.NEGATIVE_INFINITY, Double.MIN_VALUE),
				of(Boolean.class, true, false), of(Character.class, 'c', '"', '\u0000'),
				of(BigDecimal.class, new BigDecimal("1.10"), new BigDecimal("1E+3")),
				of(BigInteger.class, BigInteger.ONE.shiftLeft(64)), of(Size.class, Size.LARGE, Size.SMALL),
				of(Thread.State.class, Thread.State.NEW), of(UUID.class, new UUID(1, 2)),
				of(Locale.class, Locale.GERMANY, Locale.ROOT, Locale.forLanguageTag("zh-Hant-TW"), Locale.ENGLISH),
				of(Currency.class, Currency.getInstance("EUR")), of(URI.class, URI.create("a:b#c")),
				of(Class.class, String.class, int.class, int[].class), of(File.class, new File("a/b"), new File("/a")),
				of(Instant.class, Instant.EPOCH, Instant.parse("2026-01-02T03:04:05.000000006Z")),
				of(LocalDate.class, LocalDate.of(2026, 1, 2)), of(LocalTime.class, LocalTime.of(3, 4)),
				of(LocalDateTime.class, LocalDateTime.of(2026, 1, 2, 3, 4)),
				of(ZonedDateTime.class, ZonedDateTime.parse("2026-10-25T02:30:00+01:00[Europe/Berlin]")),
				of(OffsetDateTime.class, OffsetDateTime.parse("2026-01-02T03:04:05+05:00")),
				of(OffsetTime.class, OffsetTime.parse("03:04:05+05:00")),
				of(Duration.class, Duration.ofSeconds(90), Duration.ofNanos(-1)), of(Period.class, Period.ofMonths(2)),
				of(Year.class, Year.of(2026)), of(YearMonth.class, YearMonth.of(2026, 1)),
				of(MonthDay.class, MonthDay.of(1, 2)), of(DayOfWeek.class, DayOfWeek.MONDAY),
				of(Month.class, Month.JANUARY), of(ZoneId.class, ZoneId.of("Europe/Berlin")),
				of(ZoneOffset.class, ZoneOffset.UTC, ZoneOffset.ofHours(5)), of(Date.class, new Date(1)),
				of(Sku.class, new Sku("a")), of(Part.class, new Part("a")));
	}

	static Stream<Object[]> values() {
		return Stream.concat(keys(),
				Stream.of(of(Path.class, Path.of("a/b"), Path.of("/a b")),
						of(TimeZone.class, TimeZone.getTimeZone("Europe/Berlin")), of(Hello.class, new Hello("ada")),
						of(OptionalInt.class, OptionalInt.of(1), OptionalInt.empty()),
						of(OptionalLong.class, OptionalLong.of(1)), of(OptionalDouble.class, OptionalDouble.of(0.1)),
						of(Charset.class, StandardCharsets.UTF_8), of(int[].class, new int[] { 1 }, new int[0]),
						of(char[].class, "ab".toCharArray(), new char[0]), of(byte[].class, new byte[] { 0, -1 }),
						of(double[].class, new double[] { Double.NaN }),
						of(char[][].class, (Object) new char[][] { { 'a' }, {} }),
						of(Character[].class, (Object) new Character[] { 'a' }),
						of(String[].class, (Object) new String[] { "a", null })));
	}

	private static Object[] of(Class<?> type, Object... values) {
		return new Object[] { type, values };
	}

	@ParameterizedTest
	@MethodSource("values")
	void valueReadsBackEqualWhereverItStands(Class<?> type, Object[] values) {
		for (Object value : values) {
			Object[] array = { value, values[0] };
			assertThat(Arrays.deepEquals((Object[]) back(array, TYPES.constructArrayType(type)), array)).isTrue();
		}
		if (!type.isArray() && !type.getName().startsWith("java.util.Optional")) {
			List<Object> list = Arrays.asList(values);
			assertThat(back(list, TYPES.constructCollectionType(List.class, type))).isEqualTo(list);
			assertThat(back(Set.copyOf(list), TYPES.constructCollectionType(Set.class, type)))
				.isEqualTo(Set.copyOf(list));
			Optional<Object> optional = Optional.of(values[0]);
			assertThat(back(List.of(optional, Optional.empty()),
					TYPES.constructCollectionType(List.class,
							TYPES.constructReferenceType(Optional.class, TYPES.constructType(type)))))
				.isEqualTo(List.of(optional, Optional.empty()));
		}
	}

	@ParameterizedTest
	@MethodSource("keys")
	void keyReadsBackEqual(Class<?> type, Object[] keys) {
		Map<Object, Integer> map = new HashMap<>();
		for (Object key : keys) {
			map.put(key, map.size());
		}
		assertThat(back(map, TYPES.constructMapType(Map.class, type, Integer.class))).isEqualTo(map);
	}

	@Test
	void keysOfEnumMapsAndSortedMapsReadBackEqual() {
		assertThat(back(new EnumMap<>(Map.of(Size.LARGE, 1)), type(new TypeReference<EnumMap<Size, Integer>>() {
		}))).isEqualTo(Map.of(Size.LARGE, 1));
		assertThat(back(new TreeMap<>(Map.of(new Sku("b"), 1, new Sku("a"), 2)),
				type(new TypeReference<TreeMap<Sku, Integer>>() {
				})))
			.isEqualTo(Map.of(new Sku("b"), 1, new Sku("a"), 2));
	}

	static Stream<Object> unfitKeys() {
		return Stream.of(new Hello("ada"), new Two(1, 2), new Named("a"), new Numbered(1), new HalfKey("a", 1),
				Optional.of("a"), List.of("a"), new StringBuilder("a"), new int[] { 1 }, new byte[] { 1 },
				TimeZone.getTimeZone("UTC"), new IllegalStateException("a"), new Circle(1));
	}

	@ParameterizedTest
	@MethodSource("unfitKeys")
	void keyThatCannotBeReadBackEndsTheStart(Object key) {
		Class<?> type = (key instanceof Circle) ? Shape.class : key.getClass();
		for (Type map : List.of(TYPES.constructMapType(Map.class, type, Integer.class),
				TYPES.constructCollectionType(List.class, TYPES.constructMapType(TreeMap.class, type, String.class)))) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(map))
				.withMessageContaining(type.getTypeName() + " is the key of a map, which is always text, "
						+ "and it cannot be read back from it. Use text");
		}
	}

	@Test
	void keyThatCannotBeReadBackIsNamedWithItsPlaceAndNotStored() {
		String problem = "at 'byWho' " + Hello.class.getTypeName()
				+ " is the key of a map, which is always text, and it "
				+ "cannot be read back from it. Use text, or annotate what it is written as with @JsonKey or "
				+ "@JsonValue, and what creates it from that text with @JsonCreator";
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Keyed.class))
			.withMessageEndingWith(problem);
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(new Keyed(Map.of())))
			.withMessageEndingWith(problem);
	}

	@Test
	void keyOfAMapWhoseTypeIsNotKnownIsNotStored() {
		for (Object payload : List.of(Map.of(new Hello("secret"), 1), Map.of("a", List.of(Map.of(new Named("b"), 1))),
				new Open(Map.of(new Two(1, 2), 1)))) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(payload))
				.withMessageContaining("is the key of a map, which is always text")
				.withMessageNotContaining("secret");
		}
	}

	static Stream<Type> lossyTypes() {
		return Stream.of(BitSet.class, Random.class, Timestamp.class, Calendar.class, HalfKey.class, Halved.class,
				type(new TypeReference<Optional<Optional<String>>>() {
				}), type(new TypeReference<AtomicReference<OptionalInt>>() {
				}));
	}

	@ParameterizedTest
	@MethodSource("lossyTypes")
	void typeThatWouldLoseSomethingIsRefused(Type type) {
		Type list = TYPES.constructCollectionType(List.class, TYPES.constructType(type));
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(list))
			.withMessageContaining("could not be read back: at '[*]");
	}

	@Test
	void typeThatWouldLoseSomethingIsNotStored() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(new Halved("a", "lost")))
			.withMessageEndingWith("at 'second' a value would be lost: the constructor of " + Halved.class.getTypeName()
					+ " takes it, and nothing writes it. Add a getter, or annotate the parameter with "
					+ "@JsonProperty(access = Access.WRITE_ONLY)");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(new Timed(new Timestamp(0))))
			.withMessageEndingWith(
					"at 'at' java.sql.Timestamp would lose what is below a millisecond. " + "Use java.time.Instant");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> write(List.of(Pattern.compile("a", Pattern.CASE_INSENSITIVE))))
			.withMessageContaining("at '[0]': its flags would be lost: write them into the pattern");
		assertThat(back(Pattern.compile("(?i)a"), Pattern.class)).hasToString("(?i)a");
	}

	static Stream<Object[]> subclasses() {
		Price price = new Discounted(1, 2);
		return Stream.of(new Object[] { new Priced(price, null, null), "price" },
				new Object[] { List.of(new Priced(price, null, null)), "[0].price" },
				new Object[] { new Priced(null, Map.of("a", List.of(new Price(1), price)), null), "byShop[*][1]" },
				new Object[] { new Priced(null, null, Optional.of(price)), "maybe" },
				new Object[] { new Priced(null, Map.of("a", List.of(price, price)), null), "byShop[*][0]" },
				new Object[] { new Rebate(price), "price" });
	}

	@ParameterizedTest
	@MethodSource("subclasses")
	void subclassOfTheDeclaredClassIsNotStored(Object payload, String at) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(payload))
			.withMessage("Cannot write a payload of %s as JSON at '%s': a %s would be read back as a %s, the declared "
					+ "type. Declare the former, or annotate the latter with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME) "
					+ "and @JsonSubTypes", payload.getClass().getTypeName(), at, Discounted.class.getTypeName(),
					Price.class.getTypeName());
	}

	static Stream<Object[]> objectsWithoutAType() {
		Hello hello = new Hello("secret");
		return Stream.of(new Object[] { new Anything(hello), "value" },
				new Object[] { new Anything(List.of(1, List.of(hello))), "value[1][0]" },
				new Object[] { new Anything(Map.of("a", hello)), "value[*]" },
				new Object[] { new Anything(Optional.of(hello)), "value" },
				new Object[] { new Anything(new Object[] { "a", hello }), "value[1]" },
				new Object[] { Map.of("a", new Anything(new Box<>(hello))), "[*].value" },
				new Object[] { new Details(Map.of("secret", hello)), "details[*]" });
	}

	@ParameterizedTest
	@MethodSource("objectsWithoutAType")
	void objectWhoseTypeIsNotDeclaredIsNotStored(Object payload, String at) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(payload))
			.withMessageContaining(" as JSON at '" + at + "': a " + Hello.class.getPackageName())
			.withMessageEndingWith(
					" would be read back as a map, since no type is declared. Declare its type, or pass a map")
			.withMessageNotContaining("secret");
	}

	static Stream<Object[]> typedByOtherMeans() {
		Hello hello = new Hello("ada");
		return Stream.of(new Object[] { new Box<>(hello), type(new TypeReference<Box<Hello>>() {
		}) }, new Object[] { Map.of("a", hello), type(new TypeReference<Map<String, Hello>>() {
		}) }, new Object[] { List.of(new Price(1)), type(new TypeReference<List<Price>>() {
		}) }, new Object[] { new Chosen(hello, hello, new Circled(1), new Discounted(1, 2)), Chosen.class },
				new Object[] { new Anything(Map.of("a", List.of(1, "b", true))), Anything.class },
				new Object[] { new Anything(null), Anything.class }, new Object[] { new Greeted("a"), Greeted.class },
				new Object[] { new Priced(new Price(1), Map.of("a", List.of(new Price(2))), Optional.of(new Price(3))),
						Priced.class });
	}

	@ParameterizedTest
	@MethodSource("typedByOtherMeans")
	void objectWhoseTypeIsKnownReadsBackEqual(Object payload, Type type) {
		assertThat(back(payload, type)).isEqualTo(payload);
	}

	@Test
	void relativePathWithAColonIsNotStored() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(new Filed(Path.of("a:b"))))
			.withMessageEndingWith(" as JSON at 'path': a relative path with a colon would be read back as an absolute "
					+ "one: use toAbsolutePath()");
		assertThat(back(new Filed(Path.of("/a:b")), Filed.class)).isEqualTo(new Filed(Path.of("/a:b")));
	}

	@Test
	void typeMayReadWhatItNoLongerWrites() {
		assertThat(this.serializer.reader(Former.class).read("{\"old\":\"a\"}".getBytes(StandardCharsets.UTF_8)))
			.isInstanceOfSatisfying(Former.class, (former) -> assertThat(former.name).isEqualTo("a"));
	}

	private void write(Object payload) {
		this.serializer.write(payload, 10_000);
	}

	private @Nullable Object back(Object value, Type type) {
		return this.serializer.reader(type).read(this.serializer.write(value, 10_000));
	}

	private static Type type(TypeReference<?> reference) {
		return reference.getType();
	}

	enum Size {

		SMALL, LARGE {
			@Override
			public String toString() {
				return "very large";
			}
		}

	}

	record Sku(@JsonValue String code) implements Comparable<Sku> {

		@Override
		public int compareTo(Sku other) {
			return this.code.compareTo(other.code);
		}

	}

	record Part(String number) {

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		static Part of(String number) {
			return new Part(number);
		}

		@JsonKey
		@JsonValue
		String asText() {
			return this.number;
		}

	}

	record Hello(String name) {

	}

	record Two(int a, int b) {

	}

	record Numbered(@JsonValue int number) {

	}

	record HalfKey(@JsonKey String a, int b) {

	}

	record Keyed(Map<Hello, Integer> byWho) {

	}

	record Open(Map<Object, Integer> map) {

	}

	record Priced(@Nullable Price price, @Nullable Map<String, List<Price>> byShop, Optional<Price> maybe) {

	}

	record Anything(@Nullable Object value) {

	}

	record Details(Map<String, Object> details) {

	}

	record Box<T>(T content) {

	}

	record Filed(Path path) {

	}

	record Chosen(
			@JsonTypeInfo(use = JsonTypeInfo.Id.NAME) @JsonSubTypes(@JsonSubTypes.Type(Hello.class)) Object tagged,
			@JsonDeserialize(as = Hello.class) Object chosen, Round round,
			@JsonDeserialize(using = Discounts.class) Price own) {

	}

	record Greeted(String name) {

		@JsonProperty
		Object greeting() {
			return new Hello(this.name);
		}

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	@JsonSubTypes(@JsonSubTypes.Type(Circled.class))
	static class Round {

	}

	static final class Circled extends Round {

		public int radius;

		@JsonCreator
		Circled(@JsonProperty("radius") int radius) {
			this.radius = radius;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Circled circled && circled.radius == this.radius;
		}

		@Override
		public int hashCode() {
			return this.radius;
		}

	}

	static class Price {

		public final int cents;

		@JsonCreator
		Price(@JsonProperty("cents") int cents) {
			this.cents = cents;
		}

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Price price && price.getClass() == getClass() && price.cents == this.cents;
		}

		@Override
		public int hashCode() {
			return this.cents;
		}

	}

	static final class Discounted extends Price {

		public final int percent;

		@JsonCreator
		Discounted(@JsonProperty("cents") int cents, @JsonProperty("percent") int percent) {
			super(cents);
			this.percent = percent;
		}

	}

	static final class Discounts extends ValueDeserializer<Price> {

		@Override
		public Price deserialize(JsonParser parser, DeserializationContext context) {
			return context.readValue(parser, Discounted.class);
		}

	}

	abstract static class Paid {

		private final Price price;

		Paid(Price price) {
			this.price = price;
		}

		public Price getPrice() {
			return this.price;
		}

	}

	static final class Rebate extends Paid {

		@JsonCreator
		Rebate(@JsonProperty("price") Price price) {
			super(price);
		}

	}

	record Timed(Timestamp at) {

	}

	sealed interface Shape permits Circle {

	}

	record Circle(int radius) implements Shape {

	}

	public static final class Named {

		private final String name;

		public Named(String name) {
			this.name = name;
		}

		@Override
		public String toString() {
			return "Named " + this.name;
		}

	}

	public static final class Halved {

		public final String first;

		private final String second;

		@JsonCreator
		public Halved(@JsonProperty("first") String first, @JsonProperty("second") String second) {
			this.first = first;
			this.second = second;
		}

	}

	public static final class Former {

		public final String name;

		@JsonCreator
		public Former(@JsonProperty("name") @Nullable String name,
				@JsonProperty(value = "old", access = JsonProperty.Access.WRITE_ONLY) String old) {
			this.name = (name != null) ? name : old;
		}

	}

}
