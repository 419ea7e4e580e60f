package dev.jobs.serialization;

import java.io.File;
import java.net.URI;
import java.net.URL;
import java.util.Currency;
import java.util.Date;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.jdk.JDKKeySerializers;
import tools.jackson.databind.ser.std.StdSerializer;

/**
 * Refuses map keys that would be written by {@code toString()} although nothing declares
 * that they can be read back from it.
 */
final class MapKeys extends ValueSerializerModifier {

	private static final Set<Class<?>> READ_BACK = Set.of(Object.class, String.class, Boolean.class, Character.class,
			Date.class, UUID.class, Locale.class, Currency.class, URI.class, URL.class, Class.class, File.class);

	@Override
	public ValueSerializer<?> modifyKeySerializer(SerializationConfig config, JavaType type,
			BeanDescription.Supplier description, ValueSerializer<?> serializer) {
		return (serializer instanceof JDKKeySerializers.Default && !isReadBack(type.getRawClass()))
				? new Refusing(type.getRawClass()) : serializer;
	}

	/**
	 * Describe the problem of a type as the key of a map.
	 * @param key the type
	 * @param written knows how it is written
	 * @param read knows how it is read
	 * @return the problem and what to do, or {@code null} if there is no problem
	 */
	static @Nullable String problemOf(JavaType key, SerializationContext written, DeserializationContext read) {
		if (key.getValueHandler() != null || isReadBack(key.getRawClass())) {
			return null;
		}
		if (written.findKeySerializer(key, null) instanceof Refusing) {
			return problemOf(key.getRawClass());
		}
		try {
			read.findKeyDeserializer(key, null);
			return null;
		}
		catch (JacksonException ex) {
			return problemOf(key.getRawClass());
		}
	}

	private static boolean isReadBack(Class<?> key) {
		return READ_BACK.contains(key) || key.isPrimitive() || key.isEnum()
				|| ((Number.class.isAssignableFrom(key)) && key.getName().matches("java\\.(lang|math)\\..*"))
				|| key.getName().startsWith("java.time.");
	}

	private static String problemOf(Class<?> key) {
		String remedy = key.getName().startsWith("java.") ? "Use text"
				: "Use text, or annotate what it is written as with @JsonKey or @JsonValue, "
						+ "and what creates it from that text with @JsonCreator";
		return key.getTypeName() + " is the key of a map, which is always text, and it cannot be read back from it. "
				+ remedy;
	}

	private static final class Refusing extends StdSerializer<Object> {

		Refusing(Class<?> type) {
			super(type);
		}

		@Override
		public void serialize(Object key, JsonGenerator generator, SerializationContext context) {
			context.reportBadDefinition(handledType(), problemOf(handledType()));
		}

	}

}
