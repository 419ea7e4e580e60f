package dev.jobs.serialization;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import dev.jobs.JobArgs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.node.JsonNodeFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JacksonPayloadSerializer}.
 */
class JacksonPayloadSerializerTests {

	private static final int MAX = 1024 * 1024;

	private final JacksonPayloadSerializer serializer = new JacksonPayloadSerializer();

	@Test
	void noPayloadIsNoBytes() {
		assertThat(this.serializer.write(null, MAX)).isEmpty();
		assertThat(read("", Order.class)).isNull();
		assertThat(read("", String.class)).isNull();
		assertThat(read("", Object.class)).isNull();
		assertThat(read("", Map.class)).isNull();
		assertThat(read("", JsonNode.class)).isNull();
		assertThat(read("", byte[].class)).isEqualTo(new byte[0]);
		assertThat(read("", JobArgs.class)).isInstanceOfSatisfying(JobArgs.class,
				(args) -> assertThat(args.asMap()).isEmpty());
	}

	@Test
	void nullForAPrimitiveIsReadAsIfItWereMissing() {
		assertThat(read("{\"count\":null,\"on\":null}", Primitives.class)).isEqualTo(new Primitives(0, false, 0));
		assertThat(read("{\"count\":7}", Primitives.class)).isEqualTo(new Primitives(7, false, 0));
	}

	@Test
	void eachReadOfNoArgumentsHasItsOwnError() {
		PayloadReader reader = this.serializer.reader(JobArgs.class);
		assertThat(reader.read(new byte[0])).isInstanceOfSatisfying(JobArgs.class, (args) -> args.string("missing"));
		assertThat(reader.read(new byte[0])).isInstanceOfSatisfying(JobArgs.class,
				(args) -> assertThat(args.error()).isEmpty());
	}

	@Test
	void payloadThatIsNotLookedAtMayBeAnything() {
		assertThat(this.serializer.reader(Void.class).read(new byte[] { 0, 1, 2 })).isNull();
	}

	@Test
	void bytesAreKeptAsTheyAre() {
		byte[] bytes = { 0, -1, '{', 7 };
		assertThat(this.serializer.write(bytes, MAX)).isEqualTo(bytes);
		assertThat(this.serializer.reader(byte[].class).read(bytes)).isEqualTo(bytes);
		assertThat(this.serializer.canonical(bytes, MAX)).isEqualTo(bytes);
	}

	static Stream<Object> values() {
		Map<String, @Nullable Object> nested = new LinkedHashMap<>();
		nested.put("null", null);
		nested.put("list", Arrays.asList(1, null, List.of(), Map.of(), List.of(List.of(0.1))));
		nested.put("map", Map.of("", Map.of("deep", new BigDecimal("0.1000000000000000000000000001"))));
		nested.put("\uD83D\uDE80", "caf\u00e9 \uD83D\uDE00 \u4e2d\u6587 \u0000 \u2028 \"quoted\" \\");
		return Stream.of("", "text", "\uD83D\uDE80", "broken \uD83D pair", true, false, 0, -1, Integer.MAX_VALUE,
				Long.MAX_VALUE, Long.MIN_VALUE, 9007199254740993L, BigInteger.ONE.shiftLeft(64), 0.1, 1.0, -0.0,
				1.0e300, 4.9e-324, Double.MAX_VALUE, new BigDecimal("0.1000000000000000000000000001"),
				new BigDecimal("123456789012345678901234567890.5"), List.of(), Map.of(), List.of(1, "two", 3.5),
				Map.of("min", Long.MIN_VALUE, "half", 0.5, "more", new BigDecimal("1.00000000000000000001")), nested);
	}

	@ParameterizedTest
	@MethodSource("values")
	void valuesArriveEqual(Object value) {
		byte[] bytes = this.serializer.write(value, MAX);
		assertThat(this.serializer.reader(Object.class).read(bytes)).isEqualTo(value);
		if (value instanceof Map<?, ?>) {
			assertThat(this.serializer.reader(Map.class).read(bytes)).isEqualTo(value);
			Type type = new TypeReference<Map<String, @Nullable Object>>() {
			}.getType();
			assertThat(this.serializer.reader(type).read(bytes)).isEqualTo(value);
			assertThat(this.serializer.reader(JobArgs.class).read(bytes)).isInstanceOfSatisfying(JobArgs.class,
					(args) -> assertThat(args.asMap()).isEqualTo(value));
		}
	}

