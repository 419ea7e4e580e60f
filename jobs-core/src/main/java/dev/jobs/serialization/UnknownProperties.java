package dev.jobs.serialization;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.BeanDeserializerBuilder;
import tools.jackson.databind.deser.DeserializationProblemHandler;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.util.TokenBuffer;

/**
 * Notices unknown properties while a payload is read. A few are normal while versions
 * differ; an object with only unknown properties is not of the type at all.
 * <p>
 * When an unknown property is met, it is not known yet whether the object has known ones.
 * So reading only records that there was one, and a payload that had one is read a second
 * time by {@linkplain #counted() deserializers that count}.
 */
final class UnknownProperties extends DeserializationProblemHandler {

	private static final ThreadLocal<@Nullable Boolean> MET = new ThreadLocal<>();

	/**
	 * Forget the unknown properties met so far in this thread.
	 * @return whether an unknown property was met
	 */
	static boolean forget() {
		if (MET.get() == null) {
			return false;
		}
		MET.remove();
		return true;
	}

	@Override
	public boolean handleUnknownProperty(DeserializationContext context, JsonParser parser,
			ValueDeserializer<?> deserializer, Object beanOrClass, String name) {
		if (context.getAttribute(Counter.class) instanceof Counter counter) {
			counter.unknown++;
		}
		else {
			MET.set(Boolean.TRUE);
		}
		return false;
	}

	/**
	 * Return a modifier that has unknown properties reported even if the type is
	 * annotated to ignore them, as all types do here.
	 */
	static ValueDeserializerModifier reported() {
		return new ValueDeserializerModifier() {

			@Override
			public BeanDeserializerBuilder updateBuilder(DeserializationConfig config,
					BeanDescription.Supplier description, BeanDeserializerBuilder builder) {
				builder.setIgnoreUnknownProperties(false);
				return builder;
			}

		};
	}

	/**
	 * Return a modifier that refuses objects without a single known property.
	 */
	static ValueDeserializerModifier counted() {
		return new ValueDeserializerModifier() {

			@Override
			public ValueDeserializer<?> modifyDeserializer(DeserializationConfig config,
					BeanDescription.Supplier description, ValueDeserializer<?> deserializer) {
				return (deserializer instanceof BeanDeserializerBase) ? new Counting(deserializer) : deserializer;
			}

		};
	}

	/** How many properties of the innermost object were unknown. */
	private static final class Counter {

		private int unknown;

	}

	private static final class Counting extends DelegatingDeserializer {

		Counting(ValueDeserializer<?> deserializer) {
			super(deserializer);
		}

		@Override
		protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
			return new Counting(deserializer);
		}

		@Override
		public Object deserialize(JsonParser parser, DeserializationContext context) {
			if (!parser.hasToken(JsonToken.START_OBJECT) && !parser.hasToken(JsonToken.PROPERTY_NAME)) {
				return super.deserialize(parser, context);
			}
			try (TokenBuffer object = context.bufferForInputBuffering(parser).deserialize(parser, context)) {
				Object outer = context.getAttribute(Counter.class);
				Counter counter = new Counter();
				context.setAttribute(Counter.class, counter);
				Object value = super.deserialize(object.asParserOnFirstToken(context), context);
				context.setAttribute(Counter.class, outer);
				List<String> names = names(object);
				Collection<Object> known = getKnownPropertyNames();
				if (!names.isEmpty() && counter.unknown == names.size() && !known.isEmpty()) {
					throw new NothingKnown(parser, handledType(), names,
							known.stream().map(String::valueOf).sorted().toList());
				}
				return value;
			}
		}

		private static List<String> names(TokenBuffer object) {
			List<String> names = new ArrayList<>();
			try (JsonParser parser = object.asParser()) {
				parser.nextToken();
				while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
					names.add(parser.currentName());
					parser.nextToken();
					parser.skipChildren();
				}
			}
			return names;
		}

	}

	/** Thrown for an object with only unknown properties. */
	static final class NothingKnown extends MismatchedInputException {

		private final transient List<String> found;

		private final transient List<String> known;

		NothingKnown(JsonParser parser, Class<?> type, List<String> found, List<String> known) {
			super(parser, "No property is known", type);
			this.found = found;
			this.known = known;
		}

		/**
		 * Describe the problem with the type's property names and those found. A name
		 * that does not look like a property may be the key of a map, and is not shown.
		 */
		String describe() {
			List<String> words = this.found.stream().filter(Shown::isWord).map((name) -> "'" + name + "'").toList();
			List<String> spellings = this.found.stream().filter(this::isSpellingOfKnown).toList();
			return getTargetType().getTypeName() + " has "
					+ ((this.found.size() == 1) ? (words.isEmpty() ? "no such property" : "no property " + words.get(0))
							: "none of these " + this.found.size() + " properties"
									+ (words.isEmpty() ? "" : ": " + Shown.list(words)))
					+ "; it has: " + Shown.list(this.known)
					+ (spellings.isEmpty() ? "" : ". The names " + Shown.list(spellings)
							+ " are only spelt differently: use the same names again, for example by @JsonProperty or @JsonAlias");
		}

		private boolean isSpellingOfKnown(String name) {
			return this.known.stream().anyMatch((known) -> letters(known).equals(letters(name)));
		}

		private static String letters(String name) {
			return name.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT);
		}

	}

}
