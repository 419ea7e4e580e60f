package dev.jobs.serialization;

import java.lang.reflect.Modifier;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.AbstractDeserializer;
import tools.jackson.databind.deser.SettableBeanProperty;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.bean.BeanDeserializerBase;
import tools.jackson.databind.ser.bean.BeanSerializerBase;

/**
 * Finds out before anything is stored whether a type could be read back: it asks Jackson
 * for the deserializers of the type and of all properties below it, as a reading would.
 */
final class PayloadTypes {

	private final DeserializationContext context;

	/** Set where this process reads payloads of the type. */
	private final @Nullable SerializationContext written;

	private final Set<JavaType> seen = new HashSet<>();

	private PayloadTypes(DeserializationContext context, @Nullable SerializationContext written) {
		this.context = context;
		this.written = written;
	}

	/**
	 * Look for what cannot be read back.
	 * @param context Jackson's context
	 * @param type the type of the payload
	 * @param written knows how payloads are written, or {@code null} if this process does
	 * not read them, so that it need not be possible to create one from JSON
	 * @return the problem and what to do, or {@code null} if there is none
	 */
	static @Nullable String problemOf(DeserializationContext context, JavaType type,
			@Nullable SerializationContext written) {
		return new PayloadTypes(context, written).problem(type, null, "");
	}

	private @Nullable String problem(JavaType type, @Nullable ValueDeserializer<?> given, String path) {
		if (type.getTypeHandler() != null || type.getValueHandler() != null || !this.seen.add(type)) {
			return null;
		}
		if (type.isContainerType() || type.isReferenceType()) {
			return problem(type.getContentType(), null, path + (type.isContainerType() ? "[*]" : ""));
		}
		if (this.context.findTypeDeserializer(type) != null) {
			return null;
		}
		ValueDeserializer<?> deserializer = (given != null) ? given
				: this.context.findNonContextualValueDeserializer(type);
		if (deserializer instanceof AbstractDeserializer) {
			return at(path) + problemOfAbstract(type.getRawClass());
		}
		return (deserializer instanceof BeanDeserializerBase bean && !isOfTheJdk(type.getRawClass()))
				? problem(bean, type, path) : null;
	}

	private @Nullable String problem(BeanDeserializerBase bean, JavaType type, String path) {
		ValueInstantiator instantiator = bean.getValueInstantiator();
		if (this.written != null && !canBeCreated(instantiator, type, this.written)) {
			return at(path) + type.getRawClass().getTypeName() + problemOfConstructors(type.getRawClass());
		}
		if (bean.getPropertyCount() == 0 && instantiator.canCreateUsingDefault() && !takesAnyProperty(type)
				&& EmptyBeans.hidesSomething(type.getRawClass())) {
			return at(path) + EmptyBeans.problemOf(type.getRawClass());
		}
		Iterator<SettableBeanProperty> properties = bean.properties();
		while (properties.hasNext()) {
			SettableBeanProperty property = properties.next();
			if (property.getValueTypeDeserializer() == null) {
				String problem = problem(property.getType(),
						property.hasValueDeserializer() ? property.getValueDeserializer() : null,
						path + "." + property.getName());
				if (problem != null) {
					return problem;
				}
			}
		}
		return null;
	}

	/** The deserializer says so only from Jackson 3.1 on. */
	private boolean takesAnyProperty(JavaType type) {
		return this.context.introspectBeanDescription(type).findAnySetterAccessor() != null;
	}

	/**
	 * Return whether an object of JSON becomes one of the type. One that is written as
	 * something else, such as text, or has a creator chosen for it, need not be created
	 * from an object.
	 */
	private boolean canBeCreated(ValueInstantiator instantiator, JavaType type, SerializationContext written) {
		if (instantiator.canCreateUsingDefault() || instantiator.canCreateFromObjectWith()
				|| instantiator.canCreateUsingDelegate() || instantiator.canCreateUsingArrayDelegate()) {
			return true;
		}
		return instantiator.canInstantiate()
				&& (hasCreator(type) || !(written.findValueSerializer(type) instanceof BeanSerializerBase));
	}

	private boolean hasCreator(JavaType type) {
		BeanDescription description = this.context.introspectBeanDescription(type);
		return Stream
			.concat(description.getConstructorsWithMode().stream(), description.getFactoryMethodsWithMode().stream())
			.anyMatch((creator) -> creator.metadata != null);
	}

	private static String problemOfConstructors(Class<?> type) {
		if (type.isMemberClass() && !Modifier.isStatic(type.getModifiers())) {
			return " is an inner class: make it static";
		}
		return (type.getDeclaredConstructors().length > 1)
				? " has several constructors: annotate one with @JsonCreator, or make it a record"
				: " has no constructor that can be used. Give it one without parameters, make it a record, "
						+ "or annotate the constructor with @JsonCreator";
	}

	private static String problemOfAbstract(Class<?> type) {
		String kind = type.isSealed() ? "a sealed type" : (type.isInterface() ? "an interface" : "an abstract type");
		String subtypes = type.isSealed() ? "" : " and @JsonSubTypes";
		return type.getTypeName() + " is " + kind + ", and JSON does not say which of its subtypes a value had. "
				+ (isOfTheJdk(type) ? "Use a type that can be created" : "Annotate it with "
						+ "@JsonTypeInfo(use = JsonTypeInfo.Id.NAME)" + subtypes + ", or use one of its subtypes");
	}

	private static String at(String path) {
		return path.isEmpty() ? "" : "at '" + (path.startsWith(".") ? path.substring(1) : path) + "' ";
	}

	private static boolean isOfTheJdk(Class<?> type) {
		return type.getName().startsWith("java.") || type.getName().startsWith("javax.");
	}

}