	@Test
	void decimalIsADoubleWhereThatIsExactAndABigDecimalElsewhere() {
		assertThat(read("0.1", Object.class)).isEqualTo(0.1);
		assertThat(read("1.50", Object.class)).isEqualTo(1.5);
		assertThat(read("1e2", Object.class)).isEqualTo(100.0);
		assertThat(read("1e400", Object.class)).isEqualTo(new BigDecimal("1e400"));
		assertThat(read("1e-400", Object.class)).isEqualTo(new BigDecimal("1e-400"));
		assertThat(read("{\"a\":[0.30000000000000000001,0.3]}", Map.class))
			.isEqualTo(Map.of("a", List.of(new BigDecimal("0.30000000000000000001"), 0.3)));
		assertThat(read("{\"value\":0.30000000000000000001,\"any\":[0.1]}", Loose.class))
			.isEqualTo(new Loose(new BigDecimal("0.30000000000000000001"), List.of(0.1)));
	}

	@Test
	void bigDecimalTakesNoMoreThanItsDigits() {
		assertThat(json(new BigDecimal("1E+9999"))).isEqualTo("1E+9999");
		assertThat(json(JsonNodeFactory.instance.numberNode(new BigDecimal("1E+9999")))).isEqualTo("1E+9999");
		assertThat(read(json(new BigDecimal("1E+9999")), BigDecimal.class)).isEqualTo(new BigDecimal("1E+9999"));
		assertThat(read(json(new BigDecimal("1E-10")), BigDecimal.class)).isEqualTo(new BigDecimal("1E-10"));
	}

	@Test
	void treeArrivesEqualAndExact() {
		JsonNode tree = JsonMapper.shared()
			.readTree("{\"a\":[1,0.1,null,{}],\"b\":9007199254740993,\"c\":\"\uD83D\uDE80\",\"d\":true}");
		assertThat(this.serializer.reader(JsonNode.class).read(this.serializer.write(tree, MAX))).isEqualTo(tree);
		assertThat(read("0.1000000000000000000000000001", JsonNode.class)).isInstanceOfSatisfying(JsonNode.class,
				(node) -> assertThat(node.decimalValue()).isEqualTo("0.1000000000000000000000000001"));
	}

	@Test
	void recordsTravelWithDatesAsIsoText() {
		Order order = new Order(7, "Ada", Instant.parse("2026-01-01T00:00:00.123456789Z"), LocalDate.of(2026, 2, 3),
				Duration.ofSeconds(90), List.of(new BigDecimal("1.10")));
		assertThat(json(order)).contains("\"2026-01-01T00:00:00.123456789Z\"", "\"2026-02-03\"", "\"PT1M30S\"");
		assertThat(read(json(order), Order.class)).isEqualTo(order);
	}

	@Test
	void argumentsCanBeAPayloadAndPartOfOne() {
		JobArgs args = JobArgs.of(Map.of("count", 3));
		assertThat(json(args)).isEqualTo("{\"count\":3}");
		assertThat(read("{\"args\":{\"count\":3}}", WithArgs.class)).isInstanceOfSatisfying(WithArgs.class,
				(payload) -> assertThat(payload.args().integer("count")).isEqualTo(3));
		assertThat(read("null", JobArgs.class)).isInstanceOf(JobArgs.class);
	}

