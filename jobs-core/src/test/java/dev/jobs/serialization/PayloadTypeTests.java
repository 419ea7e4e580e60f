package dev.jobs.serialization;

import java.io.OutputStream;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.AbstractList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.annotation.Nulls;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.annotation.JsonDeserialize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the refusals of {@link JacksonPayloadSerializer}: types that could not be
 * read back, and payloads that are not of the type.
 */
class PayloadTypeTests {

	private final JacksonPayloadSerializer serializer = new JacksonPayloadSerializer();

	static Stream<Object> unreadable() {
		Shape circle = new Circle(1);
		return Stream.of(new Drawing(circle), new Drawings(List.of(circle)), new ByName(Map.of("a", circle)),
				new Maybe(Optional.of(circle)), new Deep(new Drawing(circle)));
	}

	@ParameterizedTest
	@MethodSource("unreadable")
	void typeThatJsonDoesNotNameIsRefusedBeforeItIsStored(Object payload) {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(payload))
			.withMessageContainingAll(payload.getClass().getTypeName(), Shape.class.getTypeName() + " is a sealed type",
					"Annotate it with @JsonTypeInfo(use = JsonTypeInfo.Id.NAME), or use one of its subtypes");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(payload.getClass()))
			.withMessageContaining("@JsonTypeInfo");
	}

	@Test
	void whereTheProblemIsIsSaid() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Deep.class))
			.withMessageContaining("at 'drawing.shape' ");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Drawings.class))
			.withMessageContaining("at 'shapes[*]' ");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Plain.class))
			.withMessageContaining("is an abstract type")
			.withMessageContaining("and @JsonSubTypes");
	}

	@Test
	void constructorThatJsonCannotChooseIsAskedFor() {
		for (Class<?> type : List.of(Several.class, TextOrTwo.class)) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(type))
				.withMessageContaining(
						type.getTypeName() + " has several constructors: annotate one with @JsonCreator");
		}
	}

	@Test
	void innerClassIsToBeMadeStatic() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Inner.class))
			.withMessageEndingWith(Inner.class.getTypeName() + " is an inner class: make it static");
	}

	@Test
	void typeThatIsWrittenAsTextNeedsNoConstructorForAnObject() {
		assertThat(read(json(new Code("a")), Code.class)).isEqualTo(new Code("a"));
		assertThat(read("\"a\"", ChosenText.class)).isInstanceOf(ChosenText.class);
	}

	@Test
	void unreadableObjectIsToldWithJacksonsReason() {
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"secret\":\"secret\"}", ChosenText.class))
			.withMessageContaining("Cannot construct instance of")
			.withMessageContaining("Creator")
			.withMessageNotContaining("secret");
	}

	@Test
	void typeThatJsonNamesArrives() {
		for (Object payload : List.of(new Zoo(new Cat("Tom"), List.of(new Dog(3))), new As(new Circle(2)))) {
			assertThat(read(json(payload), payload.getClass())).isEqualTo(payload);
		}
		Type generic = new TypeReference<Envelope<Circle>>() {
		}.getType();
		assertThat(read(json(new Envelope<>(new Circle(2))), generic)).isEqualTo(new Envelope<>(new Circle(2)));
	}

	@Test
	void typeThatContainsItselfIsNoProblem() {
		Tree tree = new Tree(List.of(new Tree(List.of())));
		assertThat(read(json(tree), Tree.class)).isEqualTo(tree);
	}

	@Test
	void typeWithoutAnUsableConstructorIsRefusedWhereItIsRead() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Private.class))
			.withMessageContaining("annotate the constructor with @JsonCreator");
		assertThat(json(new Private(new StringBuilder("x"), 1))).isEqualTo("{\"text\":\"x\"}");
	}

	@Test
	void typeThatHidesWhatItHasIsRefused() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(new Hidden()))
			.withMessageContaining(Hidden.class.getTypeName() + " has fields, but no property")
			.withMessageEndingWith("mark fields that are not to be stored @JsonIgnore");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> write(Map.of("secret", new Hidden())))
			.withMessageContaining("at '[*]'")
			.withMessageContaining("has fields, but no property");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.reader(Hidden.class))
			.withMessageContaining("has fields, but no property");
	}

	@Test
	void typeThatHasNothingIsEmptyOnPurpose() {
		for (Object payload : List.of(new Marker(), new EmptyRecord(), new NothingToStore(), new Object())) {
			assertThat(json(payload)).isEqualTo("{}");
			assertThat(read("{}", payload.getClass())).isInstanceOf(payload.getClass());
			assertThat(read("{\"older\":1}", payload.getClass())).isInstanceOf(Object.class);
		}
		assertThat(json(new Shown())).isEqualTo("{\"value\":\"seen\"}");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"first_name\":\"Ada\",\"LAST-NAME\":\"secret\"}",
			"{\"hello\":{\"first_name\":1},\"LAST-NAME\":[],\"x\":{\"firstName\":\"secret\"}}" })
	void objectOfWhichNoPropertyIsKnownIsUnreadable(String json) {
		for (Class<?> type : List.of(Hello.class, Ignoring.class, Setters.class)) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read(json, type))
				.withMessageContainingAll(type.getTypeName() + " has none of these ", "'LAST-NAME'",
						"; it has: firstName, lastName. The names ", "LAST-NAME are only spelt differently")
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("secret").endsWith("@JsonAlias"));
		}
	}

	@Test
	void namesOfTheDataAreNotShown() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"ada@example.org\":1}", Hello.class))
			.withMessage("Cannot read the payload as " + Hello.class.getTypeName() + " (byte 20): "
					+ Hello.class.getTypeName() + " has no such property; it has: firstName, lastName");
	}

	@Test
	void nestedObjectOfWhichNoPropertyIsKnownIsUnreadable() {
		String stranger = "{\"street\":\"secret\"}";
		for (String json : List.of("{\"one\":" + stranger + "}",
				"{\"many\":[{\"firstName\":\"Ada\"}," + stranger + "]}",
				"{\"newer\":1,\"byName\":{\"ada@example.org\":" + stranger + "}}")) {
			assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read(json, Party.class))
				.withMessageContaining(
						Hello.class.getTypeName() + " has no property 'street'; it has: firstName, lastName")
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("secret", "ada@"));
		}
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"animal\":{\"@type\":\"PayloadTypeTests$Cat\",\"title\":1}}", Zoo.class))
			.withMessageContaining(Cat.class.getTypeName() + " has no property 'title'; it has: name");
	}

	@Test
	void versionsOfATypeMayDiffer() {
		assertThat(read("{\"firstName\":\"Ada\",\"newer\":1}", Hello.class)).isEqualTo(new Hello("Ada", null));
		assertThat(read("{}", Hello.class)).isEqualTo(new Hello(null, null));
		assertThat(read("{\"newer\":{\"x\":1},\"one\":{\"firstName\":\"Ada\",\"newer\":[]}}", Party.class))
			.isEqualTo(new Party(new Hello("Ada", null), null, null));
		assertThat(read("{\"name\":\"Ada\"}", Renamed.class)).isEqualTo(new Renamed("Ada"));
		assertThat(read("{\"anything\":1}", Open.class)).isInstanceOf(Open.class);
		assertThat(read("{\"@type\":\"PayloadTypeTests$Dog\",\"legs\":4,\"newer\":0}", Animal.class))
			.isEqualTo(new Dog(4));
	}

	@Test
	void onePayloadSaysNothingAboutTheNext() {
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"newer\":1,\"firstName\":[]}", Hello.class));
		assertThat(read("{}", Hello.class)).isEqualTo(new Hello(null, null));
		assertThat(read("{\"firstName\":\"Ada\",\"newer\":1}", Hello.class)).isEqualTo(new Hello("Ada", null));
		assertThat(UnknownProperties.forget()).isFalse();
	}

	@Test
	void keysArePayloadAndNotShown() {
		Type type = new TypeReference<Map<String, Integer>>() {
		}.getType();
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"ada@example.org\":\"secret\"}", type))
			.withMessageContaining("at '[*]'")
			.satisfies((ex) -> assertThat(ex).hasMessageNotContaining("ada").hasMessageNotContaining("secret"));
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"byName\":{\"ada@example.org\":{\"firstName\":[]}}}", Party.class))
			.withMessageContaining("at 'byName[*].firstName'");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"ada@example.org\":{}}", OpenNumbers.class))
			.satisfies((ex) -> assertThat(ex).hasMessageNotContaining("ada"));
	}

	@Test
	void constantThatIsGoneIsNamedWithThoseThereAre() {
		String expected = "expected one of RED, GREEN for " + Color.class.getTypeName() + ", found ";
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"color\":\"BLUE\"}", Paint.class))
			.withMessageContaining("at 'color'")
			.withMessageEndingWith(expected + "'BLUE'");
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"color\":\"ada@example.org\"}", Paint.class))
			.withMessageEndingWith(expected + "a text of 15 characters");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"color\":7}", Paint.class))
			.withMessageContaining("at 'color'")
			.withMessageNotContaining("7");
		Type byColor = new TypeReference<Map<Color, Integer>>() {
		}.getType();
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"BLUE\":1}", byColor))
			.withMessageEndingWith(expected + "'BLUE'");
	}

	@Test
	void valueThatDoesNotFitIsShownByItsForm() {
		assertThatExceptionOfType(PayloadException.class)
			.isThrownBy(() -> read("{\"day\":\"24.12.2026\"}", Paint.class))
			.withMessageContaining("at 'day'")
			.withMessageEndingWith("expected java.time.LocalDate, found text like '99.99.9999'");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"coats\":\"Two\"}", Paint.class))
			.withMessageContaining("at 'coats'")
			.withMessageEndingWith("expected a number for int, found text like 'Aaa'");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"coats\":3000000000}", Paint.class))
			.withMessageContaining("at 'coats'")
			.withMessageEndingWith("expected int, found a number beyond its range");
	}

	@Test
	void reasonIsSaidWithoutValues() {
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("[\"secret\"]", Hello.class))
			.withMessageEndingWith("expected an object for " + Hello.class.getTypeName() + ", found an array");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"firstName\":[\"s\"]}", Hello.class))
			.withMessageContaining("at 'firstName'")
			.withMessageEndingWith("expected text for java.lang.String, found an array");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"many\":{}}", Party.class))
			.withMessageContaining("expected an array for", "found an object");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"to\":null}", Required.class))
			.withMessageEndingWith("null for 'to', which may not be null");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"@type\":\"Horse\"}", Animal.class))
			.withMessageEndingWith("its type id 'Horse' is not known for " + Animal.class.getTypeName());
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> read("{\"name\":\"secret\"}", Animal.class))
			.withMessageEndingWith("its type id is missing for " + Animal.class.getTypeName());
	}

	@Test
	void writingStopsAtTheLimit() {
		List<String> endless = new AbstractList<>() {

			@Override
			public String get(int index) {
				return "x".repeat(100);
			}

			@Override
			public int size() {
				return Integer.MAX_VALUE;
			}

		};
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.write(endless, 50_000))
			.withMessageContaining("has more than 50000 bytes; jobs.max-payload-size allows 50000");
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.canonical(endless, 50_000));
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.write(new byte[11], 10))
			.withMessageContaining("has 11 bytes; jobs.max-payload-size allows 10");
	}

	@Test
	void numbersOfAFewBytesStayAFewBytes() {
		byte[] body = ("[" + "1e9999,".repeat(40_000) + "1]").getBytes(StandardCharsets.UTF_8);
		Type type = new TypeReference<List<BigDecimal>>() {
		}.getType();
		Object amounts = Objects.requireNonNull(this.serializer.reader(type).read(body));
		assertThat(this.serializer.write(amounts, 400_000)).hasSizeLessThan(400_000);
		assertThat(this.serializer.canonical(amounts, 400_000)).hasSizeLessThan(400_000);
		List<BigInteger> whole = Collections.nCopies(Integer.MAX_VALUE, BigInteger.TEN.pow(9999));
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.write(whole, 400_000))
			.withMessageContaining("has more than 400000 bytes");
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 10, 7_990, 8_000, 8_010, 16_000, 50_000 })
	void payloadUpToTheLimitIsWritten(int length) {
		String text = "x".repeat(length);
		assertThat(this.serializer.write(text, length + 2)).asString().isEqualTo('"' + text + '"');
		assertThat(this.serializer.canonical(text, length + 2)).asString().isEqualTo('"' + text + '"');
		assertThatExceptionOfType(PayloadException.class).isThrownBy(() -> this.serializer.write(text, length + 1));
	}

	@Test
	void bytesBeyondTheLimitTakeNoMemory() throws Exception {
		try (OutputStream bytes = new BoundedBytes(10)) {
			bytes.write(new byte[10]);
			assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> bytes.write(1));
			assertThat(((BoundedBytes) bytes).toByteArray()).hasSize(10);
		}
	}

	private void write(Object payload) {
		this.serializer.write(payload, 10_000);
	}

	private String json(Object payload) {
		return new String(this.serializer.write(payload, 10_000), StandardCharsets.UTF_8);
	}

	private @Nullable Object read(String json, Type type) {
		return this.serializer.reader(type).read(json.getBytes(StandardCharsets.UTF_8));
	}

	sealed interface Shape permits Circle, Square {

	}

	record Circle(int radius) implements Shape {

	}

	record Square(int side) implements Shape {

	}

	record Drawing(Shape shape) {

	}

	record Drawings(List<Shape> shapes) {

	}

	record ByName(Map<String, Shape> shapes) {

	}

	record Maybe(Optional<Shape> shape) {

	}

	record Deep(Drawing drawing) {

	}

	abstract static class Base {

		public int value;

	}

	record Plain(Base base) {

	}

	record As(@JsonDeserialize(as = Circle.class) Shape shape) {

	}

	enum Color {

		RED, GREEN

	}

	record Paint(Color color, LocalDate day, int coats) {

	}

	record Envelope<T extends Shape>(T content) {

	}

	record Tree(List<Tree> children) {

	}

	@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
	sealed interface Animal permits Cat, Dog {

	}

	record Cat(String name) implements Animal {

	}

	record Dog(int legs) implements Animal {

	}

	record Zoo(Animal animal, List<Animal> others) {

	}

	static final class Private {

		private final StringBuilder text;

		Private(StringBuilder text, int times) {
			this.text = text;
		}

		public String getText() {
			return this.text.toString();
		}

	}

	static final class Hidden {

		private String value = "lost";

	}

	static final class Marker {

	}

	record EmptyRecord() {

	}

	static final class NothingToStore {

		private static final String CONSTANT = "c";

		private transient int counter;

		@JsonIgnore
		private Object helper = new Object();

	}

	@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
	static final class Shown {

		private String value = "seen";

	}

	record Hello(@Nullable String firstName, @Nullable String lastName) {

	}

	@JsonIgnoreProperties(ignoreUnknown = true)
	record Ignoring(String firstName, String lastName) {

	}

	static class Setters {

		public void setFirstName(String name) {
		}

		public void setLastName(String name) {
		}

	}

	record Party(@Nullable Hello one, @Nullable List<Hello> many, @Nullable Map<String, Hello> byName) {

	}

	record Renamed(@JsonAlias("name") String fullName) {

	}

	static final class Open {

		public int known;

		@JsonAnySetter
		void set(String name, Object value) {
		}

	}

	static final class OpenNumbers {

		public int known;

		@JsonAnySetter
		void set(String name, Integer value) {
		}

	}

	record Required(@JsonSetter(nulls = Nulls.FAIL) String to) {

	}

	public static class Several {

		public final String first;

		public Several(String first, int second) {
			this.first = first;
		}

		public Several(String first, long second, String third) {
			this.first = first;
		}

	}

	public static class TextOrTwo {

		public final String text;

		public TextOrTwo(String all) {
			this.text = all;
		}

		public TextOrTwo(String one, String other) {
			this.text = one + other;
		}

	}

	public class Inner {

		public String name = "";

	}

	public static final class Code {

		private final String text;

		public Code(String text) {
			this.text = text;
		}

		public Code(String one, String other) {
			this(one + other);
		}

		@JsonValue
		String text() {
			return this.text;
		}

		@Override
		public boolean equals(Object other) {
			return other instanceof Code code && code.text.equals(this.text);
		}

		@Override
		public int hashCode() {
			return this.text.hashCode();
		}

	}

	public static class ChosenText {

		public final int length;

		@JsonCreator(mode = JsonCreator.Mode.DELEGATING)
		public ChosenText(String text) {
			this.length = text.length();
		}

	}

}
