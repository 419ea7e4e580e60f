package dev.jobs.serialization;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

import com.fasterxml.jackson.annotation.JsonIgnore;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.ser.BeanSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.ser.impl.UnknownSerializer;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToEmptyObjectSerializer;

/**
 * Allows a type without properties only if it has nothing to lose: a type without fields
 * is empty on purpose, but one that hides all its fields would arrive without its
 * contents.
 */
final class EmptyBeans extends ValueSerializerModifier {

	@Override
	public ValueSerializer<?> modifySerializer(SerializationConfig config, BeanDescription.Supplier description,
			ValueSerializer<?> serializer) {
		boolean empty = serializer instanceof UnknownSerializer
				|| (serializer instanceof BeanSerializer && !serializer.properties().hasNext());
		if (!empty) {
			return serializer;
		}
		Class<?> type = description.getBeanClass();
		return hidesSomething(type) ? new Refusing(type) : new ToEmptyObjectSerializer(type);
	}

	/**
	 * Return whether a type without properties has fields nevertheless.
	 * @return whether there is a field that is not left out on purpose
	 */
	static boolean hidesSomething(Class<?> type) {
		for (Class<?> level = type; level != null; level = level.getSuperclass()) {
			for (Field field : level.getDeclaredFields()) {
				if (!Modifier.isStatic(field.getModifiers()) && !Modifier.isTransient(field.getModifiers())
						&& !field.isSynthetic() && !field.isAnnotationPresent(JsonIgnore.class)) {
					return true;
				}
			}
		}
		return false;
	}

	/**
	 * Describe the problem of a type that hides its fields.
	 * @return the problem and what to do
	 */
	static String problemOf(Class<?> type) {
		return type.getTypeName() + " has fields, but no property that can be seen, so it would be stored as {}. "
				+ "Add getters, make it a record, or annotate it with "
				+ "@JsonAutoDetect(fieldVisibility = Visibility.ANY); mark fields that are not to be stored @JsonIgnore";
	}

	private static final class Refusing extends StdSerializer<Object> {

		Refusing(Class<?> type) {
			super(type);
		}

		@Override
		public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
			context.reportBadDefinition(handledType(), problemOf(handledType()));
		}

	}

}
