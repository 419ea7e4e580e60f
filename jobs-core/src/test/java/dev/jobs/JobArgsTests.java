package dev.jobs;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JobArgs}.
 */
class JobArgsTests {

	@Test
	void valuesOfTheRightTypeAreReadWithoutError() {
		JobArgs args = JobArgs.of(Map.of("name", "Ada", "count", 3, "price", new BigDecimal("1.10"), "ratio", 0.5, "on",
				true, "items", List.of(1, "two"), "address", Map.of("zip", "10115")));
		assertThat(args.string("name")).isEqualTo("Ada");
		assertThat(args.integer("count")).isEqualTo(3);
		assertThat(args.decimal("price")).isEqualTo("1.10");
		assertThat(args.number("ratio")).isEqualTo(0.5);
		assertThat(args.bool("on")).isTrue();
		assertThat(args.list("items")).isEqualTo(List.of(1, "two"));
		assertThat(args.map("address").string("zip")).isEqualTo("10115");
		assertThat(args.error()).isEmpty();
		assertThatNoException().isThrownBy(args::check);
	}

	@Test
	void textOfArgumentsShowsNothingOfThem() {
		assertThat(JobArgs.of(Map.of("card", "4111"))).hasToString("JobArgs of 1 entry");
		assertThat(JobArgs.of(Map.of("card", "4111", "name", "Ada"))).hasToString("JobArgs of 2 entries");
	}

	static Stream<Arguments> wholeNumbers() {
		return Stream.of(Arguments.of(77, 77L), Arguments.of(77L, 77L), Arguments.of((short) 77, 77L),
				Arguments.of((byte) -7, -7L), Arguments.of(77.0, 77L), Arguments.of(77.0f, 77L), Arguments.of(-0.0, 0L),
				Arguments.of(new BigDecimal("77.000"), 77L), Arguments.of(new BigDecimal("7.7E+1"), 77L),
				Arguments.of(BigInteger.valueOf(77), 77L), Arguments.of(new AtomicInteger(77), 77L),
				Arguments.of(9007199254740993L, 9007199254740993L),
				Arguments.of(new BigDecimal("9007199254740993"), 9007199254740993L),
				Arguments.of(Long.MAX_VALUE, Long.MAX_VALUE), Arguments.of(Long.MIN_VALUE, Long.MIN_VALUE),
				Arguments.of(BigInteger.valueOf(Long.MIN_VALUE), Long.MIN_VALUE),
				Arguments.of(-9.223372036854775808E18, Long.MIN_VALUE));
	}

	@ParameterizedTest
	@MethodSource("wholeNumbers")
	void wholeNumberOfAnyTypeIsReadExactly(Number value, long expected) {
		JobArgs args = JobArgs.of(Map.of("n", value));
		assertThat(args.integer("n")).isEqualTo(expected);
		assertThat(args.error()).isEmpty();
	}

	static Stream<Object> notWholeNumbers() {
		return Stream.of(1.1, 1.1f, new BigDecimal("1.1"), new BigDecimal("1E-1000000000"),
				new BigDecimal("1E+1000000000"), 9.223372036854775807E18, BigInteger.ONE.shiftLeft(63), Double.NaN,
				Double.POSITIVE_INFINITY, "77", true, List.of(77));
	}

	@ParameterizedTest
	@MethodSource("notWholeNumbers")
	void anythingElseIsNoWholeNumber(Object value) {
		JobArgs args = JobArgs.of(Map.of("n", value));
		assertThat(args.integer("n")).isZero();
		assertThat(args.error()).hasValueSatisfying((error) -> assertThat(error)
			.startsWith("Argument 'n' should be a whole number in the range of a long, but found "
					+ value.getClass().getSimpleName().replaceAll("ListN?\\d*", "List")));
	}

	@Test
	void decimalIsExact() {
		JobArgs args = JobArgs.of(Map.of("double", 0.1, "float", 0.1f, "long", Long.MAX_VALUE, "big",
				new BigDecimal("0.1000000000000000000000000001"), "nan", Double.NaN));
		assertThat(args.decimal("double")).isEqualTo("0.1");
		assertThat(args.decimal("float")).isEqualTo("0.1");
		assertThat(args.decimal("long")).isEqualTo("9223372036854775807");
		assertThat(args.decimal("big")).isEqualTo("0.1000000000000000000000000001");
		assertThat(args.error()).isEmpty();
		assertThat(args.decimal("nan")).isZero();
		assertThat(args.error()).contains("Argument 'nan' should be a decimal number, but found Double 'NaN'");
	}