	@Test
	void unknownAndMissingPropertiesAreForgiven() {
		assertThat(read("{\"id\":7,\"newer\":{\"a\":[1]}}", Order.class))
			.isEqualTo(new Order(7, null, null, null, null, null));
		assertThat(read("{\"name\":\"Ada\"}", Order.class)).isEqualTo(new Order(0, "Ada", null, null, null, null));
		assertThat(read("{\"id\":null}", Order.class)).isEqualTo(new Order(0, null, null, null, null, null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{", "{\"id\":7} x", "{\"id\":7}{}", "\u0000", "secret", "{\"id\":\"secret\"}", "[1]",
			"{\"id\":99999999999999999999}", "{\"due\":\"secret\"}", "{\"name\":\"secret", "\"secret\"" })
	void unreadableBytesAreAPayloadExceptionThatKeepsTheSecret(String json) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read(json, Order.class))
			.withMessageContaining(Order.class.getTypeName())
			.withMessageMatching(".*\\(byte \\d+\\).*")
			.satisfies((ex) -> assertThat(ex).hasStackTraceContaining("PayloadException")
				.hasMessageNotContaining("secret")
				.hasNoCause());
	}

	@Test
	void unreadableBytesAreLocated() {
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"lines\":[1.5,\"secret\"]}", Order.class))
			.withMessage("Cannot read the payload as " + Order.class.getTypeName()
					+ " at 'lines[1]' (byte 14): expected a number for java.math.BigDecimal, found text like 'aaaaaa'");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"id\":7} []", Order.class))
			.withMessageContaining("something follows after its end");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"id\":7", Order.class))
			.withMessageContaining("it is not valid JSON");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read(" ", Order.class));
	}

	@Test
	void hostileBytesAreAPayloadExceptionWithAShortMessage() {
		for (String json : List.of("[".repeat(100_000), "1".repeat(100_000), "0." + "1".repeat(100_000),
				"{\"" + "x".repeat(100_000) + "\":{\"id\":[}", "\"" + "x".repeat(100_000), "\uFFFF".repeat(1000))) {
			for (Type type : new Type[] { Object.class, JsonNode.class, Order.class, JobArgs.class, String.class }) {
				assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read(json, type))
					.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(600));
			}
		}
	}

	@Test
	void constructorThatRefusesIsTheCause() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"id\":-1}", Picky.class))
			.withMessageContaining("java.lang.IllegalStateException was thrown")
			.withCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void typeThatCannotBeBuiltIsAPayloadException() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{}", Runnable.class))
			.withMessageContaining("java.lang.Runnable is an interface");
	}

	static Stream<Object> unwritable() {
		List<Object> loop = new ArrayList<>();
		loop.add(List.of(loop));
		Map<String, Object> mapLoop = new LinkedHashMap<>();
		mapLoop.put("self", Map.of("again", mapLoop));
		Knot knot = new Knot();
		knot.other = new Knot();
		knot.other.other = knot;
		return Stream.of(loop, mapLoop, knot, new Throwing(new IllegalStateException("x".repeat(100_000))),
				new Throwing(new AssertionError("secret")), new Throwing(new StackOverflowError()),
				Map.of("a", new Throwing(new NoClassDefFoundError("x"))), new Recursive());
	}

	@ParameterizedTest
	@MethodSource("unwritable")
	void unwritablePayloadIsAPayloadExceptionAndNothingElse(Object payload) {
		for (boolean canonical : new boolean[] { false, true }) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> bytes(payload, canonical))
				.withMessageContaining("Cannot write a payload of " + payload.getClass().getTypeName() + " as JSON")
				.satisfies((ex) -> assertThat(ex.getMessage()).hasSizeLessThan(800).doesNotContain("secret"));
		}
	}

	@Test
	void exceptionOfAGetterIsTheCause() {
		IllegalStateException cause = new IllegalStateException("secret");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> this.serializer.write(Map.of("a", new Throwing(cause)), MAX))
			.withMessageContaining("at '[*].value': java.lang.IllegalStateException was thrown")
			.withCause(cause);
	}

	@Test
	void canonicalBytesDoNotDependOnTheOrderOfKeys() {
		Map<String, @Nullable Object> one = new LinkedHashMap<>();
		one.put("b", List.of(new TreeMap<>(Map.of("y", 1, "x", 2))));
		one.put("a", null);
		Map<String, @Nullable Object> other = new LinkedHashMap<>();
		other.put("a", null);
		Map<String, Object> inner = new LinkedHashMap<>();
		inner.put("y", 1L);
		inner.put("x", 2);
		other.put("b", List.of(inner));
		assertThat(canonical(one)).isEqualTo(canonical(other)).isEqualTo("{\"a\":null,\"b\":[{\"x\":2,\"y\":1}]}");
		assertThat(canonical(JobArgs.of(one))).isEqualTo(canonical(one));
		assertThat(canonical(JsonMapper.shared().readTree("{\"b\":[{\"y\":1,\"x\":2}],\"a\":null}")))
			.isEqualTo(canonical(one));
	}

	@Test
	void canonicalBytesDoNotDependOnTheOrderOfProperties() {
		assertThat(canonical(new Mixed(1, 2, Map.of("k", 0.1)))).isEqualTo("{\"a\":2,\"m\":{\"k\":0.1},\"z\":1}");
		assertThat(canonical(new Mixed(1, 2, Map.of("k", 0.1))))
			.isEqualTo(canonical(Map.of("z", 1, "a", 2, "m", Map.of("k", 0.1))));
	}

	@Test
	void canonicalBytesKeepListsAndNumbersApart() {
		assertThat(canonical(List.of(2, 1))).isEqualTo("[2,1]");
		assertThat(canonical(List.of(9007199254740993L))).isNotEqualTo(canonical(List.of(9007199254740992L)));
		assertThat(canonical(new BigDecimal("0.1000000000000000000000000001")))
			.isEqualTo("0.1000000000000000000000000001");
		assertThat(this.serializer.canonical(null, MAX)).isEmpty();
	}

	@Test
	void givenMapperKeepsItsFormatButNotWhatBreaksPromises() {
		JsonMapper mapper = JsonMapper.builder()
			.propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
			.enable(SerializationFeature.INDENT_OUTPUT)
			.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS)
			.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
					DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
			.disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
			.activateDefaultTyping(BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(),
					DefaultTyping.NON_FINAL)
			.build();
		PayloadSerializer custom = new JacksonPayloadSerializer(mapper);
		byte[] json = custom.write(new Dated(Instant.EPOCH), MAX);
		assertThat(json).asString(StandardCharsets.UTF_8).isEqualTo("{\"created_at\":0.0}");
		assertThat(custom.reader(Dated.class).read(json)).isEqualTo(new Dated(Instant.EPOCH));
		assertThat(custom.reader(Object.class).read("{\"a\":0.1}".getBytes(StandardCharsets.UTF_8)))
			.isEqualTo(Map.of("a", 0.1));
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> custom.reader(Object.class).read("1 2".getBytes(StandardCharsets.UTF_8)));
	}

	@Test
	void classNamesInThePayloadAreNotObeyed() {
		assertThat(read("[\"java.util.ArrayList\",[1]]", Object.class))
			.isEqualTo(List.of("java.util.ArrayList", List.of(1)));
		assertThat(read("{\"@class\":\"java.lang.Thread\"}", Object.class))
			.isEqualTo(Map.of("@class", "java.lang.Thread"));
	}

	private byte[] bytes(Object payload, boolean canonical) {
		return canonical ? this.serializer.canonical(payload, MAX) : this.serializer.write(payload, MAX);
	}

	private String json(Object payload) {
		return new String(this.serializer.write(payload, MAX), StandardCharsets.UTF_8);
	}

	private String canonical(Object payload) {
		return new String(this.serializer.canonical(payload, MAX), StandardCharsets.UTF_8);
	}

	private @Nullable Object read(String json, Type type) {
		return this.serializer.reader(type).read(json.getBytes(StandardCharsets.UTF_8));
	}

	record Order(int id, @Nullable String name, @Nullable Instant due, @Nullable LocalDate day,
			@Nullable Duration limit, @Nullable List<BigDecimal> lines) {

	}

	record Loose(Number value, Object any) {

	}

	record WithArgs(JobArgs args) {

	}

	record Dated(Instant createdAt) {

	}

	record Primitives(int count, boolean on, double share) {

	}

	record Mixed(int z, int a, Map<String, Object> m) {

	}

	record Picky(int id) {

		Picky {
			if (id < 0) {
				throw new IllegalStateException("refused");
			}
		}

	}

	static final class Knot {

		public @Nullable Knot other;

	}

	record Throwing(Throwable value) {

		@Override
		public Throwable value() {
			throw Throwing.<RuntimeException>unchecked(this.value);
		}

		@SuppressWarnings("unchecked")
		private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
			throw (T) thrown;
		}

	}

	static final class Recursive {

		public Recursive getNext() {
			return new Recursive();
		}

	}

}