	@Test
	void numberTakesAnyNumber() {
		JobArgs args = JobArgs.of(Map.of("int", 3, "decimal", new BigDecimal("0.25"), "text", "0.25"));
		assertThat(args.number("int")).isEqualTo(3.0);
		assertThat(args.number("decimal")).isEqualTo(0.25);
		assertThat(args.error()).isEmpty();
		assertThat(args.number("text")).isZero();
		assertThat(args.error()).contains("Argument 'text' should be a number, but found String '0.25'");
	}

	@Test
	void missingArgumentsGiveZeroValuesAndAnError() {
		JobArgs args = JobArgs.of(null);
		assertThat(args.string("a")).isEmpty();
		assertThat(args.integer("a")).isZero();
		assertThat(args.decimal("a")).isEqualTo(BigDecimal.ZERO);
		assertThat(args.number("a")).isZero();
		assertThat(args.bool("a")).isFalse();
		assertThat(args.list("a")).isEmpty();
		assertThat(args.map("a").asMap()).isEmpty();
		assertThat(args.raw("a")).isNull();
		assertThat(args.has("a")).isFalse();
		assertThat(args.string("b")).isEmpty();
		assertThat(args.error()).contains("Argument 'b' should be a string, but it is missing");
		assertThatIllegalArgumentException().isThrownBy(args::check)
			.withMessage("Argument 'b' should be a string, but it is missing");
	}

	@Test
	void nullIsThereButOfNoType() {
		Map<String, @Nullable Object> values = new HashMap<>();
		values.put("a", null);
		JobArgs args = JobArgs.of(values);
		assertThat(args.has("a")).isTrue();
		assertThat(args.string("a")).isEmpty();
		assertThat(args.error()).contains("Argument 'a' should be a string, but found null");
	}

	@Test
	void errorStaysWhenLaterReadsAreGoodAndGivesWayToALaterError() {
		JobArgs args = JobArgs.of(Map.of("good", 1));
		args.integer("first");
		args.integer("good");
		assertThat(args.error()).hasValueSatisfying((error) -> assertThat(error).contains("'first'"));
		args.bool("good");
		assertThat(args.error()).contains("Argument 'good' should be a boolean, but found Integer '1'");
		args.integer("good");
		assertThat(args.error()).hasValueSatisfying((error) -> assertThat(error).contains("a boolean"));
	}

	@Test
	void errorOfNestedArgumentsIsSeenOutsideWithItsPath() {
		JobArgs args = JobArgs.of(Map.of("order", Map.of("address", Map.of("zip", 10115))));
		assertThat(args.map("order").map("address").string("zip")).isEmpty();
		assertThat(args.error()).contains("Argument 'order.address.zip' should be a string, but found Integer '10115'");
	}

	@Test
	void errorIsShortAndPrintable() {
		JobArgs args = JobArgs.of(Map.of("text", "a\u0000b\n\u001b[31m" + "x".repeat(100_000), "map",
				Map.of("secret", "x"), "list", List.of(1, 2), "other", new Object[0]));
		args.bool("text");
		assertThat(args.error())
			.hasValueSatisfying((error) -> assertThat(error).contains("String 'a?b??[31mxxx").hasSizeLessThan(200));
		args.bool("map");
		assertThat(args.error())
			.hasValueSatisfying((error) -> assertThat(error).endsWith("of 1 entries").doesNotContain("secret"));
		args.bool("list");
		assertThat(args.error()).hasValueSatisfying((error) -> assertThat(error).endsWith("of 2 elements"));
		args.bool("other");
		assertThat(args.error()).hasValueSatisfying((error) -> assertThat(error).endsWith("found Object[]"));
		args.bool("k\n".repeat(10_000));
		assertThat(args.error()).hasValueSatisfying((error) -> assertThat(error).hasSizeLessThan(200).contains("k?k?"));
	}

	@Test
	void argumentsAreACopyInTheirOrderAndUnmodifiable() {
		Map<String, Object> values = new LinkedHashMap<>();
		values.put("z", 1);
		values.put("a", Arrays.asList(1, null));
		JobArgs args = JobArgs.of(values);
		values.clear();
		assertThat(args.asMap()).containsOnlyKeys("z", "a");
		assertThat(args.asMap().keySet()).containsExactly("z", "a");
		assertThat(args.list("a")).hasSize(2);
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> args.asMap().clear());
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> args.list("a").clear());
	}

}
